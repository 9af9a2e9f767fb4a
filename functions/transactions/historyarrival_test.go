package transactions_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestListTransactions_ArrivingItems adds items to the milliseconds that a client is listing. The client, which follows
// the links, gets every old item exactly once, and every new item at most once.
func TestListTransactions_ArrivingItems(t *testing.T) {
	t.Parallel()
	p := newHistoryFixture(t, 1600)
	for _, query := range []string{"order=ascending&limit=100", "order=descending&limit=100",
		"order=descending&limit=30&statuses[]=SUCCESSFUL&types[]=REFUND"} {
		asked, _ := url.ParseQuery(query)
		before := p.wanted(p.current(), asked)
		met, pages := p.walk(p.current(), query, func() { p.grow(6) })
		after := p.wanted(p.current(), asked)
		if len(after) == len(before) || pages < 3 {
			t.Fatalf("%s: got %d items, then %d, on %d pages, want more then, on 3 pages or more", query, len(before),
				len(after), pages)
		}
		// The items that the client met are in the order of the final list, and each item appears once. Only new items may be
		// missing.
		rest := slices.Clone(met)
		for _, id := range after {
			switch {
			case len(rest) > 0 && rest[0] == id:
				rest = rest[1:]
			case slices.Contains(before, id):
				t.Fatalf("%s: got %v next, want %s, which was there from the start", query, rest[:min(1, len(rest))], id)
			}
		}
		if len(rest) > 0 {
			t.Errorf("%s: got %d items out of order, or twice, from %s on, want none", query, len(rest), rest[0])
		}
	}
}

// TestListTransactions_FromPendingRefund checks that a page may begin after a pending refund, even if the refund's
// outcome becomes known meanwhile.
func TestListTransactions_FromPendingRefund(t *testing.T) {
	t.Parallel()
	p := &historyFixture{World: world.New(t), random: random()}
	change := p.sale(0)
	tx := change.Transaction
	tx.Status, tx.Captured = payments.TransactionSuccessful, tx.Amount
	e := p.event(tx, 0)
	e.Type, e.Status, e.CreatedAt = payments.RefundEvent, payments.EventPending, tx.CreatedAt.Add(time.Millisecond)
	later := e
	later.ID, later.Status, later.CreatedAt = tx.RefundID("later"), payments.EventRefunded,
		e.CreatedAt.Add(time.Millisecond)
	if err := p.write([]payments.TransactionChange{{Transaction: tx, Events: []payments.Event{e, later}}}); err != nil {
		t.Fatal(err)
	}
	p.items = make([]payments.HistoryItem, 3)
	next := p.page(p.current(), "limit=2", true).Links
	if want := "limit=2&oldest_ref=" + e.ID + "&order=ascending"; len(next) != 1 || next[0].Href != want {
		t.Fatalf("links: got %+v, want one to %s", next, want)
	}
	record, err := p.App.Store.Transaction(t.Context(), p.tenant(), tx.ID)
	if err != nil {
		t.Fatal(err)
	}
	e.Status = payments.EventFailed
	settled := payments.TransactionChange{Transaction: record.Transaction, Events: []payments.Event{e}}
	if err := p.App.Store.ApplyTransaction(t.Context(), p.tenant(), settled, nil); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{next[0].Href: {later.ID}, "order=descending&newest_ref=" + e.ID: {tx.ID},
		"statuses[]=FAILED&types[]=REFUND": {e.ID}} {
		if met, _ := p.walk(p.current(), query, nothing); !slices.Equal(met, want) {
			t.Errorf("%s: got %v, want %v", query, met, want)
		}
	}
}

