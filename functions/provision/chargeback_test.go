package provision_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// sell charges a card for a checkout of the amount, with or without success, and delivers its callback.
func (d operator) sell(m provisioned, reference string, amount any, returnURL string) world.Payment {
	d.Helper()
	order := fields{"checkout_reference": reference}
	if returnURL != "" {
		order["return_url"] = returnURL
	}
	shop := d.shop(m)
	p := shop.Pay(shop.Create(fmt.Sprint(amount), order), shop.Card(world.Frictionless))
	d.RunUntilIdle()
	return p
}

// chargedBack is the answer to charge_back.
type chargedBack struct {
	ID            string
	EventID       int64  `json:"event_id"`
	TransactionID string `json:"transaction_id"`
	Code          string `json:"transaction_code"`
	Amount        json.Number
	Currency      string
	SimpleStatus  string `json:"simple_status"`
}

func (d operator) recordChargeback(m provisioned, transaction string, more fields) chargedBack {
	d.Helper()
	return run[chargedBack](d, chargeBackCommand(m, transaction, more))
}

func chargeBackCommand(m provisioned, transaction string, more fields) fields {
	command := fields{"command": "charge_back", "merchant_code": m.Code, "transaction": transaction}
	for name, value := range more {
		command[name] = value
	}
	return command
}

// recorded has the chargebacks of a sale, as each side records them.
type recorded struct {
	acquirer, platform string // amounts; "" for none
	entries, events    int
	status             payments.SimpleStatus
}

func (d operator) readRecorded(m provisioned, s world.Payment) recorded {
	d.Helper()
	tenant := identity.Tenant{Mode: identity.Test, Merchant: m.Code}
	r, err := d.App.Store.Transaction(d.Context(), tenant, s.ID)
	if err != nil {
		d.Fatal(err)
	}
	moved, err := d.App.Sandbox.Moved(d.Context(), s.ID)
	if err != nil {
		d.Fatal(err)
	}
	entries, err := d.App.Store.Entries(d.Context(), tenant, ledger.OfTransaction(r.ID))
	if err != nil {
		d.Fatal(err)
	}
	got := recorded{platform: r.ChargedBack.String(), status: r.SimpleStatus()}
	if amount, ok := moved[acquirer.ChargebackMovement]; ok {
		got.acquirer = amount.String()
	}
	for _, e := range entries {
		if e.Kind == ledger.Chargeback {
			got.entries++
		}
	}
	for _, e := range r.Events {
		if e.Type == payments.ChargebackEvent && e.Status == payments.EventSuccessful {
			got.events++
		}
	}
	return got
}

func (d operator) wantRecorded(m provisioned, s world.Payment, want recorded) {
	d.Helper()
	if got := d.readRecorded(m, s); got != want {
		d.Errorf("charged back: got %+v, want %+v", got, want)
	}
}

func TestChargeBack(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	shop := d.Receive()
	m := d.createMerchant(nil)
	s := d.sell(m, "1", 10.10, shop.URL)
	before := len(shop.Messages(s.Checkout))
	got := d.recordChargeback(m, s.Code, fields{"amount": "2.5", "id": "arn-1"})
	if want := (chargedBack{"arn-1", got.EventID, s.ID, s.Code, "2.50", "EUR", "CHARGEBACK"}); got != want {
		t.Errorf("answer: got %+v, want %+v", got, want)
	}
	for _, again := range []fields{{"id": "arn-1"}, {"id": "arn-1", "amount": 2.5}, {"id": "arn-1", "lost": true}} {
		if repeated := d.recordChargeback(m, s.ID, again); repeated != got {
			t.Errorf("%v repeated: got %+v, want %+v", again, repeated, got)
		}
	}
	d.wantRecorded(m, s, recorded{"2.50", "2.50", 1, 1, "CHARGEBACK"})
	d.CheckJournal()
	d.RunUntilIdle()
	if now := len(shop.Messages(s.Checkout)); now != before+1 {
		t.Errorf("got %d callbacks, want %d", now, before+1)
	}
	history := d.Do(world.Request{Method: "GET", APIKey: m.Key.Plaintext,
		Path: "/v2.1/merchants/" + m.Code + "/transactions/history?types[]=CHARGE_BACK"})
	var listed struct {
		Items []struct {
			TransactionID string `json:"transaction_id"`
			Type, Status  string
			Amount        json.Number
		}
	}
	if err := history.Into(&listed); err != nil || len(listed.Items) != 1 || listed.Items[0].TransactionID != s.ID ||
		listed.Items[0].Amount != "2.50" || listed.Items[0].Type != "CHARGE_BACK" || listed.Items[0].Status != "SUCCESSFUL" {
		t.Errorf("history: got %s, %v, want one item: %s, 2.50, CHARGE_BACK, SUCCESSFUL", history.Body, err, s.ID)
	}
	detail := d.Do(world.Request{Method: "GET", APIKey: m.Key.Plaintext, Path: "/v2.1/merchants/" + m.Code +
		"/transactions?id=" + s.ID})
	if detail.Text("simple_status") != "CHARGEBACK" || !strings.Contains(string(detail.Body), fmt.Sprint(got.EventID)) {
		t.Errorf("detail: got %s, want CHARGEBACK, and the event %d in it", detail.Body, got.EventID)
	}
	rest := d.recordChargeback(m, s.ID, fields{"lost": true})
	if rest.Amount != "7.60" || rest.SimpleStatus != "NON_COLLECTION" || rest.ID == "" {
		t.Errorf("the rest: got %+v, want an id, 7.60, NON_COLLECTION", rest)
	}
	d.wantRecorded(m, s, recorded{"10.10", "10.10", 2, 2, "NON_COLLECTION"})
}

