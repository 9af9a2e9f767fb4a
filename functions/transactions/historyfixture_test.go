package transactions_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// historyFixture is a merchant's history that is written directly to the store. It has transactions of every kind, with
// events.
type historyFixture struct {
	*world.World
	random *rand.Rand
	items  []payments.HistoryItem // all items, in the order of the history
	places map[string]int         // index in items, by id

	process  *world.Process // answers unchecked requests; nil: the main process
	employee world.Shop     // sees only the employee's own payments
}

const (
	legacyHistory = "/v0.1/me/transactions/history"
	writers       = 8 // each writes its own checkout
)

func (p *historyFixture) current() string {
	return "/v2.1/merchants/" + p.Merchant.Code + "/transactions/history"
}

func (p *historyFixture) tenant() identity.Tenant {
	return identity.Tenant{Mode: identity.Test, Merchant: p.Merchant.Code}
}

// newHistoryFixture writes the given number of transactions, and half as many events.
func newHistoryFixture(t testing.TB, transactions int) *historyFixture {
	t.Helper()
	p := &historyFixture{World: world.New(t), random: random()}
	p.grow(transactions)
	return p
}

// random has the same seed in every test.
func random() *rand.Rand { return rand.New(rand.NewPCG(4, 21)) }

// grow writes more items into the same milliseconds.
func (p *historyFixture) grow(transactions int) {
	p.Helper()
	changes := make([]payments.TransactionChange, transactions)
	for i := range changes {
		changes[i] = p.sale(i)
	}
	p.add(changes)
}

// add writes the items of the changes.
func (p *historyFixture) add(changes []payments.TransactionChange) {
	p.Helper()
	for _, change := range changes {
		p.items = append(p.items, change.Transaction.HistoryItem())
		for _, e := range change.Events {
			p.items = append(p.items, e.HistoryItem())
		}
	}
	slices.SortFunc(p.items, func(a, b payments.HistoryItem) int {
		if order := a.CreatedAt.Compare(b.CreatedAt); order != 0 {
			return order
		}
		return strings.Compare(a.ID, b.ID)
	})
	p.places = map[string]int{}
	for i, item := range p.items {
		p.places[item.ID] = i
	}
	if err := p.write(changes); err != nil {
		p.Fatal(err)
	}
}

