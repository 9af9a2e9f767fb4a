package payments_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func savedCard() payments.Instrument {
	return payments.Instrument{Token: "token-1", CustomerID: "customer-1", Active: true,
		Card: payments.CardSummary{Brand: "VISA", LastFour: "0091", ExpiryMonth: 11, ExpiryYear: 2026,
			AcquirerToken: "acq-1"}}
}

func mandate(status string) *payments.Mandate {
	return &payments.Mandate{Type: "recurrent", Status: status, MerchantCode: "MC0A1B2C3D"}
}

// TestCheckChargeable checks the 402 for cards that cannot be charged at all (contract §3.4).
func TestCheckChargeable(t *testing.T) {
	t.Parallel()
	good, withMandate, ended := savedCard(), savedCard(), savedCard()
	withMandate.Mandate, ended.Mandate = mandate(payments.MandateActive), mandate(payments.MandateInactive)
	for name, c := range map[string]struct {
		instrument payments.Instrument
		now        time.Time
		refused    bool
		recurring  bool
	}{
		"good":             {good, start, false, false},
		"with mandate":     {withMandate, start, false, true},
		"mandate inactive": {ended, start, true, false},
		"deactivated":      {good.Deactivated(), start, true, false},
		"expired":          {good, start.AddDate(0, 2, 0), true, false},
		"both deactivated": {withMandate.Deactivated(), start, true, false},
	} {
		if err := c.instrument.CheckChargeable(c.now); (err != nil) != c.refused ||
			(c.refused && !failure.Is(err, failure.KindNotChargeable)) {
			t.Errorf("%s: got error %v, want one: %t", name, err, c.refused)
		}
		if c.instrument.Recurring() != c.recurring {
			t.Errorf("%s: got recurring %t, want %t", name, c.instrument.Recurring(), c.recurring)
		}
	}
	if !withMandate.Active || withMandate.Mandate.Status != payments.MandateActive {
		t.Errorf("after Deactivated: got the instrument active %t, mandate %+v, want both active as before",
			withMandate.Active, withMandate.Mandate)
	}
	if again := withMandate.Deactivated().Deactivated(); again.Active || again.Mandate.Status != payments.MandateInactive {
		t.Errorf("deactivated twice: got active %t, mandate %+v, want both inactive", again.Active, again.Mandate)
	}
}

// TestSettle_SavesCard checks that a payment with a customer_id saves the card, and its mandate (contract §4.6).
func TestSettle_SavesCard(t *testing.T) {
	t.Parallel()
	stored := savedCard().Card
	for name, c := range map[string]struct {
		saveAs, token string
		card          *payments.CardSummary
		withMandate   bool
		decision      payments.Decision
		saved, tied   string // token of the new instrument, and token that the checkout shows
	}{
		"saved": {saveAs: "token-1", card: &stored, decision: payments.Approved,
			saved: "token-1", tied: "token-1"},
		"saved with mandate": {saveAs: "token-1", card: &stored, withMandate: true, decision: payments.Approved,
			saved: "token-1", tied: "token-1"},
		"no customer": {card: &stored, decision: payments.Approved},
		"acquirer keeps no cards": {saveAs: "token-1", card: &payments.CardSummary{Brand: "VISA"},
			decision: payments.Approved},
		"acquirer says no card":    {saveAs: "token-1", decision: payments.Approved},
		"declined":                 {saveAs: "token-1", card: &stored, withMandate: true, decision: payments.Declined},
		"challenged":               {saveAs: "token-1", card: &stored, decision: payments.Challenge},
		"charged a card on file":   {token: "token-0", decision: payments.Approved, tied: "token-0"},
		"card on file is declined": {token: "token-0", decision: payments.Declined},
	} {
		checkout := newCheckout()
		checkout.CustomerID = "customer-1"
		a := attemptFor("attempt-1", payments.CardMethod)
		a.SaveAs, a.Token, a.WithMandate = c.saveAs, c.token, c.withMandate
		got := settle(t, begin(t, checkout, a, start), payments.Outcome{Decision: c.decision, Card: c.card},
			after(time.Second))
		if got.Checkout.InstrumentToken != c.tied {
			t.Errorf("%s: got token %q of the checkout, want %q", name, got.Checkout.InstrumentToken, c.tied)
		}
		if (got.Instrument != nil) != (c.saved != "") || (got.Checkout.Mandate != nil) != (c.saved != "" && c.withMandate) {
			t.Errorf("%s: got instrument %+v, mandate %+v, want them: %t, %t", name, got.Instrument, got.Checkout.Mandate,
				c.saved != "", c.saved != "" && c.withMandate)
		}
		if got.Instrument != nil {
			checkSaved(t, name, got, c.withMandate)
		}
	}
}

func checkSaved(t *testing.T, name string, change payments.CheckoutChange, withMandate bool) {
	t.Helper()
	want := payments.Instrument{Token: "token-1", CustomerID: "customer-1", Active: true, Card: savedCard().Card,
		CreatedAt: after(time.Second)}
	if withMandate {
		want.Mandate = mandate(payments.MandateActive)
		if diff := cmp.Diff(want.Mandate, change.Checkout.Mandate); diff != "" {
			t.Errorf("%s: mandate of the checkout (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(want, *change.Instrument); diff != "" {
		t.Errorf("%s: instrument (-want +got):\n%s", name, diff)
	}
	if got := change.Transaction.InstrumentToken; got != "token-1" {
		t.Errorf("%s: got token %q of the transaction, want token-1", name, got)
	}
}
