package checkouts_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
)

// ideal returns a request body for a payment by a method that needs the payer's details, such as iDEAL.
func ideal(method string, changes ...change) map[string]any {
	return edited(map[string]any{"payment_type": method, "personal_details": map[string]any{"first_name": "Ada",
		"last_name": "Lovelace",
		"email":     "ada@example.com", "address": map[string]any{"country": "NL"}}}, changes...)
}

// bank returns the path of the bank's page, to which a payment by redirect leads.
func bank(t *testing.T, started world.Response) string {
	t.Helper()
	var body struct {
		NextStep struct{ URL string } `json:"next_step"`
	}
	if err := started.Into(&body); err != nil || started.Status != 200 || body.NextStep.URL == "" {
		t.Fatalf("got %d %s, %v, want 200 and a next step", started.Status, started.Body, err)
	}
	return strings.TrimPrefix(body.NextStep.URL, "http://cashwrap.test")
}

// decide presses a button of the bank's page as the payer.
func decide(s world.Shop, page, decision string) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: "POST", Path: page, Body: url.Values{"decision": {decision}}, APIKey: world.NoKey})
}

func TestRedirectPayment_EachMethod(t *testing.T) {
	t.Parallel()
	germany := world.NewShop(t).WithCallbacks()
	poland, switzerland := germany.NewShop("PL", "PLN", nil), germany.NewShop("CH", "CHF", nil)
	for _, c := range []struct {
		at      world.Shop
		methods []string
	}{
		{germany, []string{"ideal", "bancontact", "eps", "mybank", "satispay"}}, {poland, []string{"blik", "p24"}},
		{switzerland, []string{"twint"}},
	} {
		for _, method := range c.methods {
			t.Run(method, func(t *testing.T) { payByRedirect(t, c.at, method) })
		}
	}
}

func payByRedirect(t *testing.T, s world.Shop, method string) {
	id := s.Create("10.10", nil)
	started := s.ProcessCheckout(id, ideal(method))
	page := bank(t, started)
	want := `{"next_step":{"url":"http://cashwrap.test` + page +
		`","method":"GET","mechanism":["browser"],"payload":{"payment_type":"` + method +
		`"},"full":"http://cashwrap.test` + page + `?payment_type=` + method + `"}}`
	if string(started.Body) != want {
		t.Errorf("got %s\nwant %s", started.Body, want)
	}
	wantStatuses(t, s, id, "PENDING PENDING")
	shown := s.Do(world.Request{Method: "GET", Path: page + "?payment_type=" + method, APIKey: world.NoKey})
	if shown.Status != 200 || !strings.Contains(string(shown.Body), "10.10 "+s.Currency) {
		t.Errorf("page: got %d %s, want 200 and 10.10 %s in it", shown.Status, shown.Body, s.Currency)
	}
	back := decide(s, page, "pay")
	location, home := back.Header.Get("Location"), world.RedirectURL+"&checkout_id="+id
	if back.Status != 303 || location != home {
		t.Errorf("got %d to %q, want 303 to %q", back.Status, location, home)
	}
	wantOutcome(t, s, id, outcome{"PAID SUCCESSFUL", 1, 1})
	world.Holds(t, transactions(t, s.Checkout(id))[0], map[string]string{"entry_mode": `"` + strings.ToUpper(method) + `"`,
		"payment_type": `"ECOM"`})
}

func TestRedirectPayment_EachAnswer(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	page := bank(t, s.ProcessCheckout(id, ideal("ideal")))
	for _, step := range []struct {
		page, decision string
		status         int
		want           outcome
	}{
		{page, "refund", 400, outcome{"PENDING PENDING", 0, 0}},
		{"/apm/guess", "pay", 404, outcome{"PENDING PENDING", 0, 0}},
		{page, "leave", 303, outcome{"PENDING PENDING", 0, 0}},
		{page, "fail", 303, outcome{"FAILED FAILED", 1, 0}},
		{page, "pay", 303, outcome{"FAILED FAILED", 1, 0}},
	} {
		got := decide(s, step.page, step.decision)
		s.Want(step.decision, step.status, got)
		wantOutcome(t, s, id, step.want)
	}
}

