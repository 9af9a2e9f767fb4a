package transactions_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
)

// TestRetrieveMyTransaction_CombinedIdentifiers checks that all identifiers in a request must belong to the transaction
// (contract §6.3).
func TestRetrieveMyTransaction_CombinedIdentifiers(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p, other := s.Sell("10.10"), s.Sell("10.10")
	names, others := queries(s, p), queries(s, other)
	all := url.Values{}
	for name, value := range names {
		all.Set(name, value)
	}
	if read := legacyTransaction(s, all.Encode()); read.Status != 200 || read.Text("id") != p.ID {
		t.Errorf("all five: got %d %s, want 200, id %s", read.Status, read.Body, p.ID)
	}
	for name, value := range others {
		mixed := url.Values{}
		for n, v := range all {
			mixed[n] = v
		}
		mixed.Set(name, value)
		notFound.Check(t, legacyTransaction(s, mixed.Encode()))
		for second, v := range names {
			if second != name {
				notFound.Check(t, legacyTransaction(s, url.Values{name: {value}, second: {v}}.Encode()))
			}
		}
	}
	noReason.Check(t, legacyTransaction(s, ""))
	noReason.Check(t, legacyTransaction(s, "event_types[]=REFUND"))
}

// TestRetrieveMyTransaction_SuccessorLink checks that replies name the successor, even if they are errors (contract
// §2.10).
func TestRetrieveMyTransaction_SuccessorLink(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	successor := `<http://cashwrap.test/v2.1/merchants/` + s.Merchant.Code + `/transactions>; rel="successor-version"`
	for query, status := range map[string]int{"id=" + p.ID: 200, "id=x": 404, "": 400} {
		got := legacyTransaction(s, query)
		if got.Status != status || got.Header.Get("Deprecation") != "@1793491200" || got.Header.Get("Link") != successor {
			t.Errorf("%s: got %d, Deprecation %q, Link %q, want %d, @1793491200, %q", query, got.Status,
				got.Header.Get("Deprecation"), got.Header.Get("Link"), status, successor)
		}
		if current := s.Transaction(query); current.Header.Get("Deprecation") != "" || current.Header.Get("Link") != "" {
			t.Errorf("%s, version 2.1: got %v, want no Deprecation and no Link", query, current.Header)
		}
	}
}

// makeEvents creates a transaction with an event of each kind: a refund, a declined refund, and a chargeback of more
// than the money that the payout still holds.
func makeEvents(s world.Shop) world.Payment {
	s.Helper()
	p := s.Sell("100")
	for _, step := range []struct {
		amount string
		status int
	}{{"1", 204}, {"42.01", 409}} {
		if got := refundV0(s, p, step.amount); got.Status != step.status {
			s.Fatalf("refund %s: got %d %s, want %d", step.amount, got.Status, got.Body, step.status)
		}
	}
	chargeback(s, p, "")
	return p
}

// chargeback makes the acquirer report a chargeback of the amount. "" means the whole rest.
func chargeback(s world.Shop, p world.Payment, amount string) {
	s.Helper()
	_, err := s.App.Processing.Chargeback(s.Context(), s.Tenant(), processing.ChargebackRequest{
		TransactionID: p.ID, ID: "cb-" + p.ID, Amount: literal(amount)})
	if err != nil {
		s.Fatal(err)
	}
}

// shown returns the events in both lists of a detail, each as "TYPE STATUS".
func shown(t *testing.T, read world.Response) (events, transactionEvents []string) {
	t.Helper()
	var body struct {
		Events            []struct{ Type, Status string }
		TransactionEvents []struct {
			Type   string `json:"event_type"`
			Status string
		} `json:"transaction_events"`
	}
	if err := json.Unmarshal(read.Body, &body); err != nil || read.Status != 200 {
		t.Fatalf("detail: got %d %s, %v, want 200 and events", read.Status, read.Body, err)
	}
	for _, e := range body.Events {
		events = append(events, e.Type+" "+e.Status)
	}
	for _, e := range body.TransactionEvents {
		transactionEvents = append(transactionEvents, e.Type+" "+e.Status)
	}
	slices.Sort(events)
	slices.Sort(transactionEvents)
	return events, transactionEvents
}

