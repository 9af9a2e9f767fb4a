package payoutrun_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/functions/payoutrun"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestRun_InvalidMessage checks that an invalid message is dropped, since after an error it would come again forever.
func TestRun_InvalidMessage(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	handle := payoutrun.Run(w.App)
	for _, body := range []string{"", "[]", "{}", `{"tenant":"X#MC1","payout":"p"}`,
		`{"tenant":"T#MC1","payout":""}`, `{"tenant":1}`,
		`{"tenant":"T#MC1","payout":"unknown"}`} {
		before := len(w.Logs.String())
		if err := handle(t.Context(), body); err != nil {
			t.Errorf("%s: got error %v, want none", body, err)
		}
		if said := w.Logs.String()[before:]; !strings.Contains(said, "dropped") {
			t.Errorf(`%s: got log %q, want "dropped" in it`, body, said)
		}
	}
}

// TestRun_Failure checks that a failure leaves the message in the queue, and that a finished run removes it.
func TestRun_Failure(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Sell("10")
	advanceToMidnight(s)
	openPayout(s)
	dying := s.Process()
	dying.Steps.Inject(faults.Times(1, "TransactWriteItems", faults.DieAfter)) // the process dies during the run
	if _, err := dying.DrainQueues(t.Context()); err == nil && !dying.Steps.Gone() {
		t.Errorf("got no error, after steps %v; want an error or a dead process", dying.Steps.Taken())
	}
	s.Clock.Advance(functions.Payouts.Visibility)
	if n := s.DrainQueues(); n != 1 {
		t.Errorf("after a failure: got %d messages, want 1", n)
	}
	want(t, "payout", payoutsByDay(s)["2026-11-21"], "SENT 9.80")
	s.Clock.Advance(functions.Payouts.Visibility)
	if n := s.DrainQueues(); n != 0 {
		t.Errorf("after a finished run: got %d messages, want none", n)
	}
}
