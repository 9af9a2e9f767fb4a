package provision_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

// TestRemoveSecondFactor_Interrupted checks that the repetition completes an interrupted command, with one entry in the
// audit.
func TestRemoveSecondFactor_Interrupted(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	owner := d.shop(m).Owner()
	remove := fields{"command": "remove_second_factor", "merchant_code": m.Code, "email": owner.Email}
	on := func() bool {
		f, err := d.App.Store.SecondFactor(t.Context(), owner.User())
		return err != nil || f.Confirmed()
	}
	removed := func() (entries int) {
		for _, e := range d.listAudit(m, nil).Entries {
			if e.Operation == "remove_second_factor" {
				entries++
			}
		}
		return entries
	}
	for _, fault := range []faults.Fault{faults.FailBefore, faults.LoseReply, faults.DieAfter} {
		for at, reached := 1, true; reached; at++ {
			d.turnOn(owner)
			d.Clock.Advance(time.Hour)
			before, doomed := removed(), d.Process()
			doomed.Steps.Plan(at, fault)
			_, _ = doomed.Invoke(t.Context(), "provision", encoded(t, remove))
			_ = d.invoke(remove)
			if entries := removed() - before; on() || entries != 1 {
				t.Errorf("%s at step %d: got %d entries, second factor %t; want one, and none", fault, at, entries, on())
			}
			if reached = len(doomed.Steps.Taken()) >= at; !reached && at < 5 {
				t.Errorf("%s: got %d steps, want 5 or more", fault, at)
			}
			doomed.Stop()
		}
	}
}
