package linear_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

// declinable returns true for the one amount of these tests that the acquirer may decline.
func declinable(amount int64) bool { return amount == 11 }

func refund(group string, amount, call, until int64, a Answer) Request {
	return Request{Group: group, Amount: amount, Call: call, Return: until, Answer: a}
}

func lost(group string, amount, call int64) Request {
	return refund(group, amount, call, Never, Unknown)
}

func read(call, until, rest int64) Request {
	return Request{Call: call, Return: until, Answer: ShowsLeft, Rest: rest}
}

// refusedWithRest returns a refusal that names the amount left.
func refusedWithRest(group string, amount, call, until, rest int64) Request {
	return Request{Group: group, Amount: amount, Call: call, Return: until, Answer: ShowsLeft, Rest: rest}
}

func TestHistory_Linear(t *testing.T) {
	t.Parallel()
	for name, requests := range map[string][]Request{
		"nothing": nil,
		"one after the other": {refund("a", 60, 1, 2, Made), read(3, 4, 40), refund("b", 60, 5, 6, Refused),
			refund("c", 0, 7, 8, Made), read(9, 10, 0)},
		"at once, one of them too many": {refund("a", 60, 1, 9, Made), refund("b", 60, 1, 9, Refused), read(10, 11, 40)},
		"seen before it was answered":   {refund("a", 60, 1, 9, Made), read(2, 3, 40), read(4, 5, 40)},
		"not yet seen":                  {refund("a", 60, 1, 9, Made), read(2, 3, 100), read(4, 5, 40)},
		"lost, and done much later":     {lost("a", 60, 1), read(2, 3, 100), read(8, 9, 40)},
		"lost, and never done":          {lost("a", 60, 1), refund("b", 0, 2, 3, Made), read(8, 9, 0)},
		"lost, done and given back":     {lost("a", 60, 1), read(2, 3, 40), read(4, 5, 100)},
		"repeated under its key": {lost("a", 60, 1), refund("a", 60, 2, 3, Made),
			refund("a", 60, 4, 5, Made), read(8, 9, 40)},
		"not taken, and reserved before": {refund("a", 60, 1, 9, NotTaken), read(2, 3, 40),
			read(4, 5, 100), read(10, 11, 100)},
		"not taken, and then made": {refund("a", 60, 1, 2, NotTaken), refund("a", 60, 3, 4, Made), read(8, 9, 40)},
		"kept from another": {refund("a", 60, 1, 9, NotTaken),
			refund("b", 60, 2, 3, Refused), read(10, 11, 100)},
		"declined":                      {refund("a", 11, 1, 9, Refused), read(2, 3, 89), read(10, 11, 100)},
		"made, and declined in the end": {refund("a", 11, 1, 2, Made), read(3, 4, 89), read(10, 11, 100)},
		"refused with the rest":         {refund("a", 60, 1, 2, Made), refusedWithRest("b", 60, 3, 4, 40), read(5, 6, 40)},
		"charged back": {{Group: "x", Amount: 30, Firm: true, Answer: Made, Call: 1, Return: 2},
			read(3, 4, 70)},
		"a chargeback that is not known": {{Group: "x", Amount: 30, Firm: true, Call: 1, Return: Never},
			read(3, 4, 70), read(5, 6, 70)},
		"an answer repeated after decline": {refund("a", 11, 1, 2, Made), read(3, 4, 100),
			refund("a", 11, 5, 6, Made), read(7, 8, 100)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := (History{Captured: 100, Declinable: declinable, Requests: requests}).Check(); err != nil {
				t.Errorf("got error %v, want none", err)
			}
		})
	}
}