func TestRetrieveMyTransaction_EventFilters(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := makeEvents(s)
	const payout, refund, failed, back = "PAYOUT SCHEDULED", "REFUND REFUNDED", "REFUND FAILED", "CHARGE_BACK SUCCESSFUL"
	const deduction = "PAYOUT_DEDUCTION PENDING"
	for query, want := range map[string][]string{
		"": {back, payout, deduction, failed, refund}, "&event_types[]=REFUND": {failed, refund},
		"&event_types=REFUND,CHARGE_BACK": {back, failed, refund}, "&event_statuses[]=SCHEDULED": {payout},
		"&event_statuses=REFUNDED&event_statuses=FAILED":     {failed, refund},
		"&event_types[]=REFUND&event_statuses[]=FAILED":      {failed},
		"&event_types[0]=PAYOUT&event_statuses[0]=FAILED":    nil,
		"&event_types[]=PAYOUT_DEDUCTION":                    {deduction},
		"&event_types%5B%5D=PAYOUT&event_types%5B%5D=REFUND": {payout, failed, refund},
	} {
		events, older := shown(t, legacyTransaction(s, "id="+p.ID+query))
		if !slices.Equal(events, want) {
			t.Errorf("%s: got events %v, want %v", query, events, want)
		}
		want = slices.DeleteFunc(slices.Clone(want), func(e string) bool { return e == deduction })
		if !slices.Equal(older, want) {
			t.Errorf("%s: got transaction_events %v, want %v", query, older, want)
		}
	}
	for _, query := range []string{"event_types[]=PAYMENT", "event_types=refund", "event_types[]=REFUND,x"} {
		invalid("event_types").Check(t, legacyTransaction(s, "id="+p.ID+"&"+query))
	}
	for _, query := range []string{"event_statuses[]=BEGUN", "event_statuses=failed"} {
		invalid("event_statuses").Check(t, legacyTransaction(s, "id="+p.ID+"&"+query))
	}
	if events, newer := shown(t, s.Transaction("id="+p.ID+"&event_types[]=REFUND")); len(events) != 5 || len(newer) != 5 {
		t.Errorf("version 2.1: got %v, %v, want all 5 in each", events, newer)
	}
}

// TestRetrieveMyTransaction_Differences checks that the older form differs from the detail only where the contract says
// so.
func TestRetrieveMyTransaction_Differences(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	current, legacy := world.Fields(t, s.Transaction("id="+p.ID).Body), world.Fields(t,
		legacyTransaction(s, "id="+p.ID).Body)
	for name := range current {
		if current[name] != legacy[name] {
			t.Errorf("%s: got %s in the legacy detail, want %s", name, legacy[name], current[name])
		}
	}
	if len(current) != len(legacy) {
		t.Errorf("got %d members in the legacy detail, want %d", len(legacy), len(current))
	}
}