func (p *historyFixture) write(changes []payments.TransactionChange) error {
	errs := make([]error, writers)
	var group sync.WaitGroup
	for w := range min(writers, len(changes)) {
		group.Go(func() {
			checkout, err := p.App.Store.CreateCheckout(p.Context(), p.tenant(), payments.Checkout{
				ID: uuid.NewString(), Reference: uuid.NewString(), Amount: eur(10), Status: payments.CheckoutPending,
				CreatedAt: world.Start})
			for i := w; i < len(changes) && err == nil; i += writers {
				tx := changes[i].Transaction
				checkout, err = p.App.Store.Apply(p.Context(), p.tenant(),
					payments.CheckoutChange{Checkout: checkout, Transaction: &tx})
				if err == nil && len(changes[i].Events) > 0 {
					err = p.App.Store.ApplyTransaction(p.Context(), p.tenant(), changes[i], nil)
				}
			}
			errs[w] = err
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func eur(units int) money.Amount { return money.MustParse(fmt.Sprint(units), "EUR") }

// time returns one of only a few times, so that many items have the same time.
func (p *historyFixture) time() time.Time {
	return world.Start.Add(time.Duration(p.random.IntN(400)) * time.Millisecond)
}

func one[T any](p *historyFixture, values ...T) T { return values[p.random.IntN(len(values))] }

// sale returns a transaction in any state, with up to two events.
func (p *historyFixture) sale(i int) payments.TransactionChange {
	id, at := p.uuid(), p.time()
	t := payments.Transaction{
		CheckoutTransaction: payments.CheckoutTransaction{ID: id, Code: payments.CodeOfID(id),
			Amount: eur(10 + i%90), Installments: 1,
			Status: one(p, payments.TransactionSuccessful, payments.TransactionSuccessful, payments.TransactionFailed,
				payments.TransactionCancelled,
				payments.TransactionPending),
			PaymentType: one(p, "ECOM", "ECOM", "RECURRING", "BOLETO"), EntryMode: one(p, "CUSTOMER_ENTRY",
				"IDEAL", "PIX", "BOLETO"),
			CreatedAt: at},
		Username:       one(p, "ada@shop.example", "Bob@Shop.Example", "cy+1@shop.example"),
		ProductSummary: "Tea",
		Captured:       eur(0), Refundable: eur(0), Refunded: eur(0), ChargedBack: eur(0), Fee: eur(0),
		PayoutPlan: merchant.SinglePayment, UpdatedAt: at.Add(time.Duration(p.random.IntN(500)) * time.Millisecond),
		Version: 1,
	}
	t.ChangedAt = t.UpdatedAt
	if p.random.IntN(3) == 0 {
		p.atReader(&t)
	}
	t = t.Restored(p.Merchant.Code, t.Code, id)
	if t.Status != payments.TransactionSuccessful {
		return payments.TransactionChange{Transaction: t}
	}
	t.Captured = t.Amount
	t.Refunded, t.ChargedBack = one(p, eur(0), eur(1)), one(p, eur(0), eur(0), eur(1))
	t.NonCollection = t.ChargedBack.Sign() > 0 && p.random.IntN(4) == 0
	change := payments.TransactionChange{Transaction: t}
	for n := range one(p, 0, 0, 1, 2) {
		change.Events = append(change.Events, p.event(t, n))
	}
	return change
}

// atReader turns the transaction into a payment at a reader. The payment may have no card, and its place may be at an
// edge of Berlin's box.
func (p *historyFixture) atReader(t *payments.Transaction) {
	t.PaymentType, t.EntryMode = payments.POSPayment, one(p, "CHIP", "CONTACTLESS", "MAGSTRIPE", "")
	t.Reader = one(p, "R1", "R2")
	t.Location = one(p, nil, &payments.Location{Lat: 52.5, Lon: 13.4, Accuracy: 10},
		&payments.Location{Lat: 52.3, Lon: 13.1},
		&payments.Location{Lat: 48.2, Lon: 16.4}, &payments.Location{})
}

func (p *historyFixture) event(t payments.Transaction, n int) payments.Event {
	at := p.time()
	e := payments.Event{ID: t.RefundID(fmt.Sprint(n)), TransactionID: t.ID, Code: t.Code,
		Type: payments.RefundEvent, Amount: eur(1),
		Status:    one(p, payments.EventPending, payments.EventRefunded, payments.EventFailed),
		CreatedAt: at, UpdatedAt: at.Add(time.Duration(p.random.IntN(500)) * time.Millisecond),
		TransactionSummary: t.HistoryItem().TransactionSummary}
	e.ChangedAt = e.UpdatedAt
	if p.random.IntN(3) == 0 {
		e.Type, e.Status = payments.ChargebackEvent, payments.EventSuccessful
	}
	return e
}

// uuid returns a random UUID, which is the same in every run.
func (p *historyFixture) uuid() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(p.random.Uint32())
	}
	return payments.FormatUUIDv4(b[:])
}

// historyPage is a page of the history in a response.
type historyPage struct {
	Items []struct{ ID string }
	Links []struct{ Rel, Href, Type string }
}

// page requests one page. If checked is true, it compares the page with the contract, which takes longer than the rest
// of the test.
func (p *historyFixture) page(path, query string, checked bool) historyPage {
	p.Helper()
	var page historyPage
	do := p.Do
	if !checked {
		do = cmp.Or(p.process, p.Main()).DoUnchecked
	}
	r := do(world.Request{Method: "GET", Path: path + "?" + query})
	if err := r.Into(&page); r.Status != 200 || err != nil {
		p.Fatalf("%s?%s: got %d %s, %v, want 200 and a page", path, query, r.Status, r.Body, err)
	}
	return page
}

// walk follows the links from a query to the last page. After each page it calls between. It returns the ids on the
// pages, and the number of pages.
func (p *historyFixture) walk(path, query string, between func()) (ids []string, pages int) {
	p.Helper()
	limit := 10
	if asked, _ := url.ParseQuery(query); asked.Has("limit") {
		_, _ = fmt.Sscan(asked.Get("limit"), &limit)
	}
	ids = []string{}
	for {
		page := p.page(path, query, pages == 0 && limit <= 100)
		pages++
		for _, item := range page.Items {
			ids = append(ids, item.ID)
		}
		if len(page.Items) > min(limit, 1000) || pages > len(p.items)+10 {
			p.Fatalf("%s: got %d items on page %d, want %d at most, on %d pages at most", query, len(page.Items), pages,
				min(limit, 1000), len(p.items)+10)
		}
		if len(page.Links) == 0 {
			return ids, pages
		}
		if link := page.Links[0]; link.Rel != "next" || link.Type != "application/json" || link.Href == query {
			p.Fatalf("%s: got link %+v, want a next one, of application/json, to another query", query, link)
		}
		query = page.Links[0].Href
		between()
	}
}

func nothing() {}

// eventfulCode returns the code of a transaction with events.
func (p *historyFixture) eventfulCode() string {
	return p.items[slices.IndexFunc(p.items, isRefund)].Code
}

func isRefund(h payments.HistoryItem) bool { return h.Type == payments.RefundEvent }