// TestListTransactions_IndexLag checks a payment directly after the reply. The history of its own transaction already
// has the payment, and every identifier finds it. The whole history has the payment at the latest after the index's
// lag.
func TestListTransactions_IndexLag(t *testing.T) {
	t.Parallel()
	p := &historyFixture{World: world.New(t), random: random()}
	const lag = 2 * time.Second
	p.LagIndexes(lag)
	s := p.Shop()
	sold := s.Sell("10.10")
	client := s.Transaction("transaction_code=" + sold.Code).Text("client_transaction_id")
	for _, query := range []string{"id=" + sold.ID, "client_transaction_id=" + client,
		"foreign_transaction_id=" + sold.Reference} {
		if r := s.Transaction(query); r.Status != 200 || r.Text("id") != sold.ID {
			t.Errorf("%s: got %d %s, want 200, id %s", query, r.Status, r.Body, sold.ID)
		}
	}
	if page := p.page(p.current(), "transaction_code="+sold.Code, true); len(page.Items) != 1 ||
		page.Items[0].ID != sold.ID {
		t.Errorf("its own history: got %+v, want %s alone", page, sold.ID)
	}
	waited := time.Duration(0)
	for len(p.page(p.current(), "", true).Items) == 0 && waited <= lag {
		p.Clock.Advance(100 * time.Millisecond)
		waited += 100 * time.Millisecond
	}
	if t.Logf("in the history after %s", waited); waited > lag {
		t.Errorf("got it after %s, want it within the index's lag of %s", waited, lag)
	}
}

// TestListTransactions_ItemValues checks the values of each type of item. Every request also compares the fields with
// the contract.
func TestListTransactions_ItemValues(t *testing.T) {
	t.Parallel()
	p := &historyFixture{World: world.New(t), random: random()}
	tx := p.sale(0).Transaction
	day := world.Start.Add(24 * time.Hour).Format(time.DateOnly)
	tx.Status, tx.Amount, tx.Captured, tx.Refunded, tx.ChargedBack, tx.Card =
		payments.TransactionSuccessful, eur(10), eur(10),
		eur(1), eur(0), &payments.CardSummary{Brand: "VISA"}
	tx.PaymentType, tx.EntryMode, tx.Username, tx.CreatedAt = "ECOM", "CUSTOMER_ENTRY", "ada@shop.example", world.Start
	tx.Payouts = []payments.PayoutPart{{Seq: 1, Number: 1, Amount: eur(10), Fee: eur(0), Deducted: eur(1),
		Status:     payments.EventPaidOut,
		EligibleAt: world.Start, Day: day}}
	e := p.event(tx, 0)
	e.Type, e.Status, e.CreatedAt = payments.RefundEvent, payments.EventRefunded, world.Start.Add(time.Second)
	if err := p.write([]payments.TransactionChange{{Transaction: tx, Events: []payments.Event{e}}}); err != nil {
		t.Fatal(err)
	}
	shared := fmt.Sprintf(`"transaction_id":%q,"client_transaction_id":%q,"transaction_code":%q,"user":"ada@shop.example"`,
		tx.ID, tx.ClientTransactionID, tx.Code)
	paid := `"installments_count":1,"payment_type":"ECOM","entry_mode":"CUSTOMER_ENTRY","card_type":"VISA"`
	want := `{"items":[{"id":"` + tx.ID + `",` + shared +
		`,"type":"PAYMENT","status":"SUCCESSFUL","timestamp":"2026-11-20T12:00:00.000Z",` +
		`"currency":"EUR","amount":10.00,"refunded_amount":1.00,"product_summary":"Tea",` + paid +
		`,"payouts_total":1,"payouts_received":1,` +
		`"payout_plan":"SINGLE_PAYMENT","payout_date":"` + day + `","payout_type":"BANK_ACCOUNT"},` +
		`{"id":"` + e.ID + `",` + shared + `,"type":"REFUND","status":"SUCCESSFUL","timestamp":"2026-11-20T12:00:01.000Z",` +
		`"currency":"EUR","amount":1.00,"product_summary":"Tea",` + paid +
		`,"payouts_total":0,"payouts_received":0,"payout_plan":"SINGLE_PAYMENT"}],"links":[]}`
	for _, path := range []string{p.current(), legacyHistory} {
		if r := p.Do(world.Request{Method: "GET", Path: path}); string(r.Body) != want {
			t.Errorf("%s\n got %s\nwant %s", path, r.Body, want)
		}
	}
	r := p.Do(world.Request{Method: "GET", Path: legacyHistory, APIKey: p.Other.Key.Plaintext})
	if none := `{"items":[],"links":[]}`; string(r.Body) != none {
		t.Errorf("another merchant: got %s, want %s", r.Body, none)
	}
}
