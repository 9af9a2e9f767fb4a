package checkouts_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// The sandbox's cards (contract §12).
var (
	frictionlessCards = []string{
		"4200000000000091", "4200000000000109", "4200000000000026", "4200000000000059",
		"5200000000000007", "5200000000000023", "5200000000000056", "5200000000000106", "374500262001008",
		"4111111111111111", "5555555555554444", "6011111111111117", // accepted, but not listed in the contract
	}
	challengedCards = []string{
		"4200000000000042", "4200000000000067", "4200000000000018", "4200000000000075",
		"5200000000000015", "5200000000000049", "5200000000000064", "5200000000000072", "343434343434343",
	}
	failingCards = []string{
		"4012001037461114", "5434580000000006", "4012001037141112", "5457350076543210",
		"4532497088771651", "5497260847316287",
	}
	declinedAmounts = []string{"11.00", "42.01", "42.76", "42.91"}
)

func TestProcessCheckout_EachSandboxCard(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for _, c := range []struct {
		numbers []string
		status  int
		want    outcome
	}{
		{frictionlessCards, 200, outcome{"PAID SUCCESSFUL", 1, 1}},
		{challengedCards, 202, outcome{"PENDING PENDING", 0, 0}},
		{failingCards, 200, outcome{"FAILED FAILED", 1, 0}},
	} {
		for _, number := range c.numbers {
			t.Run(number, func(t *testing.T) {
				id := s.Create("10.10", nil)
				got := s.ProcessCheckout(id, s.Card(number))
				if got.Status != c.status {
					t.Errorf("got %d %s, want %d", got.Status, got.Body, c.status)
				}
				wantOutcome(t, s, id, c.want)
				if got.Status == 200 && string(got.Body) != string(s.Checkout(id).Body) {
					t.Errorf("got %s\nwant as read: %s", got.Body, s.Checkout(id).Body)
				}
			})
		}
	}
}

func TestProcessCheckout_DeclinedAmount(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	wallet := map[string]any{"payment_type": "google_pay", "google_pay": map[string]any{"signature": "x"}}
	for _, amount := range declinedAmounts {
		for name, body := range map[string]map[string]any{"card": s.Card(world.Frictionless),
			"challenge": s.Card(world.Challenged), "wallet": wallet} {
			t.Run(name+" "+amount, func(t *testing.T) {
				id := s.Create("10.10", fields{"amount": amount})
				got := s.ProcessCheckout(id, body)
				if got.Status != 200 {
					t.Errorf("got %d %s, want 200", got.Status, got.Body)
				}
				wantOutcome(t, s, id, outcome{"FAILED FAILED", 1, 0})
				world.Holds(t, got.Body, map[string]string{"transaction_id": "", "transaction_code": "", "payment_instrument": ""})
			})
		}
	}
}

// TestProcessCheckout_DeclinedInMinorUnits checks that in a currency without decimals 1100 is declined like 11.00, and
// 11 is not.
func TestProcessCheckout_DeclinedInMinorUnits(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("HU", "HUF", nil)
	id := s.Create("1100", nil)
	s.ProcessCheckout(id, s.Card(world.Frictionless))
	wantStatuses(t, s, id, "FAILED FAILED")
	s.MustPay(s.Create("11", nil), s.Card(world.Frictionless))
}

// TestProcessCheckout_AcquirerDown checks that the checkout does not change while the acquirer is down. The merchant
// may try again, even with the same Idempotency-Key (contract §3.4).
func TestProcessCheckout_AcquirerDown(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("42.24", nil)
	before := s.Checkout(id)
	body := s.Card(world.Frictionless)
	process := func() world.Response {
		return s.Do(world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + id, Body: body,
			IdempotencyKey: "again"})
	}
	for range 2 {
		got := process()
		if upstream.Check(t, got); got.Header.Get("Retry-After") == "" || got.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("got headers %v, want Retry-After and no Idempotency-Replayed", got.Header)
		}
	}
	s.PassMinute()
	if after := s.Checkout(id); string(after.Body) != string(before.Body) || s.CallbacksReceived(id) != 0 {
		t.Errorf("got %s, %d callbacks\nwant no callback, and it unchanged: %s", after.Body, s.CallbacksReceived(id),
			before.Body)
	}
	s.Must(200, s.Send("PATCH", "/v0.1/checkouts/"+id, map[string]any{"amount": 42.23}))
	if got := process(); got.Status != 200 || s.Statuses(id) != "PAID SUCCESSFUL" {
		t.Errorf("got %d %s, statuses %s, want 200, PAID SUCCESSFUL", got.Status, got.Body, s.Statuses(id))
	}
}

