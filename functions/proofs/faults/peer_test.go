package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

// peerCards are cards of seahaven-stripe-world: three that it accepts, and one that it declines.
var peerCards = []string{stripetest.PlainCard, stripetest.PlainCard, stripetest.PlainCard, stripetest.UnfundedCard}

// TestLivePayments_Seahaven sells at seahaven-stripe-world through the whole platform. The network loses, repeats and
// delays requests, processes die at any step, and some checkouts are cancelled meanwhile. Five minutes later, each
// payment and refund must have the same outcome here and there, and a reconciliation must find nothing.
func TestLivePayments_Seahaven(t *testing.T) {
	t.Parallel()
	p, many := newPeerShop(t)
	p.createSales(many)
	p.each(p.pay)
	p.settle()
	p.each(p.refundSome)
	p.settle()
	paid, refunded := p.compare()
	t.Logf("%d paid, %d refunded", paid, refunded)
	if r := p.Reconcile(); r.Found != 0 || r.Movements != paid+refunded || paid < many/3 || refunded == 0 {
		t.Errorf("got %+v, want no breaks, and %d movements", r, paid+refunded)
	}
}

// peerShop is a live shop at seahaven-stripe-world.
type peerShop struct {
	world.Shop
	peer   *stripetest.Seahaven
	faulty atomic.Bool    // the network has faults
	late   sync.WaitGroup // requests that arrive late
	idle   chan *world.Process
	sales  []sale
}

// sale is a checkout as its client knows it.
type sale struct {
	checkout string
	cents    int
	Status   string
	Sold     []world.Payment `json:"transactions"`
}

func newPeerShop(t *testing.T) (p *peerShop, charges int) {
	peer, charges := stripetest.StartSeahaven(t)
	p = &peerShop{Shop: world.NewShop(t), peer: peer, idle: make(chan *world.Process, 100)}
	p.Clock.Advance(time.Since(clock.Start)) // seahaven-stripe-world has the real time
	p.GoLiveWith(stripetest.Start(t, stripetest.Serve(faults.RoundTrip(p.carry))))
	p.Shop = p.NewLiveShop()
	return p, charges
}

var errLost = errors.New("lost")

// carry carries a request to seahaven-stripe-world.
func (p *peerShop) carry(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	send := func() (*http.Response, error) {
		sent := r.Clone(context.WithoutCancel(r.Context()))
		sent.Body = io.NopCloser(bytes.NewReader(body))
		return p.peer.RoundTrip(sent)
	}
	lose := func() error { // sends the request, and loses the answer
		answer, err := send()
		if err == nil {
			answer.Body.Close()
		}
		return err
	}
	if !p.faulty.Load() {
		return send()
	}
	switch n := rand.IntN(100); {
	case n < 10:
		return nil, errLost
	case n < 20:
		return nil, errors.Join(errLost, lose())
	case n < 25:
		if err := lose(); err != nil {
			return nil, err
		}
	case n < 30:
		p.late.Go(func() {
			time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
			_ = lose()
		})
		return nil, errLost
	}
	return send()
}

// each calls do for the number of each sale, eight at a time, over a network with faults.
func (p *peerShop) each(do func(number int)) {
	p.faulty.Store(true)
	defer p.faulty.Store(false)
	var begun atomic.Int64
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for n := int(begun.Add(1)) - 1; n < len(p.sales); n = int(begun.Add(1)) - 1 {
				do(n)
			}
		})
	}
	workers.Wait()
	p.late.Wait()
}

// send sends a request through a process that has faults, and sometimes dies. No other request uses the process at the
// same time.
func (p *peerShop) send(r world.Request) {
	var process *world.Process
	select {
	case process = <-p.idle:
	default:
		process = p.Process()
	}
	death, step := rand.IntN(60), 0
	process.Steps.Inject(func(string) faults.Fault {
		step++
		switch n := rand.IntN(40); {
		case step == death:
			return faults.DieAfter
		case n < 4:
			return faults.Plannable[n]
		}
		return faults.None
	})
	r.APIKey = p.Merchant.Key.Plaintext
	process.DoUnchecked(r)           // a busy machine may end a function, and API Gateway then answers
	p.Clock.Advance(time.Second / 4) // each process takes a part of the rate limits
	if process.Steps.Gone() {
		process.Stop()
	} else {
		p.idle <- process
	}
}

