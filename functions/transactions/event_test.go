package transactions_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

func literal(amount string) money.Literal { return money.Literal(amount) }

// list returns the entries of a list in a transaction's detail, as raw JSON.
func list(s world.Shop, p world.Payment, name string) []string {
	s.Helper()
	var entries []json.RawMessage
	if err := json.Unmarshal([]byte(world.Fields(s, s.Transaction("id="+p.ID).Body)[name]), &entries); err != nil {
		s.Fatal(err)
	}
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = string(e)
	}
	return texts
}

// TestEvents_RefundAndChargeback checks the events after a refund, and after a chargeback of the whole remaining
// amount. The chargeback takes the money that the payout still holds, and deducts the fee separately.
func TestEvents_RefundAndChargeback(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	setTimeZone(s, "Asia/Tokyo")
	s.Clock.Advance(4 * time.Hour) // it is then the next day in Tokyo
	p := s.Sell("10.10")
	s.Clock.Advance(time.Second)
	s.Must(204, refundV0(s, p, "2.5"))
	s.Clock.Advance(time.Second)
	chargeback(s, p, "")
	record, err := s.App.Store.Transaction(t.Context(), s.Tenant(), p.ID)
	if err != nil || len(record.Events) != 3 {
		t.Fatalf("got events %+v, %v, want 3", record.Events, err)
	}
	payout, refund, back, deduction := record.PayoutNumericID(record.Payouts[0]), record.Events[0],
		record.Events[1], record.Events[2]
	times := []string{`"2026-11-20T16:00:00.000Z"`, `"2026-11-20T16:00:01.001Z"`, `"2026-11-20T16:00:02.001Z"`}
	checkSame(t, list(s, p, "events"),
		fmt.Sprintf(`{"id":%d,"transaction_id":"%s","type":"PAYOUT","status":"SCHEDULED",`+
			`"amount":0.00,"timestamp":%s,"fee_amount":0.20,`+
			`"installment_number":1,"deducted_amount":9.90,"deducted_fee_amount":0.00}`, payout, p.ID, times[0]),
		fmt.Sprintf(`{"id":%d,"transaction_id":"%s","type":"REFUND","status":"REFUNDED","amount":2.50,"timestamp":%s}`,
			refund.NumericID(), p.ID, times[1]),
		fmt.Sprintf(`{"id":%d,"transaction_id":"%s","type":"CHARGE_BACK","status":"SUCCESSFUL","amount":7.60,"timestamp":%s}`,
			back.NumericID(), p.ID, times[2]),
		fmt.Sprintf(`{"id":%d,"transaction_id":"%s","type":"PAYOUT_DEDUCTION","status":"PENDING",`+
			`"amount":0.20,"timestamp":%s}`, deduction.NumericID(), p.ID, times[2]))
	checkSame(t, list(s, p, "transaction_events"),
		fmt.Sprintf(`{"id":%d,"event_type":"PAYOUT","status":"SCHEDULED","amount":0.00,"due_date":"2026-11-22",`+
			`"date":"2026-11-22","installment_number":1,"timestamp":%s}`, payout, times[0]),
		fmt.Sprintf(`{"id":%d,"event_type":"REFUND","status":"REFUNDED","amount":2.50,"date":"2026-11-21","timestamp":%s}`,
			refund.NumericID(), times[1]),
		fmt.Sprintf(`{"id":%d,"event_type":"CHARGE_BACK","status":"SUCCESSFUL","amount":7.60,"date":"2026-11-21",`+
			`"timestamp":%s}`, back.NumericID(), times[2]),
		fmt.Sprintf(`{"id":%d,"event_type":"PAYOUT_DEDUCTION","status":"PENDING","amount":0.20,"date":"2026-11-21",`+
			`"timestamp":%s}`, deduction.NumericID(), times[2]))
	wantSummary(s, p, "CHARGEBACK, REFUND REFUNDED 2.50, CHARGE_BACK SUCCESSFUL 7.60, PAYOUT_DEDUCTION PENDING 0.20")
}

// checkSame compares entries as raw JSON.
func checkSame(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestEvents_Installments checks that the parts of a payment are due one month after another. Their fees add up to the
// whole fee (contract §6.7).
func TestEvents_Installments(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	brazil := s.NewShop("BR", "BRL", nil)
	setTimeZone(brazil, "UTC")
	body := s.Card(world.Frictionless)
	body["installments"] = 3
	checkout := brazil.Create("100", nil)
	payOutInInstallments(brazil, checkout)
	p := brazil.Pay(checkout, body)
	var shown []struct {
		Type        string      `json:"event_type"`
		Amount      json.Number `json:"amount"`
		DueDate     string      `json:"due_date"`
		Date        string      `json:"date"`
		Installment int         `json:"installment_number"`
		Timestamp   string      `json:"timestamp"`
	}
	detail := world.Fields(t, brazil.Transaction("id="+p.ID).Body)
	if err := json.Unmarshal([]byte(detail["transaction_events"]), &shown); err != nil || len(shown) == 0 {
		t.Fatalf("transaction_events: got %s, %v, want some", detail["transaction_events"], err)
	}
	if detail["payouts_total"] != fmt.Sprint(len(shown)) || detail["installments_count"] != "3" {
		t.Errorf("got %s payouts, %s installments, want %d, 3", detail["payouts_total"], detail["installments_count"],
			len(shown))
	}
	sum := money.MustParse(detail["fee_amount"], "BRL")
	for i, e := range shown {
		if want := time.Date(2026, time.November+time.Month(i), 21, 0, 0, 0, 0, time.UTC).Format(
			time.DateOnly); e.Type != "PAYOUT" || e.DueDate != want || e.Date != want || e.Installment != i+1 {
			t.Errorf("got %s, installment %d due %s, on %s, want PAYOUT, %d due %s, on the same day", e.Type, e.Installment,
				e.DueDate, e.Date, i+1, want)
		}
		if e.Timestamp != "2026-11-20T12:00:00.000Z" {
			t.Errorf("installment %d: got planned at %s, want 2026-11-20T12:00:00.000Z", e.Installment, e.Timestamp)
		}
		var err error
		if sum, err = sum.Add(money.MustParse(e.Amount.String(), "BRL")); err != nil {
			t.Fatal(err)
		}
	}
	if sum.String() != "100.00" {
		t.Errorf("payouts and fee: got %s, want 100.00", sum)
	}
}

// payOutInInstallments gives a checkout a payout plan in instalments. Only an operator can agree such a plan with a
// merchant.
func payOutInInstallments(s world.Shop, checkout string) {
	s.Helper()
	_, table := s.App.Store.Raw()
	err := table.Update("pk", "CHECKOUT#"+s.Tenant().String()+"#"+checkout).Range("sk", "CHECKOUT").
		Set("payee.payout_plan", merchant.TrueInstallment).If("attribute_exists(pk)").Run(s.Context())
	if err != nil {
		s.Fatal(err)
	}
}