// TestRetrieveMyTransaction_SimpleStatuses checks that the legacy simple_status has no NON_COLLECTION.
func TestRetrieveMyTransaction_SimpleStatuses(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	_, err := s.App.Processing.Chargeback(t.Context(), s.Tenant(), processing.ChargebackRequest{TransactionID: p.Code,
		ID: "cb", Lost: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Transaction("id=" + p.ID).Text("simple_status"); got != "NON_COLLECTION" {
		t.Errorf("simple_status: got %s, want NON_COLLECTION", got)
	}
	if got := legacyTransaction(s, "id="+p.ID).Text("simple_status"); got != "CHARGEBACK" {
		t.Errorf("legacy simple_status: got %s, want CHARGEBACK", got)
	}
}

// TestProcessAs_CardKinds checks the kinds of cards in contract §2.7. A card number tells only the brand. A checkout at
// a reader asks for one kind of cards. Only credit cards can be paid in instalments.
func TestProcessAs_CardKinds(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).NewShop("BR", "BRL", nil)
	pay := func(number string, installments int) world.Payment {
		body := s.Card(number)
		body["installments"] = installments
		if number == amex {
			body["card"].(map[string]any)["cvv"] = "7373"
		}
		return s.Pay(s.Create("10.10", nil), body)
	}
	declined := world.Sale{Amount: "42.91", CardType: "credit"}
	for name, c := range map[string]struct {
		payment world.Payment
		want    string
	}{
		"a debit brand":    {pay("4917484589897107", 1), "DEBIT"},
		"a credit brand":   {pay(amex, 1), "CREDIT"},
		"any brand":        {pay(world.Frictionless, 1), ""},
		"instalments":      {pay(world.Frictionless, 2), "CREDIT"},
		"credit":           {s.PayAtReader(world.Sale{Amount: "10.66", CardType: "credit"}), "CREDIT"},
		"credit, a chip":   {s.PayAtReader(world.Sale{Amount: "50.01", CardType: "credit", Installments: 3}), "CREDIT"},
		"credit, declined": {s.PayAtReader(declined), "CREDIT"},
		"debit":            {s.PayAtReader(world.Sale{Amount: "10", CardType: "debit"}), "DEBIT"},
		"either, a chip":   {s.PayAtReader(world.Sale{Amount: "10"}), "CREDIT"}, // VISA CREDIT
		"either, a stripe": {s.PayAtReader(world.Sale{Amount: "10.66"}), ""},
		"no card":          {s.PayAtReader(world.Sale{Amount: "42.24", CardType: "credit"}), ""},
		"a code":           {s.PayAtReader(world.Sale{Amount: "10", Pix: true}), ""},
	} {
		current, legacy := s.Transaction("id="+c.payment.ID), legacyTransaction(s, "id="+c.payment.ID)
		if got, older := current.Text("process_as"), legacy.Text("process_as"); got != c.want ||
			older != strings.ToLower(c.want) {
			t.Errorf("%s: got process_as %q, legacy %q, want %q, in lower case there", name, got, older, c.want)
		}
	}
}

const amex = "374500262001008"

// TestRetrieveMyTransaction_ReceiptNumbers checks that receipt numbers are shown on request. Version 2.1 shows none.
func TestRetrieveMyTransaction_ReceiptNumbers(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := makeEvents(s)
	record, err := s.App.Store.Transaction(t.Context(), s.Tenant(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]string{}
	for _, e := range record.Events {
		if e.Type != payments.RefundEvent {
			continue
		}
		number, err := s.App.Store.NumberReceipt(t.Context(), s.Tenant(), p.Code, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		numbers[fmt.Sprint(e.NumericID())] = fmt.Sprint(number)
	}
	for version, read := range map[string]world.Response{"legacy": legacyTransaction(s, "id="+p.ID),
		"2.1": s.Transaction("id=" + p.ID)} {
		var body struct {
			Events []struct {
				ID        json.Number
				ReceiptNo string `json:"receipt_no"`
			}
		}
		if err := read.Into(&body); err != nil || len(body.Events) != 5 {
			t.Fatalf("%s: got %s, %v, want 5 events", version, read.Body, err)
		}
		for _, e := range body.Events {
			want := numbers[e.ID.String()]
			if version == "2.1" {
				want = ""
			}
			if e.ReceiptNo != want {
				t.Errorf("%s: event %s: got receipt %q, want %q", version, e.ID, e.ReceiptNo, want)
			}
		}
	}
}

// TestTaxEnabled_AdvancedMode checks that tax_enabled tells whether the payment's user was in advanced mode when the
// checkout was created (contract §6.3). For keys, clients and merchant tokens, the owner's app settings count.
func TestTaxEnabled_AdvancedMode(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	till, other := s.Employ("till@example.com", member.Permissions{}), s.OtherShop()
	atTill := s.WithKey(s.TokenOf(till))
	byOwner := map[string]world.Shop{"a key": s, "a client": s.WithKey(s.Token()),
		"the owner": s.WithKey(s.TokenOf(s.Owner())), "a merchant token": s.WithKey(s.MerchantToken())}
	wants := func(of world.Shop, p world.Payment, seller string, want bool) {
		t.Helper()
		legacy, current := legacyTransaction(of, "id="+p.ID), of.Transaction("id="+p.ID)
		if got := world.Fields(t, legacy.Body)["tax_enabled"]; got != fmt.Sprint(want) {
			t.Errorf("sold by %s: got tax_enabled %s, want %t", seller, got, want)
		}
		world.Holds(t, current.Body, map[string]string{"tax_enabled": "false"})
	}
	pay := func(by world.Shop) world.Payment { return s.Pay(by.Create("5", nil), s.Card(world.Frictionless)) }
	before := s.Create("5", nil)
	for _, step := range []struct{ owner, till string }{{"", ""}, {"ON", "OFF"}, {"on", "On"}, {"ONCE", "ON"},
		{"OFF", "OFF"}} {
		s.Operate(map[string]any{"command": "update_account", "merchant_code": s.Merchant.Code,
			"account": map[string]any{"app_settings": map[string]any{"advanced_mode": step.owner}}}, nil)
		s.Operate(map[string]any{"command": "update_operator", "merchant_code": s.Merchant.Code,
			"operator_id": till.Number(), "app_settings": map[string]any{"advanced_mode": step.till}}, nil)
		for name, seller := range byOwner {
			wants(s, pay(seller), name+", "+step.owner, strings.EqualFold(step.owner, "ON"))
		}
		wants(s, pay(atTill), "the till, "+step.till, strings.EqualFold(step.till, "ON"))
		wants(s, atTill.PayAtReader(world.Sale{Amount: "5"}), "the till at a reader", strings.EqualFold(step.till, "ON"))
		if step.owner == "on" {
			wants(s, s.Pay(before, s.Card(world.Frictionless)), "a key before", false)
			wants(s, pay(s.WithKey(other.Join(s, other.Owner(), member.RoleEmployee))), "another merchant's owner", false)
			wants(other, other.Sell("5"), "another merchant", false)
		}
	}
	created := s.NewShop("DE", "EUR", map[string]any{"account": map[string]any{
		"app_settings": map[string]any{"advanced_mode": "ON"}}})
	wants(created, created.Sell("5"), "a merchant that began so", true)
}
