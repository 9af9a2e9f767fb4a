package checkout_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
)

const base = "https://api.example"

func viewer() checkout.Viewer {
	return checkout.Viewer{BaseURL: base, Now: func() time.Time { return now },
		Processing: processing.New(processing.Config{SessionKey: func(time.Time) []byte { return []byte("key") }})}
}

// small returns a checkout with only the fields that every checkout has.
func small() payments.Checkout {
	return payments.Checkout{ID: "id", Reference: "order", Amount: money.MustParse("10.10", "EUR"),
		Payee:  payments.Payee{Code: "MC1", Name: "Shop", Country: "DE", Sandbox: true},
		Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout, CreatedAt: now.Add(-time.Hour)}
}

// full returns a checkout with all optional fields.
func full() payments.Checkout {
	c, until, hosted := small(), now.Add(time.Hour), true
	c.NamedByEmail, c.Description, c.CreatedBy = "till@shop.example", "Tea", "key1"
	c.ReturnURL, c.RedirectURL = "https://shop.example/hook", "https://shop.example/end"
	c.Status, c.ValidUntil, c.CustomerID, c.InstrumentToken = payments.CheckoutPaid, &until, "customer", "token"
	c.Mandate = &payments.Mandate{Type: "recurrent", Status: payments.MandateActive, MerchantCode: "MC1"}
	c.HostedCheckout = &hosted
	c.Transactions = []payments.CheckoutTransaction{{ID: "t1", Code: "TCODE", Amount: c.Amount, CreatedAt: now,
		Status: payments.TransactionSuccessful, PaymentType: "ECOM", EntryMode: "CUSTOMER_ENTRY", Installments: 1,
		MerchantCode: "MC1", AuthCode: "123456"}}
	return c
}

// jsonNames returns the names of a checkout's JSON members.
func jsonNames(t *testing.T, v checkout.View) map[string]bool {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for name := range members {
		all[name] = true
	}
	return all
}

var always = []string{"id", "checkout_reference", "amount", "currency", "merchant_code", "merchant_name",
	"merchant_country", "merchant_sandbox", "purpose", "checkout_type", "status", "date", "transactions"}

func set(lists ...[]string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for _, name := range list {
			all[name] = true
		}
	}
	return all
}

// TestViewer_FieldsByCaller checks that empty fields are left out. A payer's browser also does not get the fields that
// contract §2.1 hides.
func TestViewer_FieldsByCaller(t *testing.T) {
	t.Parallel()
	payers := []string{"description", "redirect_url", "valid_until", "transaction_code", "transaction_id",
		"hosted_checkout", "hosted_checkout_url"}
	merchants, cards := []string{"pay_to_email", "user_id", "return_url", "customer_id"}, []string{"mandate",
		"payment_instrument"}
	caller := func(kind identity.Kind, permissions ...identity.Permission) identity.Principal {
		return identity.Principal{Actor: identity.Actor{Kind: kind}, Permissions: permissions}
	}
	for name, c := range map[string]struct {
		got  checkout.View
		want map[string]bool
	}{
		"little":     {viewer().Of(small()), set(always)},
		"all":        {viewer().Of(full()), set(always, payers, merchants, cards)},
		"key":        {viewer().For(caller(identity.SecretKey), full()), set(always, payers, merchants, cards)},
		"public key": {viewer().For(caller(identity.PublicKey), full()), set(always, payers)},
		"token":      {viewer().For(caller(identity.MerchantToken), full()), set(always, payers)},
		"employee": {viewer().For(caller(identity.Operator, identity.FullTransactionHistoryView), full()),
			set(always, payers, merchants)},
		"cashier": {viewer().For(caller(identity.User, identity.CreateMOTOPayments), full()),
			set(always, payers, merchants, cards)},
		"payer": {viewer().ForPayer(full()), set(always, payers)},
		"page":  {viewer().ForPage(full()), set(always, payers)},
	} {
		if diff := cmp.Diff(c.want, jsonNames(t, c.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestViewer_ExpiredOrHosted checks that a checkout is shown as expired even before the sweep has recorded this. It
// also checks that only a hosted checkout has the address of a page.
func TestViewer_ExpiredOrHosted(t *testing.T) {
	t.Parallel()
	c, past, no := small(), now, false
	c.ValidUntil, c.HostedCheckout = &past, &no
	got := viewer().Of(c)
	if got.Status != payments.CheckoutExpired || got.HostedCheckout.Enabled || got.HostedCheckoutURL != "" {
		t.Errorf("got status %s, hosted %+v at %q; want EXPIRED, not hosted", got.Status, got.HostedCheckout,
			got.HostedCheckoutURL)
	}
	if got, want := viewer().Of(full()).HostedCheckoutURL, base+"/pay/c-id"; got != want {
		t.Errorf("got page %q, want %q", got, want)
	}
}

// TestForPage_LatestAttemptOnly checks that earlier attempts are hidden. Other people who have the page's link may have
// made those attempts.
func TestForPage_LatestAttemptOnly(t *testing.T) {
	t.Parallel()
	c := full()
	c.Transactions = append([]payments.CheckoutTransaction{{ID: "t0", Amount: c.Amount}}, c.Transactions...)
	for name, want := range map[string]struct {
		attempt *payments.Attempt
		shown   int
	}{
		"paid":      {&payments.Attempt{ID: "t1"}, 1},
		"undecided": {&payments.Attempt{ID: "t2"}, 0},
		"none":      {nil, 0},
	} {
		c.Attempt = want.attempt
		if got := viewer().ForPage(c).Transactions; len(got) != want.shown {
			t.Errorf("%s: got %+v, want %d", name, got, want.shown)
		}
	}
	if got := viewer().ForPayer(c).Transactions; len(got) != 2 {
		t.Errorf("got %+v, want both with a public key", got)
	}
}
