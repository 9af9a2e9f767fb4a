package payoutopen_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/functions/payoutopen"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/payout"
)

type settings = map[string]any

// newWorldWithSales returns a world with one shop for each set of settings. Each shop sold something yesterday. If a
// shop's settings are nil, its payouts are held.
func newWorldWithSales(t *testing.T, each ...settings) *world.World {
	t.Helper()
	w := world.New(t)
	t.Cleanup(w.CheckPayouts)
	for _, s := range each {
		shop := w.Shop().NewShop("DE", "EUR", nil)
		shop.SetPayout(map[string]any{"holder": "Laden", "iban": sandbox.PaidIBAN, "held": s == nil})
		shop.Command("update_settings", s)
		shop.Sell("10")
	}
	w.Clock.Advance(24 * time.Hour)
	return w
}

// tick runs the schedule once. It returns the number of messages that ask to run a payout.
func tick(t *testing.T, w *world.World) int {
	t.Helper()
	w.Tick("payoutplan")
	return w.DrainQueues() - w.App.Store.DueShards()
}

func want(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %d messages, want %d", what, got, want)
	}
}

// TestOpen_OneMessagePerDuePayout checks that each due payout gets one message. Payouts on demand, held payouts and
// payouts with a longer period get none.
func TestOpen_OneMessagePerDuePayout(t *testing.T) {
	t.Parallel()
	w := newWorldWithSales(t, settings{}, settings{"payout_period": "daily"}, settings{"payout_on_demand": true}, nil,
		settings{"payout_period": "monthly"})
	want(t, "the first tick", tick(t, w), 2)
	want(t, "doubled", tick(t, w), 0)
	w.Clock.Advance(16 * time.Minute)
	want(t, "to poll the bank", tick(t, w), 2)
	w.Clock.Advance(16 * time.Minute)
	want(t, "when all are paid", tick(t, w), 0)
}

// TestOpen_MissedTicks checks that one tick opens everything that several missed ticks would have opened.
func TestOpen_MissedTicks(t *testing.T) {
	t.Parallel()
	w := newWorldWithSales(t, settings{})
	w.Clock.Advance(5 * 24 * time.Hour)
	want(t, "after five days", tick(t, w), 1)
	w.Clock.Advance(24 * time.Hour)
	want(t, "to poll the bank, after another", tick(t, w), 1)
	want(t, "then", tick(t, w), 0)
}

// TestOpen_Backlog checks that the next ticks do not send a second message for a payout that waits in the queue. A
// later tick replaces a lost message.
func TestOpen_Backlog(t *testing.T) {
	t.Parallel()
	w := newWorldWithSales(t, settings{})
	var sent []string // number of messages of each tick; the messages go to a queue that does not run payouts
	a := w.AppWith()
	a.PayoutQueue = a.PollQueue
	open := payoutopen.Open(a)
	for _, wait := range []time.Duration{0, 15 * time.Minute, 14 * time.Minute, time.Minute} {
		w.Clock.Advance(wait)
		for shard := range a.Store.DueShards() {
			if err := open(t.Context(), fmt.Sprintf(`{"shard":%d}`, shard)); err != nil {
				t.Fatal(err)
			}
		}
		sent = append(sent, fmt.Sprint(w.DrainQueues()))
	}
	if got, want := strings.Join(sent, " "), "1 0 0 1"; got != want {
		t.Errorf("got messages %s, want %s", got, want)
	}
}

// TestOpen_SendsInOrderOfPayouts checks that messages are sent in the order of payouts, even though several payouts are
// opened at the same time. The simulation's history must not depend on which payout is opened first.
func TestOpen_SendsInOrderOfPayouts(t *testing.T) {
	t.Parallel()
	const shops = 16
	w := newWorldWithSales(t, slices.Repeat([]settings{{}}, shops)...)
	a := w.AppWith()
	a.PayoutQueue = a.PollQueue // a queue that does not run payouts
	payouts := regexp.MustCompile(`payout\\*":\\*"[0-9a-f]+`)
	sent := 0
	for shard := range a.Store.DueShards() {
		if err := payoutopen.Open(a)(t.Context(), fmt.Sprintf(`{"shard":%d}`, shard)); err != nil {
			t.Fatal(err)
		}
		var queues strings.Builder
		if err := w.Queues.Dump(&queues); err != nil {
			t.Fatal(err)
		}
		messages := payouts.FindAllString(queues.String(), -1)
		if !slices.IsSorted(messages[sent:]) {
			t.Errorf("shard %d: got messages %v, want them in order", shard, messages[sent:])
		}
		sent = len(messages)
	}
	want(t, "all shards", sent, shops)
}

