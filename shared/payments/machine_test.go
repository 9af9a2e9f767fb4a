package payments_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// machine applies random events to one checkout. Like the store, it overwrites records but never loses any.
type machine struct {
	checkout     payments.Checkout
	now          time.Time
	attempts     []string
	transactions map[string]payments.TransactionStatus
	messages     int
}

// TestCheckout_RandomEvents checks contract §4.5 after events in random order.
func TestCheckout_RandomEvents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newCheckout()
		if rapid.Bool().Draw(t, "no return_url") {
			c.ReturnURL = ""
		}
		if rapid.Bool().Draw(t, "expires") {
			c = validUntil(c, after(time.Duration(rapid.IntRange(1, 120).Draw(t, "valid for"))*time.Minute))
		}
		m := &machine{checkout: c, now: start, transactions: map[string]payments.TransactionStatus{}}
		t.Repeat(map[string]func(*rapid.T){
			"":               m.check,
			"time passes":    m.wait,
			"process":        m.process,
			"process again":  m.processAgain,
			"outcome":        m.settleLatest,
			"old outcome":    m.settleOld,
			"not taken":      m.closeNotTaken,
			"deactivate":     m.deactivate,
			"sweep (expiry)": m.expire,
		})
	})
}

func (m *machine) wait(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(1, 40*60).Draw(t, "seconds")) * time.Second)
}

func (m *machine) process(t *rapid.T) {
	method := rapid.SampledFrom([]payments.Method{payments.CardMethod, payments.IDEAL, payments.Boleto}).Draw(t, "method")
	id := fmt.Sprintf("attempt-%d", len(m.attempts)+1)
	before := snapshot(t, m.checkout)
	next, err := m.checkout.Begin(attemptFor(id, method), payments.Source{}, m.now)
	if got := snapshot(t, m.checkout); got != before {
		t.Fatalf("Begin: got the checkout read altered to %s, want %s", got, before)
	}
	if err != nil {
		return
	}
	if m.isOpen() {
		t.Fatalf("got a second attempt begun beside %s, want a conflict", m.checkout.Attempt.ID)
	}
	if m.checkout.StatusAt(m.now) != m.checkout.Status || next.Status != m.checkout.Status {
		t.Fatalf("began an attempt: got %s, then %s, want the checkout to be %s throughout", m.checkout.StatusAt(m.now),
			next.Status, m.checkout.Status)
	}
	m.attempts = append(m.attempts, id)
	m.checkout = next
}

// processAgain cancels an attempt that requires action, as processing does, and begins another.
func (m *machine) processAgain(t *rapid.T) {
	if m.checkout.RequiresAction() && m.checkout.CheckProcessable(payments.Source{}, m.now) == nil {
		m.write(t, m.checkout.CancelAttempt(m.now))
		m.process(t)
	}
}

func (m *machine) settleLatest(t *rapid.T) {
	if m.checkout.Attempt != nil {
		m.settle(t, m.checkout.Attempt.ID)
	}
}

func (m *machine) settleOld(t *rapid.T) {
	if len(m.attempts) > 1 {
		m.settle(t, rapid.SampledFrom(m.attempts[:len(m.attempts)-1]).Draw(t, "old attempt"))
	}
}

func (m *machine) settle(t *rapid.T, id string) {
	d := rapid.SampledFrom([]payments.Decision{payments.Approved, payments.Declined, payments.Challenge,
		payments.Voucher, payments.OutcomeUnknown, payments.Cancelled}).Draw(t, "decision")
	change, ok := m.checkout.Settle(id, payments.Outcome{Decision: d}, m.newMessageID(),
		payments.Session{TokenHash: "hash"}, m.now)
	if !ok {
		return
	}
	if !m.isOpen() || m.checkout.Attempt.ID != id {
		t.Fatalf("%s of %s: got a change, want none, because it is not open: %+v", d, id, m.checkout.Attempt)
	}
	m.write(t, change)
}

func (m *machine) closeNotTaken(t *rapid.T) {
	if m.checkout.Attempt == nil {
		return
	}
	if change, ok := m.checkout.CloseNotTaken(m.checkout.Attempt.ID); ok {
		if got := m.transactions[m.checkout.Attempt.ID]; got != "" {
			t.Fatalf("not taken: got a transaction that is %s, want none", got)
		}
		m.write(t, change)
	}
}

func (m *machine) deactivate(t *rapid.T) {
	if change, err := m.checkout.Deactivate(m.newMessageID(), m.now); err == nil {
		m.write(t, change)
	}
}

