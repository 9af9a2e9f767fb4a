package world

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

const maxSteps = 100

// Everywhere calls try with each step that a process takes and each fault of faults.Distinct there, until the process
// takes fewer steps. try plans the fault and returns the steps taken. The test fails below least steps, so that it
// cannot pass without a fault.
func Everywhere(tb testing.TB, least int, try func(step int, f faults.Fault) (taken []string)) {
	tb.Helper()
	for step := 1; step <= maxSteps; step++ {
		tried, reached := map[faults.Fault]bool{}, false
		for next := faults.Plannable[:1]; len(next) > 0; {
			tried[next[0]] = true
			taken := try(step, next[0])
			next = next[1:]
			if len(taken) >= step {
				reached, next = true, faults.Distinct(taken[step-1])
			}
			next = slices.DeleteFunc(slices.Clone(next), func(f faults.Fault) bool { return tried[f] })
		}
		if !reached {
			if step <= least {
				tb.Errorf("got %d steps, want %d or more", step-1, least)
			}
			return
		}
	}
	tb.Errorf("got more than %d steps", maxSteps)
}

// Attempts calls do for each step and fault of a request, with a unique name. send adds the merchant's key if none.
func (s Shop) Attempts(least int, do func(try string, send func(Request) Response)) {
	s.Helper()
	Everywhere(s, least, func(step int, fault faults.Fault) []string {
		p := s.Process()
		defer p.Stop()
		do(strings.ToLower(strings.ReplaceAll(fmt.Sprint("t-", fault, "-", step), " ", "")),
			func(r Request) Response {
				r.APIKey = cmp.Or(r.APIKey, s.Merchant.Key.Plaintext)
				p.Steps.Plan(step, fault)
				return p.Do(r)
			})
		return p.Steps.Taken()
	})
}
