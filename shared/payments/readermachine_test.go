package payments_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// readerMachine applies random events to one checkout at a reader. Its acquirer knows the truth: the terminal's charge
// or code, the payment of the code, and an earlier cancellation.
type readerMachine struct {
	checkout  payments.Checkout
	pix       bool
	now       time.Time
	acquirer  payments.Decision // Challenge: the acquirer knows no charge
	callbacks []payments.Callback
	written   []payments.TransactionStatus
	notTaken  bool // the terminal was offline and never charges
}

// TestCheckout_RandomEventsAtReader checks that a checkout at a reader ends as the acquirer says, with one transaction
// and one callback, after events in random order.
func TestCheckout_RandomEventsAtReader(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &readerMachine{checkout: atReader(), now: start, acquirer: payments.Challenge, pix: rapid.Bool().Draw(t, "pix")}
		if m.pix {
			m.checkout = pixAtReader()
		}
		t.Repeat(map[string]func(*rapid.T){
			"":                   m.check,
			"time passes":        m.wait,
			"the terminal pays":  m.charge,
			"an unknown one":     m.decide,
			"the code is paid":   m.payCode,
			"poll":               m.poll,
			"terminate, timeout": m.cancel,
			"offline":            m.goOffline,
			"sweep (expiry)":     m.expire,
		})
	})
}

func (m *readerMachine) wait(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(1, 300).Draw(t, "seconds")) * time.Second)
}

// charge makes the terminal's charge. The acquirer refuses a charge that was cancelled, and any second charge.
func (m *readerMachine) charge(t *rapid.T) {
	if m.acquirer == payments.Challenge && !m.notTaken {
		m.acquirer = rapid.SampledFrom(append(m.decisions(), payments.OutcomeUnknown)).Draw(t, "decision")
	}
}

func (m *readerMachine) decide(t *rapid.T) {
	if m.acquirer == payments.OutcomeUnknown {
		m.acquirer = rapid.SampledFrom(m.decisions()).Draw(t, "decision")
	}
}

// decisions returns the acquirer's possible answers to a terminal.
func (m *readerMachine) decisions() []payments.Decision {
	if m.pix {
		return []payments.Decision{payments.Voucher, payments.Approved, payments.Declined}
	}
	return []payments.Decision{payments.Approved, payments.Declined}
}

// payCode pays the code, unless the acquirer has cancelled it.
func (m *readerMachine) payCode(*rapid.T) {
	if m.acquirer == payments.Voucher {
		m.acquirer = payments.Approved
	}
}

// poll asks the acquirer, and cancels a code whose deadline has passed.
func (m *readerMachine) poll(t *rapid.T) {
	if m.acquirer == payments.Voucher && m.checkout.AttemptOpen() &&
		m.checkout.Attempt.DeadlinePassed(payments.Outcome{Decision: m.acquirer}, m.now) {
		m.acquirer = payments.Cancelled
	}
	if m.acquirer == payments.Challenge || m.acquirer == payments.Cancelled {
		m.settle(t, payments.Outcome{Decision: m.acquirer})
		return
	}
	if m.pix {
		m.settle(t, byCode(m.acquirer))
	} else {
		m.settle(t, byCard(m.acquirer))
	}
}

// cancel cancels the charge at the acquirer, unless the acquirer already has the charge. The process may be cut off
// before it records the answer.
func (m *readerMachine) cancel(t *rapid.T) {
	if !m.checkout.WaitsAtReader() {
		return
	}
	if m.acquirer == payments.Challenge || m.acquirer == payments.Voucher {
		m.acquirer = payments.Cancelled
	}
	if rapid.Bool().Draw(t, "cut off") {
		return
	}
	m.poll(t)
}

func (m *readerMachine) goOffline(t *rapid.T) {
	if m.acquirer != payments.Challenge {
		return // the terminal has got the checkout, or the charge was cancelled
	}
	change, ok := m.checkout.CloseNotTaken("attempt-1")
	if ok {
		m.notTaken = true
		m.write(t, change)
	}
}

func (m *readerMachine) expire(t *rapid.T) {
	if change, ok := m.checkout.Expire("msg", m.now); ok {
		t.Fatalf("got %+v, want a checkout at a reader never to expire", change)
	}
}

func (m *readerMachine) settle(t *rapid.T, o payments.Outcome) {
	before, ended := snapshot(t, m.checkout), !m.checkout.AttemptOpen()
	change, ok := m.checkout.Settle("attempt-1", o, fmt.Sprint("msg_", len(m.callbacks)), payments.Session{}, m.now)
	if got := snapshot(t, m.checkout); got != before {
		t.Fatalf("got the checkout read altered to %s, want %s", got, before)
	}
	if ok == ended {
		t.Fatalf("%s: got a change %t, want one unless it has ended: %t", o.Decision, ok, ended)
	}
	if ok {
		m.write(t, change)
	}
}

func (m *readerMachine) write(t *rapid.T, change payments.CheckoutChange) {
	if tx := change.Transaction; tx != nil {
		m.written = append(m.written, tx.Status)
		if m.pix != (tx.EntryMode == "QR_CODE_PIX") || m.pix && tx.Card != nil {
			t.Fatalf("pix %t: got entry mode %s, card %+v", m.pix, tx.EntryMode, tx.Card)
		}
		if paid := tx.Status == payments.TransactionSuccessful; paid != (change.Entry != nil) ||
			paid != (len(change.Payables) > 0) {
			t.Fatalf("%s: got entry %v, payables %v, want them for a successful one", tx.Status, change.Entry, change.Payables)
		}
	}
	if change.Callback != nil {
		m.callbacks = append(m.callbacks, *change.Callback)
	}
	m.checkout = change.Checkout
}

func (m *readerMachine) check(t *rapid.T) {
	c := m.checkout
	wants := map[payments.CheckoutStatus]payments.Decision{payments.CheckoutPaid: payments.Approved}
	if truth, ok := wants[c.Status]; ok && m.acquirer != truth {
		t.Fatalf("%s: the acquirer says %s", c.Status, m.acquirer)
	}
	if c.Status == payments.CheckoutFailed && m.acquirer != payments.Declined && m.acquirer != payments.Cancelled {
		t.Fatalf("%s: the acquirer says %s", c.Status, m.acquirer)
	}
	final := 0
	for i, status := range m.written {
		if status != payments.TransactionPending {
			final++
		} else if i > 0 {
			t.Fatalf("got written %v, want PENDING first and once", m.written)
		}
	}
	decided := !c.AttemptOpen() && !m.notTaken
	if want := map[bool]int{true: 1}[decided]; final != want || len(m.callbacks) != want {
		t.Fatalf("ended %t: got transactions %v, %d callbacks, want %d of each", decided, m.written, len(m.callbacks), want)
	}
	if c.AttemptOpen() == c.DueAt().IsZero() || c.AttemptOpen() == c.PollAt().IsZero() {
		t.Fatalf("open %t: got it due at %s, polled at %s, want times while it is open", c.AttemptOpen(), c.DueAt(),
			c.PollAt())
	}
	if len(c.Transactions) > 1 {
		t.Fatalf("got %d transactions shown, want one", len(c.Transactions))
	}
	if failed := c.Status == payments.CheckoutFailed; failed != (c.Reader.Reason != "") {
		t.Fatalf("%s: got reason %q, want one if it failed", c.Status, c.Reader.Reason)
	}
}