func (m *machine) expire(t *rapid.T) {
	change, ok := m.checkout.Expire(m.newMessageID(), m.now)
	if ok != (m.checkout.StatusAt(m.now) == payments.CheckoutExpired && m.checkout.Status != payments.CheckoutExpired) {
		t.Fatalf("got expired %t, want %t: readers see %s for %s", ok, !ok, m.checkout.StatusAt(m.now), m.checkout.Status)
	}
	if ok {
		m.write(t, change)
	}
}

func (m *machine) newMessageID() string {
	m.messages++
	return fmt.Sprintf("msg_%d", m.messages)
}

func (m *machine) isOpen() bool {
	return m.checkout.Attempt != nil && m.checkout.Attempt.State != payments.AttemptClosed
}

// write checks a change's money and adopts the change.
func (m *machine) write(t *rapid.T, change payments.CheckoutChange) {
	was, is := m.checkout, change.Checkout
	if was.Status != is.Status && (was.Status == payments.CheckoutPaid || was.Status == payments.CheckoutExpired) {
		t.Fatalf("got status %s, want %s still", is.Status, was.Status)
	}
	if tx := change.Transaction; tx != nil {
		if old := m.transactions[tx.ID]; old != "" && old != payments.TransactionPending {
			t.Fatalf("transaction %s: got it written as %s, want %s still", tx.ID, tx.Status, old)
		}
		if latest := m.attempts[len(m.attempts)-1]; tx.ID != latest {
			t.Fatalf("got transaction %s written, want that of the latest attempt, %s", tx.ID, latest)
		}
		m.transactions[tx.ID] = tx.Status
	}
	m.checkCallback(t, was, change)
	m.checkout = is
}

// checkCallback checks that a change has a callback only if the checkout has a ReturnURL. The change must also set a
// new status other than PENDING, or write a SUCCESSFUL or FAILED transaction. Other changes have no callback.
func (m *machine) checkCallback(t *rapid.T, was payments.Checkout, change payments.CheckoutChange) {
	is, written := change.Checkout, statusOf(change.Transaction)
	notified := is.Status != was.Status && is.Status != payments.CheckoutPending ||
		written == payments.TransactionSuccessful || written == payments.TransactionFailed
	if wanted := notified && is.ReturnURL != ""; wanted != (change.Callback != nil) {
		t.Fatalf("%s to %s, transaction %q: got callback %+v, want one: %t", was.Status, is.Status, written,
			change.Callback, wanted)
	}
	if cb := change.Callback; cb != nil && (cb.Status != is.Status || cb.CheckoutID != is.ID ||
		cb.State != outbox.Pending) {
		t.Fatalf("got callback %+v, want %s of %s, %s", cb, is.Status, is.ID, outbox.Pending)
	}
}

// check checks the invariants after every event.
func (m *machine) check(t *rapid.T) {
	c := m.checkout
	successful := 0
	for id, status := range m.transactions {
		if status == payments.TransactionSuccessful {
			successful++
		}
		if status == payments.TransactionPending && (!m.isOpen() || c.Attempt.ID != id) {
			t.Fatalf("transaction %s: got it %s with the attempt %+v, want an open attempt of it", id, status, c.Attempt)
		}
	}
	if want := map[bool]int{true: 1}[c.Status == payments.CheckoutPaid]; successful != want {
		t.Fatalf("%s: got %d successful transactions, want %d", c.Status, successful, want)
	}
	if final, ok := c.SuccessfulTransaction(); ok != (c.Status == payments.CheckoutPaid) ||
		(ok && m.transactions[final.ID] != payments.TransactionSuccessful) {
		t.Fatalf("%s: got successful transaction %+v, %t, written as %q, want %t", c.Status, final, ok,
			m.transactions[final.ID], c.Status == payments.CheckoutPaid)
	}
	for _, shown := range c.Transactions {
		if shown.Status != m.transactions[shown.ID] {
			t.Fatalf("transaction %s: got it shown as %s, want %s", shown.ID, shown.Status, m.transactions[shown.ID])
		}
	}
	if len(c.Transactions) != min(len(m.transactions), 100) || len(c.AttemptStarts) > 50 {
		t.Fatalf("got %d transactions shown, %d starts, want %d of 100 at most, 50 at most", len(c.Transactions),
			len(c.AttemptStarts), len(m.transactions))
	}
	if m.isOpen() && (c.Status == payments.CheckoutPaid || c.Status == payments.CheckoutExpired) {
		t.Fatalf("%s: got attempt %+v, want it closed", c.Status, c.Attempt)
	}
	payable := c.Status == payments.CheckoutPending || c.Status == payments.CheckoutFailed
	if wakes := m.isOpen() || (payable && c.ValidUntil != nil); wakes == c.DueAt().IsZero() {
		t.Fatalf("%s, attempt %+v: got wake at %s, want a time: %t", c.Status, c.Attempt, c.DueAt(), wakes)
	}
}