func TestHistory_NotLinear(t *testing.T) {
	t.Parallel()
	for name, requests := range map[string][]Request{
		"refunded twice":                   {refund("a", 60, 1, 9, Made), refund("b", 60, 1, 9, Made)},
		"more than was captured":           {refund("a", 101, 1, 2, Made)},
		"a key that works twice":           {refund("a", 30, 1, 2, Made), refund("a", 30, 3, 4, Made), read(5, 6, 40)},
		"a stale read":                     {refund("a", 60, 1, 2, Made), read(3, 4, 100)},
		"reads that go back":               {refund("a", 60, 1, 9, Made), read(2, 3, 40), read(4, 5, 100)},
		"refused without need":             {refund("a", 60, 1, 2, Refused)},
		"refused with a wrong rest":        {refund("a", 60, 1, 2, Made), refusedWithRest("b", 60, 3, 4, 30)},
		"refused, and something is gone":   {refund("a", 60, 1, 2, Made), refund("b", 60, 3, 4, Refused), read(5, 6, 0)},
		"not taken, and something is gone": {refund("a", 60, 1, 2, NotTaken), read(3, 4, 40)},
		"declined, and something is gone":  {refund("a", 11, 1, 2, Refused), read(3, 4, 89)},
		"made, and given back":             {refund("a", 60, 1, 2, Made), read(3, 4, 40), read(5, 6, 100)},
		"lost, and done before it came":    {read(1, 2, 40), lost("a", 60, 3)},
		"lost, and done twice":             {lost("a", 30, 1), read(2, 3, 40)},
		"a chargeback given back": {{Group: "x", Amount: 30, Firm: true, Call: 1, Return: Never},
			read(3, 4, 70), read(5, 6, 100)},
		"all that is left, twice": {refund("a", 0, 1, 2, Made), refund("b", 0, 3, 4, Made)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := (History{Captured: 100, Declinable: declinable, Requests: requests}).Check()
			if !errors.Is(err, ErrNotLinear) {
				t.Errorf("got error %v, want %v", err, ErrNotLinear)
			}
		})
	}
}

// TestHistory_TooLong checks that a history does not pass if it is too long to be checked.
func TestHistory_TooLong(t *testing.T) {
	t.Parallel()
	requests := make([]Request, 65)
	for i := range requests {
		requests[i] = read(int64(2*i), int64(2*i+1), 100)
	}
	if err := (History{Captured: 100, Declinable: declinable, Requests: requests}).Check(); !errors.Is(err, ErrTooLong) {
		t.Errorf("got error %v, want %v", err, ErrTooLong)
	}
}

// TestHistory_Random simulates refunds that a transaction serialises. The check must pass. In a second history the
// transaction forgets a refund. The check must notice this for at least a third of the seeds.
func TestHistory_Random(t *testing.T) {
	t.Parallel()
	noticed := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		if err := randomHistory(rng, false).Check(); err != nil {
			t.Fatalf("seed %d: got error %v, want none", seed, err)
		}
		rng = rand.New(rand.NewPCG(seed, 1))
		if errors.Is(randomHistory(rng, true).Check(), ErrNotLinear) {
			noticed++
		}
	}
	if noticed < 100 {
		t.Errorf("got %d of 300 broken histories noticed, want at least 100", noticed)
	}
}

// randomHistory returns a history of overlapping clients. If forgets is set, the second refund is acknowledged but
// reserves nothing.
func randomHistory(rng *rand.Rand, forgets bool) History {
	h := History{Captured: 100, Declinable: declinable}
	rest, made := int64(100), 0
	for i := range 8 {
		at := int64(10 * i)
		call, until := at-rng.Int64N(25), at+1+rng.Int64N(25)
		if rng.IntN(3) == 0 {
			h.Requests = append(h.Requests, read(call, until, rest))
			continue
		}
		r := refund(fmt.Sprint("key ", i), 10+rng.Int64N(40), call, until, Refused)
		if r.Amount <= rest {
			made++
			if r.Answer = Made; !forgets || made != 2 {
				rest -= r.Amount
			}
		}
		if rng.IntN(5) == 0 {
			r.Answer, r.Return = Unknown, Never
		}
		h.Requests = append(h.Requests, r)
	}
	return h
}
