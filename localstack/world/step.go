package world

import "iter"

// step makes one step of a call to another party. Throttle and Conflict are
// one that certainly took nothing.
func step[T any](steps *Steps, name string, notTaken error, do func() (T, error)) (T, error) {
	var none T
	fault, err := steps.next(name)
	if err != nil {
		return none, err
	}
	switch fault {
	case FailBefore:
		return none, errNetwork
	case Throttle, Conflict:
		return none, notTaken
	}
	result, err := do()
	if fault == LoseReply || fault == Crash {
		return none, errNetwork
	}
	return result, err
}

// statement makes one step of reading another party's statement as a whole, as
// a file that arrives or does not.
func statement[T any](steps *Steps, notTaken error, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		lines, err := step(steps, "Statement", notTaken, func() ([]T, error) { return collect(all) })
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}

func collect[T any](all iter.Seq2[T, error]) ([]T, error) {
	var lines []T
	for line, err := range all {
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}
