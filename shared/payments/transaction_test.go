package payments_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestSettle_RecordsAttempt(t *testing.T) {
	t.Parallel()
	c := newCheckout()
	c.CustomerID = "customer-1"
	a := attemptFor("attempt-1", payments.IDEAL)
	a.Installments, a.Token = 3, "token-1"
	a.Card = &payments.CardSummary{Brand: "VISA", LastFour: "0091"}
	o := payments.Outcome{Decision: payments.Approved, AuthCode: "A1", ReturnCode: "00", TerminalID: "T1"}
	got := settle(t, begin(t, c, a, start), o, after(5)).Transaction
	recorded := after(5).Truncate(time.Millisecond) // as precise as clients see it
	want := &payments.Transaction{
		CheckoutTransaction: payments.CheckoutTransaction{ID: "attempt-1", Code: payments.CodeOfID("attempt-1"),
			Amount: eur("10.10"), Status: payments.TransactionSuccessful, PaymentType: "ECOM", EntryMode: "IDEAL",
			Installments: 3, MerchantCode: "MC0A1B2C3D", AuthCode: "A1", CreatedAt: recorded},
		CheckoutID: "checkout-1", ClientTransactionID: got.ClientTransactionID, ForeignID: "order-1",
		ProductSummary: "Tea", Username: "shop@shop.example", CustomerID: "customer-1", InstrumentToken: "token-1",
		Card: &payments.CardSummary{Brand: "VISA", LastFour: "0091"}, Captured: eur("10.10"), Refundable: eur("10.10"),
		Refunded: eur("0"), ChargedBack: eur("0"), Fee: eur("0"), PayoutPlan: merchant.SinglePayment,
		Payouts: []payments.PayoutPart{{Seq: 1, Number: 1, Amount: eur("10.10"), Fee: eur("0"), Deducted: eur("0"),
			Status: payments.EventScheduled, EligibleAt: after(5)}},
		TerminalID: "T1", ReturnCode: "00", UpdatedAt: recorded, Version: 1,
	}
	if diff := differs(want, got); diff != "" {
		t.Errorf("transaction (-want +got):\n%s", diff)
	}
	if !uuidV4.MatchString(got.ClientTransactionID) {
		t.Errorf("got client transaction id %q, want a UUID", got.ClientTransactionID)
	}
}

var (
	codeForm = regexp.MustCompile(`^T[0-9A-Z]{9}$`)
	uuidV4   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
)

// TestTransaction_IDsFromAttempt checks that an attempt's transaction gets the same ids at each retry, on any machine.
func TestTransaction_IDsFromAttempt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.String(),
			rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)).Draw(t, "id")
		first, again, other := transactionOf(t, id), transactionOf(t, id), transactionOf(t, id+"'")
		if first.Code != again.Code || first.ClientTransactionID != again.ClientTransactionID ||
			first.InternalID() != again.InternalID() {
			t.Fatalf("got %+v, then %+v, want the same ids", first, again)
		}
		if first.Code == other.Code || first.ClientTransactionID == other.ClientTransactionID ||
			first.InternalID() == other.InternalID() {
			t.Fatalf("two attempts: got %+v and %+v, want no id in common", first, other)
		}
		if !codeForm.MatchString(first.Code) || !uuidV4.MatchString(first.ClientTransactionID) {
			t.Fatalf("got code %s, client transaction id %s, want the form %s, a UUID", first.Code,
				first.ClientTransactionID, codeForm)
		}
		if n := first.InternalID(); n < 0 || n >= 1<<53 || int64(float64(n)) != n {
			t.Fatalf("got internal id %d, want one of 53 bits", n)
		}
	})
}

func transactionOf(t *rapid.T, id string) payments.Transaction {
	c := newCheckout()
	c, err := c.Begin(attemptFor(id, payments.CardMethod), payments.Source{}, start)
	if err != nil {
		t.Fatal(err)
	}
	change, ok := c.Settle(id, payments.Outcome{Decision: payments.OutcomeUnknown}, "msg", payments.Session{}, start)
	if !ok {
		t.Fatal("an unknown outcome: got no change, want one")
	}
	return *change.Transaction
}

// TestSimpleStatus checks each line of contract §6.5. Each case satisfies its line and also all lines below that line.
func TestSimpleStatus(t *testing.T) {
	t.Parallel()
	tx := *captured(t, eur("10.10"), "", "", 1).Transaction
	want := payments.SimpleSuccessful
	check := func() {
		t.Helper()
		if got := tx.SimpleStatus(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	check()
	for _, step := range []struct {
		happens func()
		want    payments.SimpleStatus
	}{
		{func() { tx.Payouts[0].Status = payments.EventPaidOut }, payments.SimplePaidOut},
		{func() { tx.LastRefund = payments.EventRefunded }, payments.SimplePaidOut},
		{func() { tx.LastRefund = payments.EventFailed }, payments.SimpleRefundFailed},
		{func() { tx.Refunded = eur("0.01") }, payments.SimpleRefunded},
		{func() { tx.ChargedBack = eur("0.01") }, payments.SimpleChargeback},
		{func() { tx.NonCollection = true }, payments.SimpleNonCollection},
		{func() { tx.Status = payments.TransactionCancelled }, payments.SimpleCancelled},
		{func() { tx.Status = payments.TransactionFailed }, payments.SimpleFailed},
		{func() { tx.Status = payments.TransactionPending }, ""},
	} {
		step.happens()
		want = step.want
		check()
	}
}

// TestSimpleStatus_Verification checks that a verification moves no money, for any amount, so that nothing can be
// refunded (contract §4.6).
func TestSimpleStatus_Verification(t *testing.T) {
	t.Parallel()
	for _, amount := range []string{"1.00", "0"} {
		c := newCheckout()
		c.Amount = eur(amount)
		a := attemptFor("attempt-1", payments.CardMethod)
		a.Verification = true
		tx := settle(t, begin(t, c, a, start), payments.Outcome{Decision: payments.Approved}, start).Transaction
		if got := tx.SimpleStatus(); got != payments.SimpleSuccessful || !tx.Amount.IsZero() || !tx.OnlyChecked() {
			t.Errorf("%s: got %s of %s, only checked %t, want %s of 0, true", amount, got, tx.Amount, tx.OnlyChecked(),
				payments.SimpleSuccessful)
		}
		a.Verification, c.Amount = false, eur("1.00")
		if tx = settle(t, begin(t, c, a, start), payments.Outcome{Decision: payments.Approved}, start).Transaction; tx.
			OnlyChecked() {
			t.Errorf("%+v: got only checked, want a payment", tx)
		}
	}
}

func TestFormatUUIDv4(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 16, 32).Draw(t, "bytes")
		id, err := uuid.Parse(payments.FormatUUIDv4(b))
		if err != nil || id.Version() != 4 || id.Variant() != uuid.RFC4122 {
			t.Fatalf("%x: got %s, %v, want a UUID of version 4", b, id, err)
		}
	})
}