func TestChargeBack_GeneratedID(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(fields{"sandbox": false, "test_key": true})
	s := d.sell(m, "1", 10, "")
	command := fields{"amount": 1, "mode": "test"}
	first, second := d.recordChargeback(m, s.ID, command), d.recordChargeback(m, s.ID, command)
	if first.ID == second.ID || first.EventID == second.EventID {
		t.Errorf("got %+v, then %+v, want another id and another event", first, second)
	}
	d.wantRecorded(m, s, recorded{"2.00", "2.00", 2, 2, "CHARGEBACK"})
}

// TestChargeBack_Interrupted interrupts the command at each step, and repeats it. It checks that the money is taken
// back once, even if the command generated the id.
func TestChargeBack_Interrupted(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	d.Main().Steps.Plan(0, faults.None)
	d.recordChargeback(m, d.sell(m, "0", 10, "").ID, nil)
	steps := len(d.Main().Steps.Taken())
	for at := 1; at <= steps; at++ {
		s := d.sell(m, fmt.Sprint(at), 10, "")
		doomed := d.Process()
		doomed.Steps.Plan(at, faults.DieAfter)
		_, _ = doomed.Invoke(t.Context(), "provision", encoded(t, chargeBackCommand(m, s.ID, nil)))
		if got := d.readRecorded(m, s); got.acquirer != "10.00" || got.platform != "10.00" {
			d.recordChargeback(m, s.ID, nil)
		}
		d.wantRecorded(m, s, recorded{"10.00", "10.00", 1, 1, "CHARGEBACK"})
	}
}

func TestChargeBack_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m, other := d.createMerchant(nil), d.createMerchant(nil)
	paid, declined, gone, theirs := d.sell(m, "1", 10, ""), d.sell(m, "2", 11, ""), d.sell(m, "3", 10, ""),
		d.sell(other, "1", 10, "")
	d.recordChargeback(m, gone.ID, nil)
	d.recordChargeback(m, paid.ID, fields{"id": "arn-1", "amount": 1})
	for _, c := range []struct {
		transaction string
		more        fields
		code, param string
	}{
		{"", nil, "MISSING", "transaction"},
		{paid.ID, fields{"merchant_code": ""}, "MISSING", "merchant_code"},
		{paid.ID, fields{"merchant_code": "MC00000000"}, "NOT_FOUND", ""},
		{paid.ID, fields{"mode": "live"}, "INVALID", "mode"},
		{paid.ID, fields{"id": strings.Repeat("x", 256)}, "INVALID", "id"},
		{paid.ID, fields{"amount": 0}, "INVALID", "amount"},
		{paid.ID, fields{"amount": -1}, "INVALID", "amount"},
		{paid.ID, fields{"amount": 1.001}, "INVALID", "amount"},
		{paid.ID, fields{"amount": "much"}, "INVALID", "amount"},
		{paid.ID, fields{"amount": true}, "INVALID", "amount"},
		{paid.ID, fields{"amount": 9.01}, "CONFLICT", ""},
		{paid.ID, fields{"id": "arn-1", "amount": 2}, "CONFLICT", ""},
		{declined.ID, nil, "CONFLICT", ""},
		{gone.ID, nil, "CONFLICT", ""},
		{gone.Code, fields{"amount": 1}, "CONFLICT", ""},
		{theirs.ID, nil, "NOT_FOUND", ""},
		{theirs.Code, nil, "NOT_FOUND", ""},
		{"T000000001", nil, "NOT_FOUND", ""},
	} {
		d.checkRefused(chargeBackCommand(m, c.transaction, c.more), c.code, c.param)
	}
	for s, want := range map[world.Payment]recorded{paid: {"1.00", "1.00", 1, 1, "CHARGEBACK"},
		declined: {"", "0.00", 0, 0, "FAILED"},
		gone:     {"10.00", "10.00", 1, 1, "CHARGEBACK"}} {
		d.wantRecorded(m, s, want)
	}
}
