package world

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/faults"
)

// Attempts calls do once for each fault at each step that a request takes, until a request
// takes fewer steps. do gets a name of the attempt that no other has, and sends its request,
// with the merchant's key unless it names a credential, by a process that has the fault
// there. The test fails where a request takes fewer than least steps, so that none passes
// because no fault was reached.
func (s Shop) Attempts(least int, do func(try string, send func(Request) Response)) {
	s.Helper()
	for _, fault := range faults.Plannable {
		for step, reached := 1, true; reached; step++ {
			p := s.Process()
			do(strings.ToLower(strings.ReplaceAll(fmt.Sprint("t-", fault, "-", step), " ", "")),
				func(r Request) Response {
					r.APIKey = cmp.Or(r.APIKey, s.Merchant.Key.Plaintext)
					p.Steps.Plan(step, fault)
					return p.Do(r)
				})
			reached = len(p.Steps.Taken()) >= step
			p.Stop()
			if !reached && step < least {
				s.Errorf("%s: got %d steps, want %d or more", fault, step, least)
			}
		}
	}
}
