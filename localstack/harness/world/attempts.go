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

// Everywhere calls try for each step of a process and each fault in faults.Distinct for that step. It ends at the first
// step that the process does not reach. try plans the fault, and returns the steps that the process took. If the
// process takes fewer than least steps, the test fails, so it cannot pass without a fault.
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

// Attempts calls the function do for each step and each fault of a request, each time with a unique name. send adds the
// merchant's API key if the request has no key.
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
