package stripe_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

func (w *fixture) mustCharge(t *testing.T, c acquirer.Charge) payments.Outcome {
	t.Helper()
	o, err := w.Charge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// form returns the parameters of the only request whose path ends with the suffix.
func (w *fixture) form(t *testing.T, suffix string) url.Values {
	t.Helper()
	forms := w.api.Requests(http.MethodPost, suffix)
	if len(forms) != 1 {
		t.Fatalf("got %d requests to %s, want 1", len(forms), suffix)
	}
	form, err := url.ParseQuery(forms[0])
	if err != nil {
		t.Fatal(err)
	}
	return form
}

func wantValues(t *testing.T, got url.Values, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got.Get(name) != value || got.Has(name) != (value != "") {
			t.Errorf("%s: got %q, want %q", name, got.Get(name), value)
		}
	}
}

func TestCharge_Parameters(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	c := cardCharge("c", plainCard, "10")
	c.Store, c.Customer, c.Consent = true, "ada", &payments.Consent{UserAgent: "Browser/1", IP: "192.0.2.1"}
	c.Seller.Account, c.Card.ZipCode = "acct_1", "94107"
	if o := w.mustCharge(t, c); o.Card == nil || !strings.HasPrefix(o.Card.AcquirerToken, "pm_") {
		t.Errorf("got the card %+v, want one with Stripe's payment method as its token", o.Card)
	}
	wantValues(t, w.form(t, "/payment_methods"), map[string]string{"type": "card", "card[number]": plainCard,
		"card[exp_month]": "12", "card[exp_year]": "2030", "card[cvc]": "7319", "billing_details[name]": "Ada Payer",
		"billing_details[address][postal_code]": "94107", "billing_details[email]": ""})
	wantValues(t, w.form(t, "/payment_intents"), map[string]string{"amount": "1000", "currency": "eur",
		"payment_method_types[]": "card", "on_behalf_of": "acct_1", "setup_future_usage": "off_session",
		"statement_descriptor_suffix": "Corner Sho", "metadata[attempt]": "c", "metadata[tenant]": "T#MC1",
		"metadata[checkout]": "checkout of c", "capture_method": "", "confirm": "", "usage": ""})
	wantValues(t, w.form(t, "/confirm"), map[string]string{"return_url": c.ReturnURL, "off_session": "",
		"mandate_data[customer_acceptance][type]":               "online",
		"mandate_data[customer_acceptance][online][ip_address]": "192.0.2.1",
		"mandate_data[customer_acceptance][online][user_agent]": "Browser/1"})
	wantValues(t, w.form(t, "/customers"), map[string]string{"metadata[tenant]": "T#MC1", "metadata[customer]": "ada"})
}

func TestCharge_PayerAbsent(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	stored := cardCharge("first", plainCard, "10")
	stored.Store, stored.Customer = true, "ada"
	token := w.mustCharge(t, stored).Card.AcquirerToken
	w.api.Taken = nil
	c := methodCharge("c", payments.CardMethod, "10", "EUR")
	c.Token, c.Customer, c.Agreement = token, "ada", new(acquirer.Agreement)
	if o := w.mustCharge(t, c); o.Decision != payments.Approved || w.api.Count(http.MethodPost, "/payment_methods") != 0 {
		t.Errorf("got %+v, want it approved without a new payment method", o)
	}
	wantValues(t, w.form(t, "/confirm"), map[string]string{"off_session": "true", "return_url": ""})
	wantValues(t, w.form(t, "/payment_intents"), map[string]string{"payment_method": token, "setup_future_usage": ""})
}

func TestCharge_CardRefusedBeforePin(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.api.Instead("POST payment_methods", http.StatusPaymentRequired, "card_error", "incorrect_number")
	for range 2 {
		o := w.mustCharge(t, cardCharge("c", plainCard, "10"))
		if o.Decision != payments.Declined || o.ReturnCode != "14" {
			t.Errorf("got %+v, want declined with 14", o)
		}
	}
	if got := w.api.Statuses(); len(got) != 0 {
		t.Errorf("got intents %q, want none", got)
	}
}

