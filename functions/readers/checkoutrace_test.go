package readers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// runToEnd runs the platform until after the deadline. By then two sweeps have found every open item.
func (c till) runToEnd() {
	for range 2 {
		c.Clock.Advance(3 * time.Minute)
		c.RunUntilIdle()
	}
}

// wantOneOf checks that a checkout has exactly one of the fates.
func wantOneOf(c till, checkout, try string, fates ...fate) {
	c.Helper()
	got := c.readFate(checkout)
	if !slices.ContainsFunc(fates, func(f fate) bool {
		return f.status == got.status && f.captured == got.captured && f.callbacks == got.callbacks &&
			len(got.records) == 1 && got.records[recordOf[f.status]] == 1
	}) {
		c.Errorf("%s: got %+v, want one of %+v", try, got, fates)
	}
}

var recordOf = map[string]string{"successful": "SUCCESSFUL", "failed": "FAILED", "cancelled": "CANCELLED"}

// TestTerminateReaderCheckout_EachState checks that a termination stops a checkout only while it waits for the
// cardholder (contract §13.7, §13.9).
func TestTerminateReaderCheckout_EachState(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	accepted := func() {
		t.Helper()
		got := c.Terminate()
		if got.Status != 202 || len(got.Body) != 0 || got.Header.Get("Content-Length") != "0" {
			t.Errorf("got %d %q %v, want an empty 202", got.Status, got.Body, got.Header)
		}
	}
	accepted() // the reader is idle
	waiting := c.Begin(1010)
	accepted()
	accepted()
	wantFate(c, waiting, stopped)
	second := c.Begin(1010)
	c.Clock.Advance(pays)
	accepted() // the cardholder has paid
	wantFate(c, second, paid)
	accepted() // the checkout has ended
	c.runToEnd()
	wantFate(c, waiting, stopped)
	wantFate(c, second, paid)
}

// TestTerminateReaderCheckout_FaultAtEachStep lets faults happen at each step of a termination, which is sent before or
// after the cardholder pays. It checks that the checkout is either paid or terminated, and never both.
func TestTerminateReaderCheckout_FaultAtEachStep(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{"waiting": time.Second, "paid": pays} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTill(t)
			c.Attempts(6, func(try string, send func(world.Request) world.Response) {
				checkout := c.Begin(1010)
				c.Clock.Advance(after)
				send(world.Request{Method: "POST", Path: c.Path("/terminate")})
				c.Clock.Advance(pays)
				c.runToEnd()
				wantOneOf(c, checkout, try, paid, stopped)
			})
		})
	}
}

// TestTerminateReaderCheckout_ConcurrentPayment sends many requests to read and to terminate while the cardholder pays.
func TestTerminateReaderCheckout_ConcurrentPayment(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	for range 5 {
		checkout := c.Begin(1010)
		c.Clock.Advance(pays)
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.DoConcurrently(4, world.Request{Method: "GET", Path: c.Path("/checkout/" + checkout)})
		}()
		c.DoConcurrently(4, world.Request{Method: "POST", Path: c.Path("/terminate")})
		<-done
		c.runToEnd()
		wantOneOf(c, checkout, "at once", paid, stopped)
	}
}

// TestCreateReaderCheckout_EachFault lets each call to table, terminal and acquirer fail in each way. The client
// repeats the request. The cardholder is charged at most once, and the reader is free at the end.
func TestCreateReaderCheckout_EachFault(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	c.Attempts(8, func(try string, send func(world.Request) world.Response) {
		request := c.SaleRequest(1010)
		request.Header = map[string]string{"Idempotency-Key": try}
		got := send(request)
		if got.Status != 201 {
			c.Clock.Advance(61 * time.Second) // until the first request no longer counts as running
			got = c.Do(request)
		}
		c.Clock.Advance(pays)
		c.runToEnd()
		if got.Status == 201 {
			wantOneOf(c, got.Text("data.checkout_id"), try, paid, forgotten, stopped)
		} else if got.Status != 422 {
			t.Errorf("%s: got %d %s, want 201 or 422", try, got.Status, got.Body)
		}
	})
	wantPayments(c)
	c.Begin(1010)
}

// wantPayments checks that each callback reports a different payment.
func wantPayments(c till) {
	c.Helper()
	counted := map[string]int{}
	for _, d := range c.Receiver.Deliveries() {
		if counted[d.Reader.Payload.TransactionID]++; counted[d.Reader.Payload.TransactionID] > 1 {
			c.Errorf("got %+v again, want one callback for each payment", d.Reader.Payload)
		}
	}
}