// TestIdempotencyKey_RefusedByRunningAttempt checks that a refusal during another attempt is not stored (contract
// §2.8). After the attempt has ended, the same request gets a new answer, which is stored.
func TestIdempotencyKey_RefusedByRunningAttempt(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	pending, waiting := s.Create("42.25", nil), s.Create("10.10", nil)
	s.ProcessCheckout(pending, s.Card(world.Frictionless))
	form := s.Challenge(s.ProcessCheckout(waiting, s.Card(world.Challenged)), "reject")
	asked := map[string]world.Request{}
	for name, r := range map[string]world.Request{
		"process":    {Method: "PUT", Path: pending, Body: s.Card(world.Frictionless)},
		"update":     {Method: "PATCH", Path: pending, Body: map[string]any{"amount": 1}},
		"deactivate": {Method: "DELETE", Path: pending},
		"reprice":    {Method: "PATCH", Path: waiting, Body: map[string]any{"amount": 1}},
	} {
		r.Path, r.IdempotencyKey = "/v0.1/checkouts/"+r.Path, name
		if got := s.Do(r); got.Status != 409 {
			t.Fatalf("%s: got %d %s, want 409", name, got.Status, got.Body)
		}
		asked[name] = r
	}
	s.PassMinute()
	answer(s, waiting, form)
	for name, r := range asked {
		ended, again := s.Do(r), s.Do(r)
		if name == "reprice" {
			world.Holds(t, ended.Body, map[string]string{"amount": "1.00", "status": `"FAILED"`})
		} else {
			processed.Check(t, ended)
		}
		if ended.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Idempotency-Replayed") != "true" ||
			string(again.Body) != string(ended.Body) {
			t.Errorf("%s: got %s, replayed %q, then %s, replayed %q; want the same twice, replayed the second time", name,
				ended.Body, ended.Header.Get("Idempotency-Replayed"), again.Body, again.Header.Get("Idempotency-Replayed"))
		}
	}
}

// TestProcessCheckout_UnknownOutcome checks that the checkout stays PENDING until the acquirer answers. Meanwhile other
// operations do not change it (contract §3.4).
func TestProcessCheckout_UnknownOutcome(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("42.25", nil)
	got := s.ProcessCheckout(id, s.Card(world.Frictionless))
	if got.Status != 200 || s.Statuses(id) != "PENDING PENDING" || got.Text("status") != "PENDING" {
		t.Errorf("got %d %s, statuses %s, want 200, PENDING, and PENDING PENDING", got.Status, got.Body, s.Statuses(id))
	}
	at := "/v0.1/checkouts/" + id
	busy.Check(t, s.ProcessCheckout(id, s.Card(world.Frictionless)))
	busy.Check(t, s.Send("PATCH", at, map[string]any{"amount": 1}))
	closed.Check(t, s.Send("DELETE", at, nil))
	wantOutcome(t, s, id, outcome{"PENDING PENDING", 0, 0})
	s.PassMinute()
	wantOutcome(t, s, id, outcome{"PAID SUCCESSFUL", 1, 1})
	world.Holds(t, s.Checkout(id).Body, map[string]string{"amount": "42.25"})
}

// TestProcessCheckout_WholeLife follows contract §4.5 from beginning to end.
func TestProcessCheckout_WholeLife(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	for _, step := range []struct {
		number string
		want   outcome
	}{
		{failingCards[0], outcome{"FAILED FAILED", 1, 0}},
		{failingCards[1], outcome{"FAILED FAILED FAILED", 2, 0}},
		{world.Challenged, outcome{"PENDING FAILED FAILED PENDING", 2, 0}},
		{failingCards[2], outcome{"FAILED FAILED FAILED CANCELLED FAILED", 3, 0}},
		{world.Frictionless, outcome{"PAID FAILED FAILED CANCELLED FAILED SUCCESSFUL", 4, 1}},
	} {
		s.ProcessCheckout(id, s.Card(step.number))
		wantOutcome(t, s, id, step.want)
	}
	paid := s.Checkout(id)
	processed.Check(t, s.ProcessCheckout(id, s.Card(world.Frictionless)))
	processed.Check(t, s.Send("DELETE", "/v0.1/checkouts/"+id, nil))
	processed.Check(t, s.Send("PATCH", "/v0.1/checkouts/"+id, map[string]any{"amount": 1}))
	s.PassMinute()
	if after := s.Checkout(id); string(after.Body) != string(paid.Body) {
		t.Errorf("got %s\nwant it unchanged: %s", after.Body, paid.Body)
	}
	wantCallbacks(t, s, id, 4)
	if n := s.CheckoutRecords(id).Captured; n != 1 {
		t.Errorf("got %d captures, want 1", n)
	}
}