// TestOpen_NoTime checks that a call without time fails before it begins, so that the message comes again.
func TestOpen_NoTime(t *testing.T) {
	t.Parallel()
	w := newWorldWithSales(t, settings{})
	ctx, cancel := context.WithTimeout(t.Context(), 14*time.Second)
	defer cancel()
	failed := 0
	for shard := range w.App.Store.DueShards() {
		if err := payoutopen.Open(w.App)(ctx, fmt.Sprintf(`{"shard":%d}`, shard)); err != nil {
			failed++
		}
	}
	if failed == 0 {
		t.Error("got no error, want one of the shard that has something due")
	}
	want(t, "of calls without time", w.DrainQueues(), 0)
	want(t, "the next tick", tick(t, w), 1)
}

// TestOpen_InvalidMessage checks that an invalid message is dropped, since after an error it would come again forever.
func TestOpen_InvalidMessage(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	for _, body := range []string{"", "[]", "{}", `{"shard":-1}`, `{"shard":"1"}`, `{"shard":1,"after":"x"}`} {
		before := len(w.Logs.String())
		if err := payoutopen.Open(w.App)(t.Context(), body); err != nil {
			t.Errorf("%s: got error %v, want none", body, err)
		}
		if said := w.Logs.String()[before:]; !strings.Contains(said, "dropped") {
			t.Errorf(`%s: got log %q, want "dropped" in it`, body, said)
		}
	}
}

// TestOpen_ProcessDies checks a process that dies while it opens a shard. The repeated message opens the rest of the
// shard, and no payout twice.
func TestOpen_ProcessDies(t *testing.T) {
	t.Parallel()
	w := newWorldWithSales(t, settings{}, settings{}, settings{})
	w.Tick("payoutplan")
	dying := w.Process()
	dying.Steps.Inject(faults.Times(1, "TransactWriteItems", faults.DieAfter)) // dies after it opened a payout
	_, _ = dying.DrainQueues(t.Context())
	if !dying.Steps.Gone() {
		t.Errorf("got steps %v, want the process dead after it opened a payout", dying.Steps.Taken())
	}
	w.Clock.Advance(functions.PayoutShards.Visibility)
	w.DrainQueues()
	for _, wait := range []time.Duration{payout.RunsBy, 15 * time.Minute} {
		w.Clock.Advance(wait)
		tick(t, w)
	}
	if paid := w.CountItems("sk = ? AND 'status' = ?", "PAYOUT", payout.Paid); paid != 3 {
		t.Errorf("got %d payouts paid, want 3", paid)
	}
}

// TestOpen_SeveralCalls checks that calls follow each other until all payouts of a large shard are opened, each once.
func TestOpen_SeveralCalls(t *testing.T) {
	enginetest.InMemory(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const shops = 17 // one shard has five of the shops, and four are opened at a time
		w := newWorldWithSales(t, slices.Collect(func(yield func(settings) bool) {
			for range shops {
				yield(settings{})
			}
		})...)
		w.Main().Steps.Slow(faults.Latency{Table: time.Second, Transaction: time.Second, Queue: time.Second})
		for shard := range w.App.Store.DueShards() {
			ctx, cancel := context.WithTimeout(t.Context(), 17*time.Second) // no merchant begins in the last 15 s
			reply, err := w.Main().Invoke(ctx, "payoutopen", fmt.Appendf(nil,
				`{"Records":[{"messageId":"1","body":"{\"shard\":%d}"}]}`, shard))
			cancel()
			if err != nil || string(reply) != `{"batchItemFailures":[]}` {
				t.Errorf("got reply %s, error %v; want no failures", reply, err)
			}
		}
		if n := w.DrainQueues(); n <= shops {
			t.Errorf("got %d messages, want more than one for each of %d payouts", n, shops)
		}
		if opened := w.CountItems("sk = ?", "PAYOUT"); opened != shops {
			t.Errorf("got %d payouts, want %d", opened, shops)
		}
	})
}