func TestCharge_Unsupported(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	instalments := cardCharge("c", plainCard, "10")
	instalments.Installments = 2
	noToken := walletCharge("c")
	noToken.Wallet = secret.New(`{"signature":"another gateway's"}`)
	otherID := walletCharge("c")
	otherID.Wallet = secret.New(strings.Replace(otherID.Wallet.Reveal(), "tok_", "pm_", 1))
	noCard := cardCharge("c", plainCard, "10")
	noCard.Card = nil
	present := cardCharge("c", plainCard, "10")
	present.Present = new(payments.CardPresent)
	for name, c := range map[string]acquirer.Charge{"instalments": instalments, "wallet of another gateway": noToken,
		"wallet with another id": otherID,
		"no card":                noCard, "terminal": present, "blik": methodCharge("c", payments.Blik, "10", "PLN"),
		"mybank":  methodCharge("c", payments.MyBank, "10", "EUR"),
		"reader":  methodCharge("c", payments.AtReader, "10", "EUR"),
		"qr code": methodCharge("c", payments.QRCodePix, "10", "BRL")} {
		c.ID = name
		if _, err := w.Charge(t.Context(), c); !errors.Is(err, acquirer.ErrNotTaken) || len(w.api.Taken) != 0 {
			t.Errorf("%s: got error %v and requests %q, want %v and none", name, err, w.api.Taken, acquirer.ErrNotTaken)
		}
	}
}

func TestCharge_Codes(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	until := w.Now().Add(24 * time.Hour)
	for m, want := range map[payments.Method]string{payments.Boleto: "237933812860000000003", payments.Pix: "00020101"} {
		o := w.mustCharge(t, methodCharge(string(m), m, "10", "BRL"))
		if o.Decision != payments.Voucher || o.Code == nil || o.Code.Text != want || !o.Code.Until.Equal(until) {
			t.Errorf("%s: got %s, %+v, want the code %s until %s", m, o.Decision, o.Code, want, until)
		}
	}
}

func TestCharge_RedirectLeadsByLink(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, c := range []acquirer.Charge{cardCharge("3ds", stripetest.AskingCard, "10"),
		methodCharge("p24", payments.P24, "10", "PLN"), methodCharge("paypal", payments.PayPal, "10", "EUR")} {
		o := w.mustCharge(t, c)
		if o.Decision != payments.Challenge || o.Step == nil || !o.Step.IsLink() ||
			!strings.HasPrefix(o.Step.URL, "https://hooks.stripe.example/redirect/") {
			t.Errorf("%s: got %s, %+v, want a link", c.ID, o.Decision, o.Step)
		}
	}
}

func TestCharge_Verification(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]struct{ status, create string }{
		"1": {"canceled", "/payment_intents"}, "0": {"succeeded", "/setup_intents"},
	} {
		t.Run(amount, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			c := cardCharge("c", plainCard, amount)
			c.Verification, c.Store, c.Customer = true, true, "ada"
			o := w.mustCharge(t, c)
			if o.Decision != payments.Approved || o.Card == nil || o.Card.LastFour != "4242" || o.Card.AcquirerToken == "" {
				t.Errorf("got %+v, card %+v, want approved with a stored card", o, o.Card)
			}
			if got := w.api.Statuses(); !slices.Equal(got, []string{want.status}) || len(w.api.Lines) != 0 {
				t.Errorf("got intents %q and %d lines, want one %s and none", got, len(w.api.Lines), want.status)
			}
			if form := w.form(t, want.create); want.status == "succeeded" && form.Get("usage") != "off_session" {
				t.Errorf("got the form %v, want the usage off_session", form)
			}
		})
	}
}

// TestCharge_VerificationNotReleased checks that a verification is approved only after its hold is released.
func TestCharge_VerificationNotReleased(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	c := cardCharge("c", plainCard, "1")
	c.Verification = true
	w.Wire.Inject(faults.Times(1, "POST cancel", faults.LoseReply))
	if o, err := w.Charge(t.Context(), c); err == nil || errors.Is(err, acquirer.ErrNotTaken) {
		t.Errorf("got %+v, %v, want an unknown outcome", o, err)
	}
	if o, err := w.LookUp(t.Context(), "c"); err != nil || o.Decision != payments.Approved {
		t.Errorf("look up: got %+v, %v, want approved", o, err)
	}
}

