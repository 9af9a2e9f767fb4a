package stripe_test

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// batch is the number of charges after which the books are compared.
const batch = 100

// counts are the numbers of outcomes.
type counts struct{ Approved, Declined, Cancelled, NotTaken, Refunds, RefundsCancelled int }

// peer is a server of Stripe's API.
type peer interface {
	http.RoundTripper
	Intent(ctx context.Context, id string) (object, error)
	All(ctx context.Context, kind string, since time.Time) ([]object, error)
	Authenticate(ctx context.Context, id string, success bool) error
}

// history is a batch of charges in an empty table, at a peer without objects.
type history struct {
	*testing.T
	*fixture // a process without faults
	peer     peer
	random   *rand.Rand
	name     string // begins each id, so that no other history has the id
	began    time.Time
	workers  int      // charges at the same time
	cards    []string // that payers use

	put         func(item string) (changed string, applies bool) // changes PutItem; "": answers it without effect
	keepsFailed bool                                             // answer cancellations without effect

	late       sync.WaitGroup // requests that arrive late
	mu         sync.Mutex
	violations []string
	counts     counts
}

func newHistory(t *testing.T, peer peer, seed uint64) *history {
	t.Helper()
	h := &history{T: t, fixture: newFixture(t), peer: peer, random: rand.New(rand.NewPCG(seed, 1)),
		workers: 8, name: crand.Text(), began: time.Now().Add(-5 * time.Minute)}
	h.Acquirer = h.openAt(h.fixture, nil)
	return h
}

func (h *history) violate(format string, values ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.violations = append(h.violations, fmt.Sprintf(format, values...))
}

// run plays the batch, a few charges at a time, and compares the books. It adds the batch's outcomes to total.
func (h *history) run(total *counts) []string {
	h.Helper()
	var group sync.WaitGroup
	room, finals := make(chan struct{}, h.workers), make([]payments.Decision, batch)
	refunded := make([]map[string]payments.Decision, batch)
	for i := range batch {
		room <- struct{}{}
		random := rand.New(rand.NewPCG(h.random.Uint64(), uint64(i)))
		group.Go(func() {
			defer func() { <-room }()
			id := h.id(i)
			finals[i] = h.playCharge(id, random)
			if finals[i] == payments.Approved && random.IntN(2) == 0 {
				refunded[i] = h.playRefunds(id, random)
			}
		})
	}
	group.Wait()
	h.late.Wait()
	h.compare(finals, refunded)
	total.Approved += h.counts.Approved
	total.Declined += h.counts.Declined
	total.Cancelled += h.counts.Cancelled
	total.NotTaken += h.counts.NotTaken
	total.Refunds += h.counts.Refunds
	total.RefundsCancelled += h.counts.RefundsCancelled
	return h.violations
}

// id returns the id of the charge with the number.
func (h *history) id(number int) string { return fmt.Sprintf("%s-%d", h.name, number) }