// TestRedirectPayment_PayerStaysAway checks that the sweep records a payment whose payer did not come back from the
// bank.
func TestRedirectPayment_PayerStaysAway(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	page := bank(t, s.ProcessCheckout(id, ideal("ideal")))
	if _, err := s.App.Sandbox.DecideSession(t.Context(), strings.TrimPrefix(page, "/apm/"), sandbox.Pay); err != nil {
		t.Fatal(err)
	}
	wantStatuses(t, s, id, "PENDING PENDING")
	s.PassMinute()
	wantOutcome(t, s, id, outcome{"PAID SUCCESSFUL", 1, 1})
}

func TestRedirectPayment_NoAnswer(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	page := bank(t, s.ProcessCheckout(id, ideal("ideal")))
	s.Clock.Advance(30 * time.Minute)
	s.RunUntilIdle()
	wantOutcome(t, s, id, outcome{"FAILED FAILED", 1, 0})
	if decide(s, page, "pay"); s.Statuses(id) != "FAILED FAILED" || s.CheckoutRecords(id).Captured != 0 {
		t.Errorf("too late: got %s, captured %d, want FAILED FAILED, 0", s.Statuses(id), s.CheckoutRecords(id).Captured)
	}
}

func TestRedirectPayment_OtherMethodMeanwhile(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	page := bank(t, s.ProcessCheckout(id, ideal("ideal")))
	second := bank(t, s.ProcessCheckout(id, ideal("eps")))
	if decide(s, page, "pay"); s.Statuses(id) != "PENDING CANCELLED PENDING" || s.CheckoutRecords(id).Captured != 0 {
		t.Errorf("the first page: got %s, captured %d, want PENDING CANCELLED PENDING, 0", s.Statuses(id),
			s.CheckoutRecords(id).Captured)
	}
	decide(s, second, "pay")
	wantOutcome(t, s, id, outcome{"PAID CANCELLED SUCCESSFUL", 1, 1})
}

func TestRedirectPayment_PayerDetails(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	poland, switzerland := s.NewShop("PL", "PLN", nil), s.NewShop("CH", "CHF", nil)
	for method, at := range map[string]world.Shop{"ideal": s, "bancontact": s, "eps": s, "mybank": s, "satispay": s,
		"blik": poland, "p24": poland} {
		t.Run(method, func(t *testing.T) {
			id := at.Create("10.10", nil)
			for _, field := range []string{"first_name", "last_name", "email", "address.country"} {
				missing("personal_details."+field).Check(t,
					at.ProcessCheckout(id, ideal(method, change{"personal_details." + field, absent})))
			}
			checkFaults(t, at.ProcessCheckout(id, ideal(method, change{"personal_details", map[string]any{}})),
				fault{"MISSING", "personal_details.first_name"},
				fault{"MISSING", "personal_details.last_name"}, fault{"MISSING", "personal_details.email"},
				fault{"MISSING", "personal_details.address.country"})
			wantStatuses(t, at, id, "PENDING")
		})
	}
	t.Run("twint asks nothing", func(t *testing.T) {
		bank(t, switzerland.ProcessCheckout(switzerland.Create("10.10", nil), map[string]any{"payment_type": "twint"}))
	})
	t.Run("the checkout knows", func(t *testing.T) {
		known := s.Create("10.10", fields{"personal_details": ideal("ideal")["personal_details"]})
		bank(t, s.ProcessCheckout(known, map[string]any{"payment_type": "ideal"}))
		bank(t, s.ProcessCheckout(known, ideal("ideal", change{"personal_details", map[string]any{"first_name": "Grace"}})))
	})
}