func TestCharge_BreakerOpen(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.Wire.Inject(faults.Times(-1, "POST payment_methods", faults.Throttle))
	charges := 0
	charge := func(want error) {
		t.Helper()
		charges++
		c := cardCharge(fmt.Sprint("c", charges), plainCard, "10")
		if _, err := w.Charge(t.Context(), c); !errors.Is(err, want) {
			t.Errorf("got error %v, want %v", err, want)
		}
	}
	for range 5 {
		charge(acquirer.ErrNotTaken)
	}
	w.Wire.Inject(nil)
	charge(acquirer.ErrNotTaken)
	if len(w.api.Taken) != 0 {
		t.Errorf("got requests %q through an open breaker, want none", w.api.Taken)
	}
	if _, err := w.LookUp(t.Context(), "c"); !errors.Is(err, acquirer.ErrUnknownCharge) {
		t.Errorf("look up: got error %v, want %v", err, acquirer.ErrUnknownCharge)
	}
	w.Advance(10 * time.Second)
	w.Wire.Inject(faults.Times(-1, "POST payment_methods", faults.Throttle))
	charge(acquirer.ErrNotTaken) // the probe
	w.Wire.Inject(nil)
	charge(acquirer.ErrNotTaken)
	w.Advance(10 * time.Second)
	charge(nil)
}

// TestCharge_CallerGone checks that a caller who gives up does not count as a timeout.
func TestCharge_CallerGone(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for n := range 6 {
		ctx, stop := context.WithCancel(t.Context())
		w.Wire.Meanwhile("POST payment_methods", 1, stop)
		c := cardCharge(fmt.Sprint("gone ", n), plainCard, "10")
		if _, err := w.Charge(ctx, c); !errors.Is(err, acquirer.ErrNotTaken) {
			t.Errorf("got error %v, want %v", err, acquirer.ErrNotTaken)
		}
		stop()
	}
	w.Wire.Inject(nil)
	if o := w.mustCharge(t, cardCharge("c", plainCard, "10")); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved", o)
	}
}

func TestCharge_Units(t *testing.T) {
	t.Parallel()
	for amount, want := range map[money.Amount]string{money.MustParse("10.10", "PLN"): "1010",
		money.MustParse("10", "HUF"): "1000", money.MustParse("10", "COP"): "1000", money.MustParse("10", "CLP"): "10"} {
		w := newFixture(t)
		c := cardCharge("c", plainCard, "10")
		c.Amount = amount
		w.mustCharge(t, c)
		if got := w.form(t, "/payment_intents").Get("amount"); got != want {
			t.Errorf("%s %s: got %s units, want %s", amount, amount.Currency(), got, want)
		}
		for m, err := range w.Statement(t.Context(), time.Time{}) {
			if err != nil || m.Amount != amount {
				t.Errorf("got the line %+v, %v, want %s %s", m, err, amount, amount.Currency())
			}
		}
	}
}

func TestDeleteCard_Refused(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	c := cardCharge("c", plainCard, "10")
	c.Store, c.Customer = true, "ada"
	token := w.mustCharge(t, c).Card.AcquirerToken
	w.api.Instead("POST detach", http.StatusBadRequest, "invalid_request_error", "")
	if err := w.DeleteCard(t.Context(), token); err == nil {
		t.Error("got no error of a card that is still stored, want one")
	}
	w.api.Instead("POST detach", http.StatusInternalServerError, "api_error", "")
	if err := w.DeleteCard(t.Context(), token); err == nil {
		t.Error("got no error of a failure at Stripe, want one")
	}
	for range 2 { // Stripe refuses to detach a detached card
		if err := w.DeleteCard(t.Context(), token); err != nil {
			t.Errorf("got error %v, want none", err)
		}
	}
}