// playCharge asks for a charge by one to three calls. At the same time, another call may look it up or cancel it. Then
// it asks for the outcome until the outcome is final, as polls do.
func (h *history) playCharge(id string, random *rand.Rand) payments.Decision {
	c := cardCharge(id, h.cards[random.IntN(len(h.cards))], "10")
	c.Card.CVV = secret.New("731") // localstripe takes three digits
	calls := 1 + random.IntN(3)
	var group sync.WaitGroup
	notTaken, early := make([]bool, calls), make([]payments.Outcome, calls+1)
	for i := range calls {
		process := h.newProcess(random)
		group.Go(func() {
			o, err := process.Charge(context.Background(), c)
			notTaken[i], early[i] = errors.Is(err, acquirer.ErrNotTaken), o
			if err == nil && o.Decision == payments.Challenge {
				h.answer(o)
			}
		})
	}
	ask := acquirer.Acquirer.LookUp // as after a notice
	if random.IntN(2) == 0 {
		ask = acquirer.Acquirer.Cancel
	}
	if random.IntN(5) < 2 {
		process, wait := h.newProcess(random), time.Duration(random.IntN(20))*time.Millisecond
		group.Go(func() {
			time.Sleep(wait)
			early[calls], _ = ask(process, context.Background(), id)
		})
	}
	group.Wait()
	final := h.resolve(id, random)
	for _, o := range early {
		if isFinal(o.Decision) && o.Decision != final {
			h.violate("%s: a call answered %s, and later %s", id, o.Decision, final)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !slices.Contains(notTaken, false):
		h.counts.NotTaken++
		if final == payments.Approved {
			h.violations = append(h.violations, id+": approved, although no call was taken")
		}
	case final == payments.Approved:
		h.counts.Approved++
	case final == payments.Declined:
		h.counts.Declined++
	default:
		h.counts.Cancelled++
	}
	return final
}

// answer acts as the payer, who fails one challenge of four.
func (h *history) answer(o payments.Outcome) {
	id := path.Base(o.Step.URL)
	if err := h.peer.Authenticate(context.Background(), id, id[len(id)-1]%4 > 0); err != nil {
		h.Error(err)
	}
}

// resolve returns the final outcome of a charge after all its calls have ended, as processing finds it: a charge that
// nothing can have confirmed is cancelled, and so is a challenge that the payer leaves.
func (h *history) resolve(id string, random *rand.Rand) payments.Decision {
	for try := range 10 {
		o, err := h.LookUp(context.Background(), id)
		if errors.Is(err, acquirer.ErrUnknownCharge) || err == nil && o.Decision == payments.Challenge && try > 0 {
			o, err = h.Cancel(context.Background(), id)
		}
		if err == nil && o.Decision == payments.Challenge && random.IntN(2) == 0 {
			h.answer(o)
		}
		if err == nil && isFinal(o.Decision) {
			return o.Decision
		}
		h.Advance(30 * time.Second)
	}
	h.violate("%s: not resolved", id)
	return payments.OutcomeUnknown
}

// playRefunds makes one or two refunds, each by several calls, with or without a cancellation at the same time.
func (h *history) playRefunds(charge string, random *rand.Rand) map[string]payments.Decision {
	finals := map[string]payments.Decision{}
	for n := range 1 + random.IntN(2) {
		r := acquirer.Refund{ID: fmt.Sprintf("r%d-%s", n, charge), ChargeID: charge, Amount: money.MustParse("4", "EUR")}
		var group sync.WaitGroup
		for range 1 + random.IntN(3) {
			process := h.newProcess(random)
			group.Go(func() { _, _ = process.Refund(context.Background(), r) })
		}
		cancels := random.IntN(5) == 0
		if cancels {
			process, wait := h.newProcess(random), time.Duration(random.IntN(5))*time.Millisecond
			group.Go(func() {
				time.Sleep(wait)
				_, _ = process.CancelRefund(context.Background(), r.ID)
			})
		}
		group.Wait()
		for try := range 10 {
			o, err := h.Refund(context.Background(), r)
			if err == nil && isFinal(o.Decision) {
				finals[r.ID] = o.Decision
				break
			}
			if try == 9 {
				h.violate("%s: not resolved: %+v, %v", r.ID, o, err)
			}
			h.Advance(30 * time.Second)
		}
	}
	return finals
}

// compare compares the peer's objects with the outcomes.
func (h *history) compare(finals []payments.Decision, refunded []map[string]payments.Decision) {
	h.Helper()
	paid, open, returned := map[string]int{}, map[string]int{}, map[string]int{}
	intents, err := h.peer.All(h.Context(), "payment_intents", h.began)
	if err != nil {
		h.Fatal(err)
	}
	refunds, err := h.peer.All(h.Context(), "refunds", h.began)
	if err != nil {
		h.Fatal(err)
	}
	for _, o := range intents {
		id := fmt.Sprint(o["metadata"].(object)["attempt"])
		switch o["status"] {
		case "succeeded":
			paid[id]++
		case "canceled", "requires_confirmation": // an intent that is not pinned stays as it is
		default:
			open[id]++
		}
	}
	for _, o := range refunds {
		returned[fmt.Sprint(o["metadata"].(object)["refund"])]++
	}
	for i, final := range finals {
		id, want := h.id(i), 0
		if final == payments.Approved {
			want = 1
		}
		if paid[id] != want || open[id] != 0 {
			h.violate("%s: %s with %d paid intents and %d open ones", id, final, paid[id], open[id])
		}
		if o, err := h.LookUp(context.Background(), id); isFinal(final) && (err != nil || o.Decision != final) {
			h.violate("%s: %s, and afterwards %s, %v", id, final, o.Decision, err)
		}
		for id, final := range refunded[i] {
			want := 0
			if h.counts.RefundsCancelled++; final == payments.Approved {
				want = 1
				h.counts.RefundsCancelled--
				h.counts.Refunds++
			}
			if returned[id] != want {
				h.violate("%s: %s with %d refunds", id, final, returned[id])
			}
		}
	}
}

// newProcess returns another process on a network with faults. Some processes die.
func (h *history) newProcess(random *rand.Rand) *fixture {
	h.Advance(time.Second)
	process := &fixture{Fixture: h.OtherProcess(), api: h.api}
	source := rand.New(rand.NewPCG(random.Uint64(), 2))
	process.Wire.Send = h.sendToTable
	steps, death := 0, source.IntN(100)
	process.Wire.Inject(func(string) faults.Fault {
		if steps++; steps == death {
			return faults.DieAfter
		}
		switch source.IntN(30) {
		case 0, 1:
			return faults.FailBefore
		case 2, 3:
			return faults.LoseReply
		default:
			return faults.None
		}
	})
	process.Acquirer = h.openAt(process, source)
	return process
}

func isFinal(d payments.Decision) bool {
	return d == payments.Approved || d == payments.Declined || d == payments.Cancelled
}
