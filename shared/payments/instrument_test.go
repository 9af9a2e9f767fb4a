package payments_test

import (
	"testing"
	"time"

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

// Contract §3.4: 402 for what cannot be charged at all.
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
			t.Errorf("%s: %v", name, err)
		}
		if c.instrument.Recurring() != c.recurring {
			t.Errorf("%s: recurring %t", name, c.instrument.Recurring())
		}
	}
	if !withMandate.Active || withMandate.Mandate.Status != payments.MandateActive {
		t.Error("Deactivated altered the instrument")
	}
	if again := withMandate.Deactivated().Deactivated(); again.Active || again.Mandate.Status != payments.MandateInactive {
		t.Errorf("deactivated twice: %+v, want it inactive", again)
	}
}

// Contract §4.6: who pays with a customer_id has the card saved, with a mandate when one was given.
func TestApprovalSavesTheCard(t *testing.T) {
	t.Parallel()
	stored := savedCard().Card
	for name, c := range map[string]struct {
		saveAs, token string
		card          *payments.CardSummary
		withMandate   bool
		decision      payments.Decision
		saved, tied   string // token of the new instrument; token the checkout shows
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
			t.Errorf("%s: the checkout shows %q", name, got.Checkout.InstrumentToken)
		}
		if (got.Instrument != nil) != (c.saved != "") || (got.Checkout.Mandate != nil) != (c.saved != "" && c.withMandate) {
			t.Errorf("%s: instrument %+v, mandate %+v", name, got.Instrument, got.Checkout.Mandate)
		}
		if got.Instrument != nil {
			checkSaved(t, name, got, c.withMandate)
		}
	}
}

func checkSaved(t *testing.T, name string, change payments.CheckoutChange, withMandate bool) {
	t.Helper()
	i := *change.Instrument
	want := payments.Instrument{Token: "token-1", CustomerID: "customer-1", Active: true, Card: savedCard().Card,
		CreatedAt: after(time.Second)}
	if withMandate {
		if i.Mandate == nil || *i.Mandate != *mandate(payments.MandateActive) || *change.Checkout.Mandate != *i.Mandate {
			t.Errorf("%s: mandate %+v", name, i.Mandate)
		}
		want.Mandate = i.Mandate
	}
	if i != want || change.Transaction.InstrumentToken != "token-1" {
		t.Errorf("%s: %+v, transaction with %q", name, i, change.Transaction.InstrumentToken)
	}
}