// createSales creates the checkouts, each with another amount.
func (p *peerShop) createSales(many int) {
	for number := range many {
		cents := 100 + number
		checkout := p.Create(fmt.Sprintf("%d.%02d", cents/100, cents%100), nil)
		p.sales = append(p.sales, sale{checkout: checkout, cents: cents})
	}
}

// pay processes a checkout by one or two processes. Another process may cancel it meanwhile.
func (p *peerShop) pay(number int) {
	path, card := "/v0.1/checkouts/"+p.sales[number].checkout, p.Card(peerCards[rand.IntN(len(peerCards))])
	var calls sync.WaitGroup
	for range 1 + rand.IntN(2) {
		calls.Go(func() { p.send(world.Request{Method: "PUT", Path: path, Body: card}) })
	}
	if rand.IntN(6) == 0 {
		calls.Go(func() { p.send(world.Request{Method: "DELETE", Path: path}) })
	}
	calls.Wait()
}

// refundSome refunds a third of the payments, each by two processes.
func (p *peerShop) refundSome(number int) {
	if s := p.sales[number]; s.Status == "PAID" && number%3 == 0 {
		id := s.Sold[len(s.Sold)-1].ID
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() { p.send(world.Request{Method: "POST", Path: "/v0.1/me/refund/" + id}) })
		}
		calls.Wait()
	}
}

// settle lets five minutes pass, and reads the checkouts.
func (p *peerShop) settle() {
	for range 5 {
		p.Clock.Advance(time.Minute)
		p.Tick("sweep")
		p.DrainQueues()
	}
	for n, s := range p.sales {
		if err := p.Checkout(s.checkout).Into(&p.sales[n]); err != nil {
			p.Fatal(err)
		}
	}
}

// compare checks that each paid checkout has one succeeded intent with its amount, and no other checkout has one. A
// refunded payment must have one refund. It returns the numbers of payments and refunds.
func (p *peerShop) compare() (paid, refunded int) {
	intents, returns := p.read("payment_intents"), p.read("refunds")
	for _, s := range p.sales {
		want := ""
		switch s.Status {
		case "PAID":
			paid++
			want = fmt.Sprint(s.cents)
		case "PENDING", "FAILED", "EXPIRED": // a client may not have got through at all
		default:
			p.Errorf("got checkout %+v, want an outcome", s)
		}
		if got := strings.Join(intents[s.checkout], " "); got != want {
			p.Errorf("got checkout %+v with paid intents of %q, want %q", s, got, want)
		}
		want = ""
		if s.Status == "PAID" && p.Transaction("id="+s.Sold[len(s.Sold)-1].ID).Text("simple_status") == "REFUNDED" {
			refunded++
			want = fmt.Sprint(s.cents)
		}
		if got := strings.Join(returns[s.checkout], " "); got != want {
			p.Errorf("got checkout %+v with refunds of %q, want %q", s, got, want)
		}
		for _, t := range s.Sold {
			if t.Status == "PENDING" {
				p.Errorf("got checkout %+v, want no open payment", s)
			}
		}
	}
	return paid, refunded
}

// read returns the amounts of the succeeded objects of a kind, by their checkouts.
func (p *peerShop) read(kind string) map[string][]string {
	all, err := p.peer.All(p.Context(), kind, clock.Start)
	if err != nil {
		p.Fatal(err)
	}
	amounts := map[string][]string{}
	for _, o := range all {
		if o["status"] == "succeeded" {
			checkout := o["metadata"].(stripetest.Object)["checkout"].(string)
			amounts[checkout] = append(amounts[checkout], fmt.Sprint(o["amount"]))
		}
	}
	return amounts
}
