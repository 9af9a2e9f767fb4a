package sandbox_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func refundOf(chargeID, id, amount string) acquirer.Refund {
	return acquirer.Refund{ID: id, ChargeID: chargeID, Amount: money.MustParse(amount, "EUR")}
}

func (w *fixture) mustRefund(t *testing.T, r acquirer.Refund) payments.Outcome {
	t.Helper()
	return must(t)(w.Refund(t.Context(), r))
}

func (w *fixture) mustChargeback(t *testing.T, chargeID, id, amount string) {
	t.Helper()
	if err := w.Chargeback(t.Context(), chargeID, id, money.MustParse(amount, "EUR")); err != nil {
		t.Fatal(err)
	}
}

// checkMoved checks the sums of the charge's movements, by kind; "" means no movement.
func (w *fixture) checkMoved(t *testing.T, chargeID, captured, refunded, chargedBack string) {
	t.Helper()
	got, err := w.Moved(t.Context(), chargeID)
	if err != nil {
		t.Fatal(err)
	}
	want := map[acquirer.Kind]money.Amount{}
	for kind, amount := range map[acquirer.Kind]string{
		acquirer.CaptureMovement: captured, acquirer.RefundMovement: refunded, acquirer.ChargebackMovement: chargedBack,
	} {
		if amount != "" {
			want[kind] = money.MustParse(amount, "EUR")
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("moved of %s: got %v, want %v", chargeID, got, want)
	}
}

func TestRefund_PartsUpToCapturedAmount(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "30"))
	for _, step := range []struct {
		id, amount string
		want       payments.Decision
		code       string
	}{
		{"part", "11.00", payments.Approved, "00"},
		{"too much", "19.01", payments.Declined, "13"},
		{"rest", "19.00", payments.Approved, "00"},
		{"one cent more", "0.01", payments.Declined, "13"},
	} {
		o := w.mustRefund(t, refundOf("c", step.id, step.amount))
		if o.Decision != step.want || o.ReturnCode != step.code || o.TerminalID == "" {
			t.Errorf("%s: got %+v, want %s %s", step.id, o, step.want, step.code)
		}
	}
	w.checkMoved(t, "c", "30", "30", "")
}

func TestRefund_ChargeNotRefundable(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("declined", plainCard, "42.01"))
	w.mustCharge(t, cardCharge("waiting", askingCard, "10"))
	w.mustCharge(t, cardCharge("cancelled", askingCard, "10"))
	must(t)(w.Cancel(t.Context(), "cancelled"))
	verification := cardCharge("verification", plainCard, "10")
	verification.Verification = true
	w.mustCharge(t, verification)
	w.mustCharge(t, cardCharge("approved", plainCard, "10"))
	dollars := refundOf("approved", "dollars", "5")
	dollars.Amount = money.MustParse("5", "USD")
	for _, c := range []struct {
		refund acquirer.Refund
		code   string
	}{
		{refundOf("unknown", "1", "5"), "25"}, {refundOf("declined", "2", "5"), "12"}, {refundOf("waiting", "3", "5"), "12"},
		{refundOf("cancelled", "4", "5"), "12"}, {refundOf("verification", "5", "5"), "12"}, {dollars, "13"},
		{refundOf("approved", "6", "10.01"), "13"}, {refundOf("approved", "7", "0"), "13"},
		{refundOf("approved", "8", "-5"), "13"},
		{refundOf("unknown", "9", "42.25"), "25"}, // a refund that cannot be paid is declined at once
	} {
		if o := w.mustRefund(t, c.refund); o.Decision != payments.Declined || o.ReturnCode != c.code {
			t.Errorf("%s of %s: got %+v, want declined with %s", c.refund.Amount, c.refund.ChargeID, o, c.code)
		}
		w.checkMoved(t, c.refund.ChargeID, map[string]string{"approved": "10"}[c.refund.ChargeID], "", "")
	}
}

func TestRefund_DeclinedAmounts(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "100"))
	for amount, code := range map[string]string{"42.01": "05", "42.76": "61", "42.91": "91"} {
		if o := w.mustRefund(t, refundOf("c", amount, amount)); o.Decision != payments.Declined || o.ReturnCode != code {
			t.Errorf("%s: got %+v, want declined with %s", amount, o, code)
		}
	}
	if o := w.mustRefund(t, refundOf("c", "all", "100")); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved: a declined refund uses up nothing", o)
	}
	w.checkMoved(t, "c", "100", "100", "")
}

func TestRefund_NotTakenAmount(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "100"))
	before := len(w.scan(t))
	for range 2 {
		if _, err := w.Refund(t.Context(), refundOf("c", "r", "42.24")); !errors.Is(err, acquirer.ErrNotTaken) {
			t.Fatalf("got error %v, want ErrNotTaken", err)
		}
	}
	if after := len(w.scan(t)); after != before {
		t.Errorf("got %d items, want the %d of before", after, before)
	}
	if o := w.mustRefund(t, refundOf("c", "r", "100")); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved: the id was not used up", o)
	}
}

