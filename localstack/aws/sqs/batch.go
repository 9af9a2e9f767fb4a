package sqs

import (
	"errors"
	"regexp"
)

const maxEntries = 10

var batchEntryID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// batchID is the member that every batch entry and its result have.
type batchID struct{ Id string }

func (b batchID) id() string { return b.Id }

type (
	batchOutput struct {
		Successful []any
		Failed     []batchFailure
	}
	batchFailure struct {
		batchID
		SenderFault bool
		Code        string
		Message     string
	}
)

// eachEntry checks the batch as a whole, then does its entries one by one; one that fails does not affect the others.
func eachEntry[E interface{ id() string }](entries []E, do func(E) (any, error)) (batchOutput, error) {
	if err := checkBatch(entries); err != nil {
		return batchOutput{}, err
	}
	out := batchOutput{Successful: []any{}, Failed: []batchFailure{}}
	for _, entry := range entries {
		result, err := do(entry)
		var failed *apiError
		switch {
		case errors.As(err, &failed):
			out.Failed = append(out.Failed, batchFailure{batchID{entry.id()}, !failed.ours, failed.code, failed.message})
		case err != nil:
			return batchOutput{}, err
		default:
			out.Successful = append(out.Successful, result)
		}
	}
	return out, nil
}

func checkBatch[E interface{ id() string }](entries []E) error {
	if len(entries) == 0 {
		return fail(emptyBatch, "There should be at least one entry in the request.")
	}
	if len(entries) > maxEntries {
		return fail(tooManyEntries,
			"Maximum number of entries per request are %d. You have sent %d.", maxEntries, len(entries))
	}
	seen := map[string]bool{}
	for _, entry := range entries {
		id := entry.id()
		if !batchEntryID.MatchString(id) {
			return fail(invalidBatchID, "A batch entry id can only contain alphanumeric characters, hyphens and "+
				"underscores. It can be at most 80 letters long.")
		}
		if seen[id] {
			return fail(batchIDsNotDistinct, "Id %s repeated.", id)
		}
		seen[id] = true
	}
	return nil
}