// TestCallback_NoReturnURL checks that a checkout without return_url sends no callback, for any outcome.
func TestCallback_NoReturnURL(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	s.MustPay(s.Create("10.10", fields{"return_url": nil}), s.Card(world.Frictionless))
	s.ProcessCheckout(s.Create("10.10", fields{"return_url": nil}), s.Card(failingCards[0]))
	s.ProcessCheckout(s.Create("42.25", fields{"return_url": nil}), s.Card(world.Frictionless))
	challenge := s.Create("10.10", fields{"return_url": nil})
	answer(s, challenge, s.Challenge(s.ProcessCheckout(challenge, s.Card(world.Challenged)), "approve"))
	s.Send("DELETE", "/v0.1/checkouts/"+s.Create("10.10", fields{"return_url": nil}), nil)
	s.Create("10.10", fields{"return_url": nil, "valid_until": soon})
	s.PassMinute()
	if got := s.Receiver.Deliveries(); len(got) != 0 {
		t.Errorf("got callbacks %v, want none", got)
	}
}

func TestProcessCheckout_AttemptLimit(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	for i := range 10 {
		if got := s.ProcessCheckout(id, s.Card(failingCards[0])); got.Status != 200 {
			t.Fatalf("attempt %d: got %d %s, want 200", i+1, got.Status, got.Body)
		}
		s.Clock.Advance(time.Minute)
	}
	before := s.Checkout(id)
	got := s.ProcessCheckout(id, s.Card(world.Frictionless))
	if tooMany.Check(t, got); got.Header.Get("Retry-After") != "3000" { // the first attempt counts for 50 minutes more
		t.Errorf("got Retry-After %q, want 3000", got.Header.Get("Retry-After"))
	}
	if after := s.Checkout(id); string(after.Body) != string(before.Body) {
		t.Errorf("got %s\nwant it unchanged: %s", after.Body, before.Body)
	}
	s.MustPay(s.Create("10.10", nil), s.Card(world.Frictionless)) // other checkouts have their own limit
	s.Clock.Advance(50 * time.Minute)
	s.MustPay(id, s.Card(world.Frictionless))
}

// TestProcessCheckout_EleventhAttempt checks that the refusal of the eleventh attempt does not cancel the tenth, which
// waits for its challenge.
func TestProcessCheckout_EleventhAttempt(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	for range 9 {
		s.ProcessCheckout(id, s.Card(failingCards[0]))
	}
	form := s.Challenge(s.ProcessCheckout(id, s.Card(world.Challenged)), "approve")
	before := s.Checkout(id)
	tooMany.Check(t, s.ProcessCheckout(id, s.Card(world.Frictionless)))
	if after := s.Checkout(id); string(after.Body) != string(before.Body) {
		t.Errorf("got %s\nwant it unchanged: %s", after.Body, before.Body)
	}
	answer(s, id, form)
	wantStatuses(t, s, id, "PAID "+strings.Repeat("FAILED ", 9)+"SUCCESSFUL")
}

func TestIdempotencyKey_ProcessCheckout(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for _, number := range []string{world.Frictionless, failingCards[0], world.Challenged} {
		t.Run(number, func(t *testing.T) {
			id := s.Create("10.10", nil)
			send := func(body map[string]any) world.Response {
				return s.Do(world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + id, Body: body,
					IdempotencyKey: fmt.Sprint("pay ", number[12:])})
			}
			first := send(s.Card(number))
			want := s.Statuses(id)
			second := send(s.Card(number))
			if second.Status != first.Status || string(second.Body) != string(first.Body) ||
				second.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("replay: got %d %s, headers %v\nwant %d %s, Idempotency-Replayed true", second.Status, second.Body,
					second.Header, first.Status, first.Body)
			}
			wantStatuses(t, s, id, want)
			world.Refused(422, "IDEMPOTENCY_KEY_REUSED", "", "idempotency-key-reused").Check(t, send(s.Card("4111111111111111")))
		})
	}
}