func TestRefund_UnknownOutcome(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "50"))
	silent := refundOf("c", "silent", "42.25")
	wantUnknown(t)(w.Refund(t.Context(), silent))
	if o := w.mustRefund(t, refundOf("c", "meanwhile", "7.76")); o.Decision != payments.Declined {
		t.Errorf("a refund of what is set aside: got %+v, want declined", o)
	}
	w.Advance(30*time.Second - time.Nanosecond)
	if o := w.mustRefund(t, silent); o.Decision != payments.OutcomeUnknown || o.ReturnCode != "" {
		t.Errorf("before 30 s: got %+v, want an unknown outcome without a return code", o)
	}
	w.checkMoved(t, "c", "50", "", "")
	w.Advance(time.Nanosecond)
	for range 2 {
		if o := must(t)(w.restart().Refund(t.Context(), silent)); o.Decision != payments.Approved || o.ReturnCode != "00" {
			t.Errorf("after 30 s: got %+v, want approved with 00", o)
		}
	}
	w.checkMoved(t, "c", "50", "42.25", "")
	if o := w.mustRefund(t, refundOf("c", "rest", "7.75")); o.Decision != payments.Approved {
		t.Errorf("the rest: got %+v, want approved", o)
	}
}

// TestRefund_ChargeNotPolled checks that a refund decides a charge whose time has come, even if the charge was never
// polled.
func TestRefund_ChargeNotPolled(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	wantUnknown(t)(w.Charge(t.Context(), cardCharge("c", plainCard, "42.25")))
	if o := w.mustRefund(t, refundOf("c", "early", "5")); o.Decision != payments.Declined {
		t.Errorf("before 30 s: got %+v, want declined", o)
	}
	w.Advance(30 * time.Second)
	if o := w.mustRefund(t, refundOf("c", "in time", "5")); o.Decision != payments.Approved {
		t.Errorf("after 30 s: got %+v, want approved", o)
	}
	w.checkMoved(t, "c", "42.25", "5", "")
}

func TestRefund_SameIDOtherFields(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "100"))
	w.mustCharge(t, cardCharge("other", plainCard, "100"))
	w.mustRefund(t, refundOf("c", "paid", "10"))
	w.mustRefund(t, refundOf("later", "refused", "10"))
	w.mustCharge(t, cardCharge("later", plainCard, "100"))
	for id, want := range map[string]payments.Decision{"paid": payments.Approved, "refused": payments.Declined} {
		for _, r := range []acquirer.Refund{
			refundOf("c", id, "10"), refundOf("c", id, "20"), refundOf("other", id, "10"), refundOf("unknown", id, "10"),
			refundOf("later", id, "10"), refundOf("c", id, "42.01"), refundOf("c", id, "42.24"), refundOf("c", id, "42.25"),
		} {
			if o := w.mustRefund(t, r); o.Decision != want {
				t.Errorf("%s again, %s of %s: got %+v, want %s", id, r.Amount, r.ChargeID, o, want)
			}
		}
	}
	w.checkMoved(t, "c", "100", "10", "")
	w.checkMoved(t, "other", "100", "", "")
	w.checkMoved(t, "later", "100", "", "")
}

func TestRefund_PaidVoucher(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, methodCharge("c", payments.Boleto, "10", "EUR"))
	if o := w.mustRefund(t, refundOf("c", "not paid", "10")); o.Decision != payments.Declined {
		t.Errorf("not paid: got %+v, want Declined", o)
	}
	if _, err := w.PayVoucher(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	if o := w.mustRefund(t, refundOf("c", "paid", "10")); o.Decision != payments.Approved {
		t.Errorf("paid: got %+v, want approved", o)
	}
	if _, err := w.PayVoucher(t.Context(), "c"); err != nil {
		t.Errorf("paying again after the refund: got error %v, want none", err)
	}
	w.checkMoved(t, "c", "10", "10", "")
}

func TestChargeback(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "100"))
	w.mustRefund(t, refundOf("c", "same id", "30"))
	w.mustChargeback(t, "c", "same id", "42.24") // special amounts have no effect on a chargeback
	w.mustChargeback(t, "c", "same id", "42.24")
	w.mustChargeback(t, "unknown", "same id", "1000")
	w.checkMoved(t, "c", "100", "30", "42.24")
	for id, amount := range map[string]string{"above": "27.77", "zero": "0", "negative": "-1"} {
		if err := w.Chargeback(t.Context(), "c", id, money.MustParse(amount, "EUR")); !errors.Is(err, sandbox.ErrTooMuch) {
			t.Errorf("%s: got error %v, want ErrTooMuch", id, err)
		}
	}
	if err := w.Chargeback(t.Context(), "c", "dollars", money.MustParse("1", "USD")); !errors.Is(err, sandbox.ErrTooMuch) {
		t.Errorf("dollars: got error %v, want ErrTooMuch", err)
	}
	if o := w.mustRefund(t, refundOf("c", "above", "27.77")); o.Decision != payments.Declined {
		t.Errorf("a refund of what was charged back: got %+v, want declined", o)
	}
	w.mustChargeback(t, "c", "above", "27.76") // the refused chargeback has left the charge unchanged
	w.checkMoved(t, "c", "100", "30", "70")
}

func TestChargeback_NothingCaptured(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("declined", plainCard, "11.00"))
	verification := cardCharge("verification", plainCard, "10")
	verification.Verification = true
	w.mustCharge(t, verification)
	for id, want := range map[string]error{
		"declined": sandbox.ErrTooMuch, "verification": sandbox.ErrTooMuch, "unknown": acquirer.ErrUnknownCharge,
	} {
		if err := w.Chargeback(t.Context(), id, "b", money.MustParse("1", "EUR")); !errors.Is(err, want) {
			t.Errorf("%s: got error %v, want %v", id, err, want)
		}
		w.checkMoved(t, id, "", "", "")
	}
}
