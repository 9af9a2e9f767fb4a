package payments_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// atReader returns a checkout of 10.10 EUR at a reader. The cardholder has two minutes, and 30 seconds for a tip.
func atReader() payments.Checkout {
	c := newCheckout()
	c.Reference = ""
	c.Payee.FeeRate = "0.0195"
	c.Reader = &payments.ReaderSale{ReaderID: "rdr_1", Serial: "VS000001", Model: "virtual-solo",
		TipTimeout: 30 * time.Second, Affiliate: &payments.Affiliate{AppID: "app", ForeignID: "foreign-1"}}
	return c.BeginAtReader(payments.Attempt{ID: "attempt-1", Operation: "request-attempt-1"}, start)
}

// pixAtReader returns the checkout of atReader for payment by a Pix code.
func pixAtReader() payments.Checkout {
	c := atReader()
	c.PaymentType = payments.Pix
	return c.BeginAtReader(payments.Attempt{ID: "attempt-1", Operation: "request-attempt-1"}, start)
}

// readerTime is the time of atReader's cardholder.
const readerTime = 150 * time.Second

var (
	visa    = &payments.CardSummary{Brand: "VISA", LastFour: "0091"}
	present = &payments.CardPresent{EntryMode: payments.ContactlessMode, Verification: payments.OnlinePIN,
		Tip:      eur("1.01"),
		EMV:      payments.EMV{AID: "A0000000031010", ApplicationLabel: "VISA", Cryptogram: "0123456789ABCDEF"},
		Location: &payments.Location{Lat: 52.5, Lon: 13.4, Accuracy: 10}}
)

// byCard returns an acquirer's answer about a terminal's charge of a card.
func byCard(d payments.Decision) payments.Outcome {
	return payments.Outcome{Decision: d, Card: visa, Present: present, AuthCode: "A1", ReturnCode: "00", TerminalID: "T1"}
}

// byCode returns an acquirer's answer about the code that a terminal shows.
func byCode(d payments.Decision) payments.Outcome {
	return payments.Outcome{Decision: d, AuthCode: "A1", Present: &payments.CardPresent{EntryMode: "QR_CODE_PIX",
		Tip: eur("1.01"), Location: present.Location}}
}

func TestBeginAtReader(t *testing.T) {
	t.Parallel()
	got := atReader()
	want := payments.Attempt{ID: "attempt-1", Operation: "request-attempt-1", State: payments.AttemptRequiresAction,
		Method: payments.AtReader, PaymentType: "POS", Installments: 1, StartedAt: start, Deadline: after(readerTime),
		NextPoll: after(5 * time.Second), UnknownSince: start}
	if diff := differs(&want, got.Attempt); diff != "" {
		t.Errorf("the attempt (-want +got):\n%s", diff)
	}
	if !got.WaitsAtReader() || !got.AttemptOpen() || got.Status != payments.CheckoutPending {
		t.Errorf("got %s that waits: %t, ended: %t, want it PENDING and waiting", got.Status, got.WaitsAtReader(),
			!got.AttemptOpen())
	}
	if at := got.PollAt(); !at.Equal(after(6 * time.Second)) {
		t.Errorf("got the first poll at %s, want it 6 s later", at)
	}
}

// readerState is the state of a checkout at a reader after an answer.
type readerState struct {
	Status      payments.CheckoutStatus
	Transaction payments.TransactionStatus // "": no transaction is written
	Reason      string
	Waits       bool // still waits for the cardholder
	Ended       bool
	Callback    bool
}

