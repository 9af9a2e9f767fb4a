package virtual_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// message is one message of a conversation with terminals, sent after some time.
type message struct {
	after time.Duration
	send  func(context.Context, *fixture) (any, error)
}

func done(err error) (any, error) { return "done", err }

func heartbeat(ctx context.Context, w *fixture) (any, error) { return w.Heartbeat(ctx, "p") }
func outcome(ctx context.Context, w *fixture) (any, error)   { return w.Outcome(ctx, "c") }

// conversation has each message of the port, and an operator's SetOffline.
var conversation = []message{
	{0, func(ctx context.Context, w *fixture) (any, error) { return w.Pair(ctx, w.pairing("old", "ABCD1234")) }},
	{0, func(ctx context.Context, w *fixture) (any, error) { return w.Pair(ctx, w.pairing("p", "ABCD1234")) }},
	{2 * time.Second, heartbeat},
	{0, func(ctx context.Context, w *fixture) (any, error) {
		return done(w.Offer(ctx, w.checkout("no", "p", "9")))
	}},
	{0, func(ctx context.Context, w *fixture) (any, error) { return done(w.Terminate(ctx, "no")) }},
	{0, func(ctx context.Context, w *fixture) (any, error) {
		return done(w.Configure(ctx, "p", w.settingsChange(new(true), "4711")))
	}},
	{0, func(ctx context.Context, w *fixture) (any, error) { return w.Settings(ctx, "p") }},
	{0, func(ctx context.Context, w *fixture) (any, error) { return done(w.SetOffline(ctx, tenant, "p", true)) }},
	{0, func(ctx context.Context, w *fixture) (any, error) { return done(w.SetOffline(ctx, tenant, "p", false)) }},
	{0, func(ctx context.Context, w *fixture) (any, error) {
		return done(w.Offer(ctx, w.checkout("c", "p", "10")))
	}},
	{time.Second, heartbeat},
	{2 * time.Second, outcome},
	{0, outcome},
	{0, heartbeat},
	{0, func(ctx context.Context, w *fixture) (any, error) { return done(w.Unpair(ctx, "p")) }},
	{0, func(ctx context.Context, w *fixture) (any, error) { return done(w.Unpair(ctx, "never")) }},
}

// converse sends the messages, repeats each that returns an error, and returns the answers.
func converse(w *fixture) (answers []any) {
	w.Helper()
	for at, m := range conversation {
		w.Advance(m.after)
		answer, err := m.send(w.Context(), w)
		if err != nil {
			answer, err = m.send(w.Context(), w)
		}
		if err != nil {
			w.Errorf("message %d: got error %v of its repetition, want none", at, err)
		}
		answers = append(answers, answer)
	}
	return answers
}

// TestTerminals_LostTableCall lets each call to the table fail, before or after it took effect. The repeated message
// must have the same answer, and the card must be charged once.
func TestTerminals_LostTableCall(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	calls := 0
	w.wire.Inject(func(string) faults.Fault { calls++; return faults.None })
	want := converse(w)
	for call := range calls {
		for _, fault := range []faults.Fault{faults.FailBefore, faults.LoseReply} {
			t.Run(fmt.Sprintf("call %d, fault %d", call+1, fault), func(t *testing.T) {
				t.Parallel()
				w := newFixture(t)
				left := call
				w.wire.Inject(func(string) faults.Fault {
					if left--; left == -1 {
						return fault
					}
					return faults.None
				})
				if diff := cmp.Diff(want, converse(w), storedtest.Options); diff != "" {
					t.Errorf("answers (-without faults +with):\n%s", diff)
				}
				w.wantDecision("c", payments.Approved)
				w.wantDecision("no", "")
				w.wantCaptured("10.00")
			})
		}
	}
}

// TestPair_TwoConcurrently checks that, of two concurrent pairings, the later one has the terminal.
func TestPair_TwoConcurrently(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.wire.Meanwhile("TransactWriteItems", 1, func() {
		if _, err := w.Pair(t.Context(), w.pairing("q", "ABCD1234")); err != nil {
			t.Error(err)
		}
	})
	w.pairAndConfirm("p", "ABCD1234")
	w.wantErrors(failing{"p", w.heartbeatOf("p"), nil}, failing{"q", w.heartbeatOf("q"), terminal.ErrUnpaired})
}
