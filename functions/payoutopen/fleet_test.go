package payoutopen_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/functions/payoutopen"
	"github.com/cashwrap/cashwrap/functions/payoutplan"
	"github.com/cashwrap/cashwrap/functions/payoutrun"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// TestPayouts_PaidOnceDespiteFaults runs the payout functions for two hours with faults. Calls fail, are throttled or
// lose their replies; functions are killed, messages come twice, and ticks are missed or doubled. Each shard also has
// merchants whose payouts cannot be opened. Each shard has so many merchants that its walks take leases. Calls have so
// little time that further messages must continue the walks. The simulator's months never need such messages. So many
// ticks for so many merchants take seconds of real time.
func TestPayouts_PaidOnceDespiteFaults(t *testing.T) {
	enginetest.InMemory(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const shops = 56 // spread over four shards
		w := newWorldWithSales(t, slices.Repeat([]settings{{}}, shops)...)
		for i := range 2 * w.App.Store.DueShards() {
			nobody := identity.Tenant{Mode: identity.Test, Merchant: fmt.Sprintf("MC0000000%d", i)}
			if err := w.App.Store.OpenPayout(t.Context(), nobody, merchant.PayoutSchedule{NextAt: world.Start},
				nil); err != nil {
				t.Fatal(err)
			}
		}
		f := newFleet(t, w)
		f.run(2 * time.Hour)
		f.calm()
		f.run(3 * time.Hour)
		if opened := w.CountItems("sk = ?", "PAYOUT"); opened != shops {
			t.Errorf("got %d payouts, want one of each of %d shops", opened, shops)
		}
		if paid := w.CountItems("sk = ? AND 'status' = ?", "PAYOUT", payout.Paid); paid != shops {
			t.Errorf("got %d payouts paid, want %d", paid, shops)
		}
		if f.killed == 0 || f.repeated == 0 || f.chained == 0 {
			t.Errorf("got %d calls killed, %d messages repeated and %d walks that went on, want some of each", f.killed,
				f.repeated, f.chained)
		}
	})
}

// fleet runs the functions of payouts over a network with faults.
type fleet struct {
	*world.World
	app      *app.App
	messages *sqs.Client // over a network without faults
	random   *rand.Rand

	mu                        sync.Mutex
	quiet                     bool
	killed, repeated, chained int
}

func newFleet(t *testing.T, w *world.World) *fleet {
	t.Helper()
	f := &fleet{World: w, random: rand.New(rand.NewPCG(1, 1))}
	config, err := app.FromEnvironment(func(name string) string { return w.Main().Environment()[name] }, app.Secrets...)
	if err != nil {
		t.Fatal(err)
	}
	reliable := w.App.AWS("")
	f.app = app.New(config, app.Overrides{Now: w.Clock.Now, WallNow: w.Clock.Now, Credentials: reliable.Credentials,
		HTTP: &http.Client{Transport: f.network(reliable.HTTPClient)}, Log: slog.New(slog.DiscardHandler)})
	f.messages = sqs.NewFromConfig(w.App.AWS(config.SQSEndpoint))
	return f
}

// drawFault returns true with the given probability, and then increments the counter. After calm it always returns
// false.
func (f *fleet) drawFault(probability float64, counter *int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.quiet || f.random.Float64() >= probability {
		return false
	}
	*counter++
	return true
}

// upTo returns a random duration below d.
func (f *fleet) upTo(d time.Duration) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Duration(f.random.Int64N(int64(d)))
}

func (f *fleet) calm() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.quiet = true
}

// network returns a slow network, so that a walk runs out of time before the end of its shard.
func (f *fleet) network(next aws.HTTPClient) http.RoundTripper {
	var lost int
	return faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
		select {
		case <-time.After(f.upTo(3 * time.Second / 2)):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		switch {
		case f.drawFault(0.02, &lost):
			return nil, faults.ErrNetwork
		case f.drawFault(0.02, &lost):
			return faults.Refusal(r, faults.Throttle), nil
		}
		response, err := next.Do(r)
		if err == nil && f.drawFault(0.02, &lost) {
			return nil, errors.Join(faults.ErrNetwork, response.Body.Close())
		}
		return response, err
	})
}

func (f *fleet) run(d time.Duration) {
	ctx, cancel := context.WithCancel(f.Context())
	var group sync.WaitGroup
	open, run, plan := f.app.Queue(payoutopen.Open), f.app.Queue(payoutrun.Run), payoutplan.Tick(f.app)
	for range 6 {
		group.Go(func() { f.consume(ctx, f.app.PayoutShardQueue, 1, 19*time.Second, open) })
		group.Go(func() { f.consume(ctx, f.app.PayoutQueue, 2, time.Minute, run) })
	}
	const step = 10 * time.Second
	var odd int
	for passed := time.Duration(0); passed < d; passed += step {
		for passed%(15*time.Minute) == 0 && !f.drawFault(0.2, &odd) { // some ticks are missed, some doubled
			group.Go(func() { _ = plan(ctx) })
			if !f.drawFault(0.3, &odd) {
				break
			}
		}
		time.Sleep(step)
		f.Clock.Advance(step)
	}
	cancel()
	group.Wait()
}

// consume makes the function handle the queue's messages, as Lambda does.
func (f *fleet) consume(ctx context.Context, queue string, batch int32, timeout time.Duration, handle app.QueueEvent) {
	for ctx.Err() == nil {
		out, err := f.messages.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &queue, MaxNumberOfMessages: batch})
		if err != nil || len(out.Messages) == 0 {
			time.Sleep(10 * time.Second)
			continue
		}
		var event events.SQSEvent
		for _, m := range out.Messages {
			event.Records = append(event.Records, events.SQSMessage{MessageId: *m.MessageId, Body: *m.Body})
		}
		call, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		killed := f.drawFault(0.15, &f.killed)
		if killed {
			time.AfterFunc(f.upTo(timeout), cancel)
		}
		reply, err := handle(call, event)
		cancel()
		if err != nil {
			f.Error(err)
		}
		for _, m := range out.Messages {
			if killed || slices.ContainsFunc(reply.BatchItemFailures, func(failed events.SQSBatchItemFailure) bool {
				return failed.ItemIdentifier == *m.MessageId
			}) || f.drawFault(0.1, &f.repeated) {
				continue
			}
			f.delete(context.WithoutCancel(ctx), queue, m)
		}
	}
}

func (f *fleet) delete(ctx context.Context, queue string, m types.Message) {
	f.mu.Lock()
	if strings.Contains(*m.Body, `"after"`) {
		f.chained++
	}
	f.mu.Unlock()
	if _, err := f.messages.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &queue,
		ReceiptHandle: m.ReceiptHandle}); err != nil {
		f.Error(err)
	}
}