// TestSettle_AtReader checks each answer's effect on a checkout at a reader (contract §4.5, §6.5, §13.7).
func TestSettle_AtReader(t *testing.T) {
	t.Parallel()
	waiting := atReader()
	unknown := settle(t, waiting, byCard(payments.OutcomeUnknown), after(5*time.Second)).Checkout
	stopped := func(reason string) payments.Outcome {
		return payments.Outcome{Decision: payments.Cancelled, Reason: reason}
	}
	const failed, cancelled = payments.CheckoutFailed, payments.TransactionCancelled
	for _, c := range []struct {
		name  string
		from  payments.Checkout
		o     payments.Outcome
		later time.Duration
		want  readerState
	}{
		{"approved", waiting, byCard(payments.Approved), 0,
			readerState{payments.CheckoutPaid, payments.TransactionSuccessful, "", false, true, true}},
		{"declined", waiting, byCard(payments.Declined), 0,
			readerState{failed, payments.TransactionFailed, "declined", false, true, true}},
		{"unknown", waiting, byCard(payments.OutcomeUnknown), 0,
			readerState{payments.CheckoutPending, payments.TransactionPending, "", false, false, false}},
		{"nothing yet", waiting, payments.Outcome{Decision: payments.Challenge}, 0,
			readerState{payments.CheckoutPending, "", "", true, false, false}},
		{"nothing after the deadline", waiting, payments.Outcome{Decision: payments.Challenge}, time.Hour,
			readerState{payments.CheckoutPending, "", "", true, false, false}},
		{"terminated", waiting, stopped(payments.ReasonTerminated), 0,
			readerState{failed, cancelled, "terminated", false, true, true}},
		{"stopped at the terminal", waiting, stopped("cancelled by the cardholder"), 0,
			readerState{failed, cancelled, "cancelled by the cardholder", false, true, true}},
		{"timed out", waiting, stopped(payments.ReasonTimedOut), readerTime,
			readerState{failed, cancelled, "timed out", false, true, true}},
		{"terminated, found later", waiting, stopped(""), readerTime - 1,
			readerState{failed, cancelled, "terminated", false, true, true}},
		{"timed out, found later", waiting, stopped(""), readerTime,
			readerState{failed, cancelled, "timed out", false, true, true}},
		{"unknown, then approved", unknown, byCard(payments.Approved), time.Hour,
			readerState{payments.CheckoutPaid, payments.TransactionSuccessful, "", false, true, true}},
		{"unknown, then declined", unknown, byCard(payments.Declined), time.Hour,
			readerState{failed, payments.TransactionFailed, "declined", false, true, true}},
		{"unknown, then cancelled", unknown, stopped(""), time.Hour,
			readerState{failed, cancelled, "timed out", false, true, true}},
		{"unknown again", unknown, payments.Outcome{Decision: payments.OutcomeUnknown}, time.Hour,
			readerState{payments.CheckoutPending, "", "", false, false, false}},
	} {
		before := snapshot(t, c.from)
		change := settle(t, c.from, c.o, after(c.later))
		if diff := cmp.Diff(c.want, stateAtReader(change)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if now := snapshot(t, c.from); now != before {
			t.Errorf("%s: the checkout read was altered to %s from %s", c.name, now, before)
		}
		if change.Session != nil || change.Instrument != nil {
			t.Errorf("%s: got %+v, %+v, want neither a payer's session nor a saved card", c.name, change.Session,
				change.Instrument)
		}
		if change.Checkout.AttemptOpen() && !change.Checkout.DueAt().After(after(c.later)) {
			t.Errorf("%s: got it due at %s, want a later poll", c.name, change.Checkout.DueAt())
		}
		checkEnded(t, c.name, change.Checkout)
	}
}

func stateAtReader(change payments.CheckoutChange) readerState {
	c := change.Checkout
	return readerState{c.Status, statusOf(change.Transaction), c.Reader.Reason, c.WaitsAtReader(), !c.AttemptOpen(),
		change.Callback != nil}
}

// checkEnded checks that nothing changes an ended checkout at a reader. It does not expire, and is never due again.
func checkEnded(t *testing.T, name string, c payments.Checkout) {
	t.Helper()
	if c.AttemptOpen() {
		return
	}
	for _, d := range []payments.Decision{payments.Approved, payments.Declined, payments.Challenge,
		payments.OutcomeUnknown, payments.Cancelled} {
		if change, ok := c.Settle("attempt-1", payments.Outcome{Decision: d}, "msg", payments.Session{}, start); ok {
			t.Errorf("%s, then %s: got %+v, want no change", name, d, change)
		}
	}
	if change, ok := c.CloseNotTaken("attempt-1"); ok {
		t.Errorf("%s, then not taken: got %+v, want no change", name, change)
	}
	late := validUntil(c, start)
	if change, ok := late.Expire("msg", after(time.Hour)); ok || !late.DueAt().IsZero() {
		t.Errorf("%s, an hour later: got %+v, due at %s, want no expiry", name, change, late.DueAt())
	}
}

// TestCloseNotTaken_AtReader checks that a checkout leaves no record if the terminal certainly did not get it.
func TestCloseNotTaken_AtReader(t *testing.T) {
	t.Parallel()
	change, ok := atReader().CloseNotTaken("attempt-1")
	if want := (readerState{payments.CheckoutPending, "", "", false, true, false}); !ok || stateAtReader(change) != want {
		t.Errorf("got %t, %+v, want %+v", ok, stateAtReader(change), want)
	}
	checkEnded(t, "not taken", change.Checkout)
}

// TestSettle_TipAtReader checks that a tip is charged with the amount: fee, payables and journal have their sum.
func TestSettle_TipAtReader(t *testing.T) {
	t.Parallel()
	change := settle(t, atReader(), byCard(payments.Approved), after(3*time.Second))
	want := payments.Transaction{
		CheckoutTransaction: payments.CheckoutTransaction{ID: "attempt-1", Code: payments.CodeOfID("attempt-1"),
			Amount: eur("11.11"), Status: payments.TransactionSuccessful, PaymentType: "POS", EntryMode: "CONTACTLESS",
			Installments: 1, MerchantCode: "MC0A1B2C3D", AuthCode: "A1", CreatedAt: after(3 * time.Second)},
		CheckoutID: "checkout-1", ClientTransactionID: payments.ClientTransactionID("attempt-1"), ForeignID: "foreign-1",
		ProductSummary: "Tea", Username: "shop@shop.example", Card: visa, Captured: eur("11.11"), Refundable: eur("11.11"),
		Refunded: eur("0"), ChargedBack: eur("0"), Fee: eur("0.22"), PayoutPlan: merchant.SinglePayment,
		Payouts: change.Transaction.Payouts, Reader: "VS000001", ReaderModel: "virtual-solo",
		Verification: payments.OnlinePIN, Tip: eur("1.01"), EMV: present.EMV, Location: present.Location,
		TerminalID: "T1", ReturnCode: "00",
		UpdatedAt: after(3 * time.Second), Version: 1,
	}
	if diff := differs(&want, change.Transaction); diff != "" {
		t.Errorf("transaction (-want +got):\n%s", diff)
	}
	if len(change.Payables) != 1 || change.Payables[0].Amount != eur("10.89") {
		t.Errorf("got payables %+v, want one of 10.89", change.Payables)
	}
	if change.Entry == nil || change.Entry.Postings[0].Amount != eur("11.11") {
		t.Errorf("got entry %+v, want one of 11.11", change.Entry)
	}
	if got := want.Sale(); got != eur("10.10") {
		t.Errorf("got a sale of %s, want 10.10", got)
	}
	if got := change.Checkout.Amount; got != eur("10.10") {
		t.Errorf("got a checkout of %s, want 10.10 still", got)
	}
}

// TestSettle_NoCardAtReader checks that a transaction has no entry mode if no card was shown (contract §2.7).
func TestSettle_NoCardAtReader(t *testing.T) {
	t.Parallel()
	tx := settle(t, atReader(), payments.Outcome{Decision: payments.Cancelled}, after(time.Minute)).Transaction
	want := payments.Transaction{
		CheckoutTransaction: payments.CheckoutTransaction{ID: "attempt-1", Code: payments.CodeOfID("attempt-1"),
			Amount: eur("10.10"), Status: payments.TransactionCancelled, PaymentType: "POS", Installments: 1,
			MerchantCode: "MC0A1B2C3D", CreatedAt: after(time.Minute)},
		CheckoutID: "checkout-1", ClientTransactionID: payments.ClientTransactionID("attempt-1"), ForeignID: "foreign-1",
		ProductSummary: "Tea", Username: "shop@shop.example", Captured: eur("0"), Refundable: eur("0"), Refunded: eur("0"),
		ChargedBack: eur("0"), Fee: eur("0"), PayoutPlan: merchant.SinglePayment, Reader: "VS000001",
		ReaderModel: "virtual-solo", UpdatedAt: after(time.Minute), Version: 1,
	}
	if diff := differs(&want, tx); diff != "" {
		t.Errorf("transaction (-want +got):\n%s", diff)
	}
	if got := tx.Sale(); got != eur("10.10") {
		t.Errorf("got a sale of %s, want 10.10", got)
	}
}

// TestSettle_PixAtReader checks that a Pix code waits until it is paid or cancelled (contract §13.7). Its transaction
// has the tip and no card.
func TestSettle_PixAtReader(t *testing.T) {
	t.Parallel()
	waiting := settle(t, pixAtReader(), byCode(payments.Voucher), after(time.Second)).Checkout
	unknown := settle(t, pixAtReader(), byCode(payments.OutcomeUnknown), after(time.Second)).Checkout
	for _, c := range []struct {
		name string
		from payments.Checkout
		o    payments.Outcome
		want readerState
	}{
		{"shown", pixAtReader(), byCode(payments.Voucher), readerState{payments.CheckoutPending, "", "", true, false, false}},
		{"shown again", waiting, byCode(payments.Voucher), readerState{payments.CheckoutPending, "", "", true, false, false}},
		{"unknown, then shown", unknown, byCode(payments.Voucher),
			readerState{payments.CheckoutPending, "", "", true, false, false}},
		{"paid", waiting, byCode(payments.Approved),
			readerState{payments.CheckoutPaid, payments.TransactionSuccessful, "", false, true, true}},
		{"cancelled", waiting, byCode(payments.Cancelled),
			readerState{payments.CheckoutFailed, payments.TransactionCancelled, "timed out", false, true, true}},
	} {
		change := settle(t, c.from, c.o, after(readerTime))
		if diff := cmp.Diff(c.want, stateAtReader(change)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if change.Session != nil || change.Checkout.Attempt.Code != nil {
			t.Errorf("%s: got %+v, want neither a payer's session nor a link to the code", c.name, change)
		}
		checkEnded(t, c.name, change.Checkout)
		if a := change.Checkout.Attempt; change.Checkout.AttemptOpen() && !a.DeadlinePassed(c.o, after(readerTime)) {
			t.Errorf("%s: got %+v, want it past its deadline", c.name, a)
		}
		tx := change.Transaction
		if tx != nil && (tx.PaymentType != "POS" || tx.EntryMode != "QR_CODE_PIX" || tx.Card != nil ||
			tx.Amount != eur("11.11") || tx.Tip != eur("1.01") || tx.Reader != "VS000001" || tx.Verification != "") {
			t.Errorf("%s: got %+v, want 11.11 with its tip, by a code at the reader", c.name, tx)
		}
	}
	if tx := settle(t, pixAtReader(), payments.Outcome{Decision: payments.Cancelled}, start).Transaction; tx.EntryMode !=
		"QR_CODE_PIX" || tx.Amount != eur("10.10") {
		t.Errorf("never shown: got %s of %s, want QR_CODE_PIX of 10.10", tx.EntryMode, tx.Amount)
	}
}

// TestSettle_InstallmentsAtReader checks that instalments divide the sum of amount and tip.
func TestSettle_InstallmentsAtReader(t *testing.T) {
	t.Parallel()
	c := atReader()
	c.Payee.PayoutPlan = merchant.TrueInstallment
	c.Attempt.Installments = 3
	change := settle(t, c, byCard(payments.Approved), start)
	var parts []string
	for _, p := range change.Transaction.Payouts {
		parts = append(parts, p.Amount.String()+" less "+p.Fee.String())
	}
	want := []string{"3.70 less 0.07", "3.70 less 0.07", "3.71 less 0.08"}
	if diff := cmp.Diff(want, parts); diff != "" || change.Transaction.Installments != 3 || len(change.Payables) != 3 {
		t.Errorf("got %d installments, %d payables, parts (-want +got):\n%s", change.Transaction.Installments,
			len(change.Payables), diff)
	}
}

// TestCallback_AtReader checks the callbacks of contract §11.4. A chargeback causes no callback, because the statuses
// of these callbacks can only say that the checkout was paid, or was not paid.
func TestCallback_AtReader(t *testing.T) {
	t.Parallel()
	callback := func(status payments.CheckoutStatus, reason string) *payments.Callback {
		return &payments.Callback{Entry: outbox.New("msg_1", start), EventType: "solo.transaction.updated",
			CheckoutID: "checkout-1", URL: returnURL, Status: status, TransactionID: "attempt-1", Reason: reason}
	}
	paid := settle(t, atReader(), byCard(payments.Approved), start)
	if diff := differs(callback(payments.CheckoutPaid, ""), paid.Callback); diff != "" {
		t.Errorf("paid (-want +got):\n%s", diff)
	}
	declined := settle(t, atReader(), byCard(payments.Declined), start)
	if diff := differs(callback(payments.CheckoutFailed, "declined"), declined.Callback); diff != "" {
		t.Errorf("declined (-want +got):\n%s", diff)
	}
	silent := atReader()
	silent.ReturnURL = ""
	if got := settle(t, silent, byCard(payments.Approved), start).Callback; got != nil {
		t.Errorf("without a return_url: got %+v, want none", got)
	}
	change, err := paid.Transaction.Chargeback(paid.Checkout, "case-1", nil, false, "msg_2", after(time.Hour))
	if err != nil || change.Callback != nil || len(change.Events) == 0 {
		t.Fatalf("a chargeback: got callback %+v, events %+v, %v, want events without a callback", change.Callback,
			change.Events, err)
	}
	e := change.Events[0]
	if e.Amount != eur("11.11") || e.Reader != "VS000001" || e.Location == nil || e.EntryMode != "CONTACTLESS" {
		t.Errorf("a chargeback: got %+v, want one of 11.11 that shows the reader and where it was", e)
	}
}
