package transactions_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions/transactions"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// limitUnits limits the read units of a page without items, and not the number of such pages.
func (p *historyFixture) limitUnits(units int) {
	p.LimitHistory(app.HistoryLimits{Units: units, LongPages: store.Bucket{Rate: 1_000_000, Burst: 1_000_000}})
}

// addAtEnds adds a payment at reader R9 before all other items, and another after all other items.
func (p *historyFixture) addAtEnds() (first, last string) {
	p.Helper()
	var changes []payments.TransactionChange
	for i, at := range []time.Duration{-time.Second, time.Hour} {
		change := p.sale(i)
		tx := change.Transaction
		tx.Reader, tx.CreatedAt, tx.UpdatedAt = "R9", world.Start.Add(at), world.Start.Add(at)
		tx.ChangedAt = time.Time{}
		changes = append(changes, payments.TransactionChange{Transaction: tx})
	}
	p.add(changes)
	return p.items[0].ID, p.items[len(p.items)-1].ID
}

// TestListTransactions_RareMatch checks a filter that matches the first and the last of 1,500 items. The page after the
// one has the other, in both orders. If only the items decide the filter, because the index of changes has no birth,
// the page has it, too.
func TestListTransactions_RareMatch(t *testing.T) {
	t.Parallel()
	p := newHistoryFixture(t, 1200)
	first, last := p.addAtEnds()
	p.forgetBirth()
	for query, want := range map[string]string{
		"order=ascending&limit=1&readers[]=R9&oldest_ref=" + first:      last,
		"order=descending&limit=1&readers[]=R9&newest_ref=" + last:      first,
		"order=ascending&limit=10&changes_since=" + at(time.Minute):     last,
		"order=descending&limit=1000&readers[]=R9&newest_time=" + at(0): first,
	} {
		got := p.page(legacyHistory, query, true)
		if len(got.Items) != 1 || got.Items[0].ID != want {
			t.Errorf("%s: got %+v, want one item %s", query, got, want)
		}
	}
}

// TestListTransactions_UnitsSpent limits a page to few units. Only then a page with a link can have no items. The pages
// have every match once.
func TestListTransactions_UnitsSpent(t *testing.T) {
	t.Parallel()
	p := newHistoryFixture(t, 1200)
	p.addAtEnds()
	p.limitUnits(1)
	if got, pages := p.walk(legacyHistory, "readers[]=R8", nothing); len(got) > 0 || pages != 2 {
		t.Errorf("one round: got %v on %d pages, want 2 empty ones", got, pages)
	}
	p.forgetBirth() // so that changes_since compares each item
	for i, filter := range []string{"readers[]=R9", "readers[]=R9&limit=1", "types[]=CHARGE_BACK&readers[]=R1",
		"changes_since=" + at(870*time.Millisecond), "changes_since=" + at(time.Minute) + "&limit=1"} {
		p.limitUnits([]int{1, 150}[i%2])
		p.follow(t, legacyHistory, filter+"&order=ascending")
		p.follow(t, legacyHistory, filter+"&order=descending")
	}
}

// TestListTransactions_TimeSpent lets the first query of a page take two seconds. Then the page ends without another
// round.
func TestListTransactions_TimeSpent(t *testing.T) {
	t.Parallel()
	p := newHistoryFixture(t, 1000)
	for _, query := range []string{"readers[]=R8", "readers[]=R8&changes_since=" + at(0)} { // first of the changes
		for took, want := range map[time.Duration]int{2*time.Second - time.Millisecond: 0, 2 * time.Second: 1} {
			p.Main().Steps.Meanwhile("Query", 1, func() { p.Clock.Advance(took) })
			page := p.page(legacyHistory, query, true)
			if len(page.Items) > 0 || len(page.Links) != want {
				t.Errorf("%s, a query of %v: got %+v, want no item and %d links", query, took, page, want)
			}
		}
	}
}

// TestListTransactions_ManyLongPages requests more long pages than the platform allows a merchant. The later pages end
// after 1,000 items, and their links lead on. Every half second another page may be long.
func TestListTransactions_ManyLongPages(t *testing.T) {
	t.Parallel()
	p := newHistoryFixture(t, 1000)
	p.LimitHistory(app.HistoryLimits{})
	const rare = "readers[]=R8"
	for n := range 20 {
		if page := p.page(legacyHistory, rare, false); len(page.Links) > 0 {
			t.Fatalf("page %d: got %+v, want no link", n+1, page)
		}
	}
	page := p.page(legacyHistory, rare, true)
	if len(page.Items) > 0 || len(page.Links) != 1 {
		t.Fatalf("page 21: got %+v, want no items and a link", page)
	}
	if page = p.page(legacyHistory, page.Links[0].Href, true); len(page.Items)+len(page.Links) > 0 {
		t.Errorf("the rest: got %+v, want no items and no link", page)
	}
	p.Clock.Advance(time.Second / 2)
	for n, want := range []int{0, 1} {
		if page = p.page(legacyHistory, rare, true); len(page.Links) != want {
			t.Errorf("page %d after half a second: got %+v, want %d links", n+1, page, want)
		}
	}
}

// TestListTransactions_OwnPaymentsAmongOthers checks an employee who sees only the employee's own payments. A page
// has the employee's payment behind 200 items or more that the employee does not see, unless its units are spent.
func TestListTransactions_OwnPaymentsAmongOthers(t *testing.T) {
	t.Parallel()
	p := newCrowd(t)
	const some, all = 1, 1000
	for _, c := range []struct {
		query string
		units int
		want  []string
	}{
		{"order=ascending&oldest_ref=" + p.own[0], all, p.own[1:]},
		{"order=ascending&oldest_ref=" + p.own[0], some, nil},
		{"order=descending&newest_ref=" + p.own[1], all, p.own[:1]},
		{"order=descending&newest_ref=" + p.own[1], some, nil},
	} {
		p.limitUnits(c.units)
		page := world.Into[historyPage](p, 200, p.employee.Send("GET", p.current()+"?limit=1&"+c.query, nil))
		var got []string
		for _, item := range page.Items {
			got = append(got, item.ID)
		}
		if !slices.Equal(got, c.want) || (c.units == some && len(page.Links) != 1) {
			t.Errorf("%s, %d units: got %v and links %+v, want %v; a link if there is none", c.query, c.units, got,
				page.Links, c.want)
		}
	}
}

// endsSoon is the context of a request that must be answered within four seconds. It never ends.
type endsSoon struct{ context.Context }

func (endsSoon) Deadline() (time.Time, bool) { return time.Now().Add(4 * time.Second), true }

// TestListTransactions_DeadlineNear checks that a page begins no further round in the last five seconds of a request.
func TestListTransactions_DeadlineNear(t *testing.T) {
	t.Parallel()
	p := newHistoryFixture(t, 1000)
	request := httptest.NewRequestWithContext(endsSoon{t.Context()}, http.MethodGet, legacyHistory+"?readers[]=R8", nil)
	request.Header.Set("Authorization", "Bearer "+p.Merchant.Key.Plaintext)
	response := httptest.NewRecorder()
	p.App.Handler(transactions.Routes(p.App)).ServeHTTP(response, request)
	var page historyPage
	if err := json.Unmarshal(response.Body.Bytes(), &page); err != nil || len(page.Items) > 0 || len(page.Links) != 1 {
		t.Errorf("got %d %s, %v, want no items and a link", response.Code, response.Body, err)
	}
}