func TestProcessCheckout_GooglePay(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", fields{"customer_id": s.Customer()})
	paid := s.MustPay(id, map[string]any{"payment_type": "google_pay", "google_pay": map[string]any{"signature": "x",
		"protocolVersion": "ECv2"}})
	world.Holds(t, transactions(t, paid)[0], map[string]string{"entry_mode": `"GOOGLE_PAY"`, "payment_type": `"ECOM"`})
	world.Holds(t, paid.Body, map[string]string{"payment_instrument": ""})
}

func TestProcessCheckout_InstallmentsInBrazil(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("BR", "BRL", nil)
	for _, n := range []int{1, 2, 12} {
		paid := s.MustPay(s.Create("10.10", nil), edited(s.Card(world.Frictionless), change{"installments", n}))
		world.Holds(t, transactions(t, paid)[0], map[string]string{"installments_count": fmt.Sprint(n)})
	}
	id := s.Create("10.10", nil)
	for _, n := range []int{13, 0, -1} {
		invalid("installments").Check(t, s.ProcessCheckout(id, edited(s.Card(world.Frictionless), change{"installments", n})))
	}
}

func TestProcessCheckout_ZipCodeInUSA(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("US", "USD", nil)
	id := s.Create("10.10", nil)
	missing("card.zip_code").Check(t, s.ProcessCheckout(id, s.Card(world.Frictionless)))
	for _, zip := range []string{"1234", "123456", "9021O", "90210-1"} {
		invalid("card.zip_code").Check(t,
			s.ProcessCheckout(id, edited(s.Card(world.Frictionless), change{"card.zip_code", zip})))
	}
	s.MustPay(id, edited(s.Card(world.Frictionless), change{"card.zip_code", "90210"}))
}

// TestProcessCheckout_CardOfNumbers checks card fields that are sent as JSON numbers, and so without leading zeros
// (contract §2.2).
func TestProcessCheckout_CardOfNumbers(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("US", "USD", nil)
	const amex = "374500262001008"
	for _, c := range []struct {
		number, month, year, cvv, zip string
		refused                       string // the refused field; "" if accepted
	}{
		{world.Frictionless, "12", "2030", "123", "90210", ""},
		{world.Frictionless, "3", "30", "123", "2134", ""},
		{world.Frictionless, "3", "2030", `"012"`, "2134", ""},
		{amex, "12", "2030", "1234", "90210", ""},
		{amex, "12", "2030", `"0123"`, "90210", ""},
		{amex, "12", "2030", "123", "90210", "card.cvv"}, // 0123 without its leading zero
		{world.Frictionless, "12", "2030", "12", "90210", "card.cvv"},
		{world.Frictionless, "12", "2030", "1234", "90210", "card.cvv"},
		{world.Frictionless, "12", "2030", "-123", "90210", "card.cvv"},
		{world.Frictionless, "12", "2030", "123.0", "90210", "card.cvv"},
		{world.Frictionless, "13", "2030", "123", "90210", "card.expiry_month"},
		{world.Frictionless, "0", "2030", "123", "90210", "card.expiry_month"},
		{world.Frictionless, "1e0", "2030", "123", "90210", "card.expiry_month"},
		{world.Frictionless, "12", "203", "123", "90210", "card.expiry_year"},
		{world.Frictionless, "12", "9", "123", "90210", "card.expiry_year"}, // means 09, the year 2009
		{world.Frictionless, "12", "2030", "123", "902100", "card.zip_code"},
		{"4.20e15", "12", "2030", "123", "90210", "card.number"},
		{world.Frictionless + ".0", "12", "2030", "123", "90210", "card.number"},
		{"4200000000000090", "12", "2030", "123", "90210", "card.number"},
		{"true", "12", "2030", "123", "90210", "card.number"},
	} {
		id := s.Create("10.10", nil)
		body := json.RawMessage(fmt.Sprintf(`{"payment_type":"card","card":{"name":"Ada","number":%s,"expiry_month":%s,`+
			`"expiry_year":%s,"cvv":%s,"zip_code":%s}}`, c.number, c.month, c.year, c.cvv, c.zip))
		got := s.Main().DoUnchecked(world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + id, Body: body,
			APIKey: s.Merchant.Key.Plaintext})
		if c.refused == "" {
			if got.Status != http.StatusOK || got.Text("status") != "PAID" {
				t.Errorf("%s: got %d %s, want 200 and PAID", body, got.Status, got.Body)
			}
		} else if got.Status != http.StatusBadRequest || got.Text("param") != c.refused {
			t.Errorf("%s: got %d %s, want 400 that names %s", body, got.Status, got.Body, c.refused)
		}
	}
}
