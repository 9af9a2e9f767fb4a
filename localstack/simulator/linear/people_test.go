package linear_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

// office returns the records of a tenant with a role, an employee and a key.
func office() map[string]Record {
	return map[string]Record{"refunder": {Name: "Refunds", Rights: "refund_transactions"},
		"emil": {Rights: "role_employee"}, "spare": {Name: "till", Rights: "payments"}}
}

func gives(rights string) RecordChange { return RecordChange{Set: Record{Rights: rights}} }

func notes(name string) RecordChange { return RecordChange{Set: Record{Name: name}} }

func makes(name string) RecordChange {
	return RecordChange{Make: true, Set: Record{Name: name, Rights: "role_employee"}}
}

var removes = RecordChange{Delete: true}

func made(id string, c RecordChange, call, until int64) RecordRequest {
	return RecordRequest{ID: id, Change: &c, Call: call, Return: until}
}

// pending returns a change without an answer.
func pending(id string, c RecordChange, call int64) RecordRequest { return made(id, c, call, Never) }

func sees(id string, r Record, call, until int64) RecordRequest {
	return RecordRequest{ID: id, Shows: r, Call: call, Return: until}
}

func absent(id string, call, until int64) RecordRequest { return sees(id, Record{}, call, until) }

func emil(note, roles string) Record { return Record{Name: note, Rights: roles} }

func TestRecordHistory_Linear(t *testing.T) {
	t.Parallel()
	for name, requests := range map[string][]RecordRequest{
		"none": nil,
		"roles and note at once": {made("emil", gives("role_admin"), 1, 9), made("emil", notes("x"), 1, 9),
			sees("emil", emil("x", "role_admin"), 10, 11)},
		"of two changes of a field one is the last": {made("emil", gives("role_admin"), 1, 9),
			made("emil", gives("role_owner"), 1, 9), sees("emil", emil("", "role_admin"), 10, 11)},
		"made, and changed at once": {made("ina", makes("ina"), 1, 9), made("ina", gives("role_admin"), 2, 8),
			sees("ina", emil("ina", "role_admin"), 10, 11)},
		"an invitation is withdrawn": {made("ina", makes("ina"), 1, 2), made("ina", removes, 3, 9), absent("ina", 3, 9)},
		"removed before it is changed without an answer": {pending("emil", notes("x"), 1), made("emil", removes, 2, 3),
			absent("emil", 4, 5)},
		"lost, and made much later": {pending("emil", gives("role_admin"), 1), sees("emil", emil("", "role_employee"), 2, 3),
			sees("emil", emil("", "role_admin"), 8, 9)},
		"lost, and never made": {pending("emil", gives("role_admin"), 1), sees("emil", emil("", "role_employee"), 8, 9)},
		"a key revoked":        {made("spare", removes, 1, 2), absent("spare", 3, 4)},
		"each by itself": {made("emil", notes("x"), 1, 9), sees("refunder", office()["refunder"], 2, 3),
			sees("emil", emil("", "role_employee"), 2, 3)},
	} {
		if err := (RecordHistory{Begin: office(), Requests: requests}).Check(); err != nil {
			t.Errorf("%s: got error %v, want none", name, err)
		}
	}
}

func TestRecordHistory_NotLinear(t *testing.T) {
	t.Parallel()
	for name, requests := range map[string][]RecordRequest{
		"a lost change": {made("emil", gives("role_admin"), 1, 9), made("emil", notes("x"), 1, 9),
			sees("emil", emil("x", "role_employee"), 10, 11)},
		"a change by halves": {pending("emil", RecordChange{Set: Record{Name: "x", Rights: "role_admin"}}, 1),
			sees("emil", emil("x", "role_employee"), 2, 3)},
		"a change without a request": {sees("emil", emil("x", "role_employee"), 1, 2)},
		"a change that is made twice": {made("emil", gives("role_admin"), 1, 2),
			made("emil", gives("role_owner"), 3, 4), sees("emil", emil("", "role_admin"), 5, 6)},
		"what is removed comes back":       {made("emil", removes, 1, 2), sees("emil", emil("", "role_employee"), 3, 4)},
		"what is removed is changed":       {made("emil", removes, 1, 2), made("emil", notes("x"), 3, 4)},
		"what is removed is removed again": {made("emil", removes, 1, 2), made("emil", removes, 3, 4)},
		"what is there is missing":         {absent("emil", 1, 2)},
		"what is there is made again":      {made("emil", makes("x"), 1, 2)},
		"what is made later is changed":    {made("ina", notes("x"), 1, 2), pending("ina", makes("ina"), 3)},
		"seen before it was made": {sees("emil", emil("x", "role_employee"), 1, 2),
			pending("emil", notes("x"), 3)},
		"reads that go back": {made("emil", notes("x"), 1, 9), sees("emil", emil("x", "role_employee"), 2, 3),
			sees("emil", emil("", "role_employee"), 4, 5)},
	} {
		if err := (RecordHistory{Begin: office(), Requests: requests}).Check(); !errors.Is(err, ErrNotLinear) {
			t.Errorf("%s: got error %v, want %v", name, err, ErrNotLinear)
		}
	}
}

// TestRecordHistory_Random changes roles and notes of one employee. Some offices forget a change. The check must notice
// this.
func TestRecordHistory_Random(t *testing.T) {
	t.Parallel()
	const histories = 200
	noticed := 0
	for seed := range uint64(histories) {
		if err := randomPeople(rand.New(rand.NewPCG(seed, 1)), false).Check(); err != nil {
			t.Fatalf("seed %d: got error %v, want none", seed, err)
		}
		if errors.Is(randomPeople(rand.New(rand.NewPCG(seed, 1)), true).Check(), ErrNotLinear) {
			noticed++
		}
	}
	if noticed < histories/2 {
		t.Errorf("got %d of %d broken histories noticed, want at least half", noticed, histories)
	}
}

func randomPeople(rng *rand.Rand, forgets bool) RecordHistory {
	h := RecordHistory{Begin: office()}
	now, changes := h.Begin["emil"], 0
	for i := range 24 {
		at := int64(10 * i)
		call, until := at-rng.Int64N(12), at+1+rng.Int64N(12)
		next := now
		var c RecordChange
		switch rng.IntN(3) {
		case 0:
			h.Requests = append(h.Requests, sees("emil", now, call, until))
			continue
		case 1:
			next.Name = fmt.Sprint("note ", i)
			c = notes(next.Name)
		default:
			next.Rights = []string{"role_accountant", "role_employee refunder", "role_admin"}[rng.IntN(3)]
			c = gives(next.Rights)
		}
		if changes++; !forgets || changes%3 > 0 {
			now = next
		}
		if rng.IntN(5) == 0 {
			until = Never
		}
		h.Requests = append(h.Requests, made("emil", c, call, until))
	}
	h.Requests = append(h.Requests, sees("emil", now, 1000, 1001))
	return h
}
