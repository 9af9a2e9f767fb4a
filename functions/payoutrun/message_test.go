package payoutrun_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/functions/payoutrun"
	"github.com/cashwrap/cashwrap/localstack/faults"
	"github.com/cashwrap/cashwrap/localstack/world"
)

// TestMessagesOfNothingAreDropped: they would come again for ever, and nothing could be done for them.
func TestMessagesOfNothingAreDropped(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	handle := payoutrun.Run(w.App)
	for _, body := range []string{"", "[]", "{}", `{"tenant":"X#MC1","payout":"p"}`,
		`{"tenant":"T#MC1","payout":""}`, `{"tenant":1}`,
		`{"tenant":"T#MC1","payout":"unknown"}`} {
		before := len(w.Logs.String())
		if err := handle(t.Context(), body); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if said := w.Logs.String()[before:]; !strings.Contains(said, "dropped") {
			t.Errorf("%s: logged %q", body, said)
		}
	}
}

// TestAFailureLeavesTheMessage, and a payout that has come to rest does not.
func TestAFailureLeavesTheMessage(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.pay("10", 1)
	s.midnight()
	if err := s.Main().TickNow(t.Context(), "payoutplan"); err != nil {
		t.Fatal(err)
	}
	dying := s.Process()
	dying.Steps.Plan(3, faults.DieAfter) // within the run
	if _, err := dying.DrainQueues(t.Context()); err == nil && !dying.Steps.Gone() {
		t.Error("nothing went wrong")
	}
	s.Clock.Advance(functions.Payouts.Visibility)
	if n, err := s.Main().DrainQueues(t.Context()); err != nil || n != 1 {
		t.Errorf("%d messages, %v", n, err)
	}
	want(t, "payout", s.payouts()["2026-11-21"], "SENT 9.80")
	s.Clock.Advance(functions.Payouts.Visibility)
	if n, err := s.Main().DrainQueues(t.Context()); err != nil || n != 0 {
		t.Errorf("%d messages, %v", n, err)
	}
}