// TestReaderCheckout_NeverOffered checks a checkout that the terminal did not get, because the offer was lost. The
// checkout ends after two minutes, and can no longer be paid.
func TestReaderCheckout_NeverOffered(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	c.Begin(1010)
	c.Clock.Advance(pays)
	p, counted := c.Process(), c.Process()
	counted.Steps.Plan(0, faults.None)
	counted.Do(c.SaleRequest(1010))
	offer := slices.Index(counted.Steps.Taken(), "Offer") + 1
	c.Clock.Advance(pays)
	p.Steps.Plan(offer, faults.FailBefore)
	made := p.Do(c.SaleRequest(1010))
	checkout := made.Text("data.checkout_id")
	if steps := p.Steps.Taken(); made.Status != 201 || offer == 0 || len(steps) < offer || steps[offer-1] != "Offer" {
		t.Fatalf("got %d %s after %v, want 201 and Offer lost", made.Status, made.Body, steps)
	}
	wantFate(c, checkout, waits)
	c.Clock.Advance(110 * time.Second)
	wantFate(c, checkout, waits)
	c.runToEnd()
	wantFate(c, checkout, forgotten)
	c.Begin(1010)
}

// TestReaderCheckout_Access checks that a checkout cannot be read by other merchants or at other readers. A person who
// sees only the person's own checkouts can neither read nor terminate another person's checkout.
func TestReaderCheckout_Access(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	checkout := c.Begin(1010)
	other := tillOf(c.OtherShop(), "TILL0002")
	noSale.Check(t, other.Read(checkout))
	second := tillOf(c.Shop, "TILL0003")
	noSale.Check(t, second.Read(checkout))
	noSale.Check(t, c.Read("2b7e1516-28ae-4a6f-9c15-88d1f0c2a3b4"))
	noSale.Check(t, c.Read(c.Create("10.10", nil))) // an online checkout

	clerk := till{world.CardReader{ID: c.ID,
		Shop: c.WithKey(c.TokenOf(c.Employ("clerk@example.com", member.Permissions{})))}}
	noSale.Check(t, clerk.Read(checkout))
	wantRefusal(t, clerk.Terminate(), noSale, "")
	wantFate(c, checkout, paid)
	own := clerk.Begin(1010)
	clerk.Want("its own", 200, clerk.Read(own))
	clerk.Want("its own", 202, clerk.Terminate())
	wantFate(c, own, stopped)
}

// TestDeleteReader_AnothersCheckout deletes a reader as a person who may not see the reader's open checkout. The
// request is refused, and changes neither the checkout nor the pairing.
func TestDeleteReader_AnothersCheckout(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	with := func(p member.Permissions, email string) world.Shop { return c.WithKey(c.TokenOf(c.Employ(email, p))) }
	clerk := with(member.Permissions{}, "clerk@example.com")
	accountant := with(member.Permissions{FullTransactionHistoryView: true}, "books@example.com")
	checkout := c.Begin(1010)
	noSale.Check(t, clerk.Send("DELETE", c.Path(""), nil))
	wantFate(c, checkout, waits)
	if got := c.Send("GET", c.Path("/status"), nil); got.Text("data.status") != "ONLINE" {
		t.Errorf("status after the refusal: got %s, want ONLINE", got.Body)
	}
	accountant.Want("with the permission", 200, accountant.Send("DELETE", c.Path(""), nil))
	if got := c.CheckoutRecords(checkout); got.Captured != 0 {
		t.Errorf("captured: got %d, want 0", got.Captured)
	}
}

// TestDeleteReader_OwnCheckout deletes a reader as the person who created the reader's open checkout. The deletion
// cancels the checkout.
func TestDeleteReader_OwnCheckout(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	clerk := till{world.CardReader{ID: c.ID,
		Shop: c.WithKey(c.TokenOf(c.Employ("clerk@example.com", member.Permissions{})))}}
	own := clerk.Begin(1010)
	if got := clerk.Send("DELETE", c.Path(""), nil); got.Status != 200 {
		t.Errorf("got %d %s, want 200", got.Status, got.Body)
	}
	wantFate(c, own, stopped)
}

// TestReaderCheckout_OnlineOperations checks that the operations for online checkouts do not find a reader's checkout,
// neither before nor after the checkout's end.
func TestReaderCheckout_OnlineOperations(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	checkout := c.Begin(1010)
	try := func() {
		t.Helper()
		one := "/v0.1/checkouts/" + checkout
		noSale.Check(t, c.Send("GET", one, nil))
		noSale.Check(t, c.Send("PUT", one, c.Card(world.Frictionless)))
		noSale.Check(t, c.Send("PATCH", one, map[string]any{"amount": 1}))
		noSale.Check(t, c.Send("DELETE", one, nil))
		noSale.Check(t, c.Send("GET", one+"/payment-methods", nil))
		if got := c.Send("GET", "/v0.1/checkouts", nil); string(got.Body) != "[]" {
			t.Errorf("list: got %s, want []", got.Body)
		}
	}
	try()
	wantFate(c, checkout, waits)
	c.Clock.Advance(pays)
	wantFate(c, checkout, paid)
	try()
	wantFate(c, checkout, paid)
}
