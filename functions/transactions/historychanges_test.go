package transactions_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// newEventful returns the history of three days, with refunds, chargebacks, late outcomes, and payouts that are paid,
// returned and on their way. Several changes have the same time.
func newEventful(t *testing.T) *historyFixture {
	t.Helper()
	s := world.NewShop(t)
	person := s.Employ("till@example.com", member.Permissions{RefundTransactions: true})
	p := &historyFixture{World: s.World}
	s.SetPayout(map[string]any{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	first, own, refunded := s.Sell("10"), s.WithKey(s.TokenOf(person)).Sell("20"), s.Sell("100")
	p.Clock.Advance(time.Second)
	for _, pending := range []string{world.Unanswered, "7"} { // the outcome of the first is late
		s.Pay(s.Create(pending, nil), s.Card(world.Frictionless))
	}
	s.Refund(refunded, world.Unanswered)
	p.Clock.Advance(time.Second)
	s.Refund(refunded, "1")
	s.Refund(own, "1")
	p.Clock.Advance(2 * time.Minute)
	p.Tick("sweep")
	p.night(s)
	second := s.WithKey(s.TokenOf(person)).Sell("30")
	chargeback(s, first, "")
	s.SetPayout(map[string]any{"holder": "Kaffeehaus", "iban": sandbox.ClosedIBAN})
	p.night(s)
	chargeback(s, second, "3")
	s.SetPayout(map[string]any{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	s.Sell("40")
	p.night(s)
	p.Clock.Advance(9 * time.Hour)
	s.Refund(refunded, "2") // after its payout
	p.employee = s.WithKey(s.TokenOf(person))
	p.readItems()
	return p
}

// night lets a payout of the day's payments run until the bank has answered.
func (p *historyFixture) night(s world.Shop) {
	p.Helper()
	p.Clock.Advance(s.Clock.Now().Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(s.Clock.Now()))
	for range 3 {
		p.RunPayouts()
		p.Clock.Advance(16 * time.Minute)
	}
}

// readItems reads the items of the history, without the index of changes.
func (p *historyFixture) readItems() {
	p.Helper()
	var entries []store.HistoryEntry
	for entry, err := range p.App.Store.History(p.Context(), p.tenant(), 1, store.Range{}, 100, 1000) {
		if err != nil {
			p.Fatal(err)
		}
		entries = append(entries, entry)
	}
	items, err := p.App.Store.HistoryItems(p.Context(), entries)
	if err != nil {
		p.Fatal(err)
	}
	p.items, p.places = items, map[string]int{}
	for i, item := range items {
		p.places[item.ID] = i
	}
}

// moments returns the times of all items and changes, and the milliseconds around them.
func (p *historyFixture) moments() []time.Time {
	found := map[time.Time]bool{world.Start.Add(-time.Hour): true}
	for _, item := range p.items {
		for _, at := range []time.Time{item.CreatedAt, item.UpdatedAt} {
			found[at.Add(-time.Millisecond)], found[at], found[at.Add(time.Millisecond)] = true, true, true
		}
	}
	return slices.SortedFunc(maps.Keys(found), time.Time.Compare)
}

// TestListTransactions_ChangesSince compares the changes since each time with a comparison of all items. The index of
// changes finds them, or a walk through the history does so: above the maximum of changes, or before the index's birth.
func TestListTransactions_ChangesSince(t *testing.T) {
	t.Parallel()
	p := newEventful(t)
	changes := map[payments.EventType]int{}
	for _, item := range p.items {
		if !item.UpdatedAt.Equal(item.CreatedAt) {
			changes[item.Type]++
		}
	}
	if len(p.items) < 12 || changes[payments.PaymentItem] < 6 || changes[payments.RefundEvent] == 0 {
		t.Fatalf("got %d items, changed %v, want 12, 6 payments and a refund", len(p.items), changes)
	}
	p.History.Changes = 2
	few := p.Process()
	p.History.Changes = 0
	for name, process := range map[string]*world.Process{"index": p.Main(), "above the maximum": few,
		"before the birth": p.newlyBorn(p.Main(), few)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := *p
			q.process = process
			q.followChanges(t)
		})
	}
	t.Run("own", p.testOwnChanges)
}

// newlyBorn returns a process for which the index of changes is born now. The given processes know the earlier birth.
func (p *historyFixture) newlyBorn(others ...*world.Process) *world.Process {
	p.Helper()
	for _, process := range others {
		p.process = process
		p.page(p.current(), "changes_since="+at(0), false)
	}
	p.forgetBirth()
	return p.Process()
}

// forgetBirth deletes the birth of the index of changes. Processes that have not read the birth then compare each item.
func (p *historyFixture) forgetBirth() {
	p.Helper()
	_, table := p.App.Store.Raw()
	birth := table.Delete("pk", "BIRTH#changes").Range("sk", "BIRTH").If("attribute_exists(pk)")
	if err := birth.Run(p.Context()); err != nil {
		p.Fatal(err)
	}
}

func (p *historyFixture) followChanges(t *testing.T) {
	t.Helper()
	limits := []int{1, 3, 100}
	for i, since := range p.moments() {
		ref := p.items[i%len(p.items)].ID
		narrower := []string{"", "types[]=REFUND", "types[]=PAYMENT", "oldest_ref=" + ref, "newest_ref=" + ref}
		for _, order := range []string{"ascending", "descending"} {
			query := fmt.Sprintf("changes_since=%s&limit=%d&order=%s&%s", since.Format(time.RFC3339Nano),
				limits[i%len(limits)], order, narrower[i%len(narrower)])
			p.follow(t, p.current(), query)
			p.follow(t, legacyHistory, query)
		}
	}
}

// testOwnChanges checks that an employee gets the changes of the employee's own payments.
func (p *historyFixture) testOwnChanges(t *testing.T) {
	t.Parallel()
	for _, since := range p.moments() {
		q := url.Values{"changes_since": {since.Format(time.RFC3339Nano)}, "limit": {"2"}}
		want := slices.DeleteFunc(p.wanted(p.current(), q), func(id string) bool {
			return p.items[p.places[id]].Username != "till@example.com"
		})
		got, _ := crowd{historyFixture: p, employee: p.employee}.follow(p.current(), q.Encode())
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", since, got, want)
		}
	}
}

// TestListTransactions_PaidOutAmongChanges checks filters that do not match the payments that payouts changed. The
// pages are not empty for them, although only one page may read a second round.
func TestListTransactions_PaidOutAmongChanges(t *testing.T) {
	t.Parallel()
	p := newEventful(t)
	p.LimitHistory(app.HistoryLimits{LongPages: store.Bucket{Every: 24 * time.Hour, Burst: 1}})
	for _, since := range p.moments() {
		for _, filter := range []string{"types[]=REFUND", "users[]=till@example.com"} {
			query := filter + "&limit=1&changes_since=" + since.Format(time.RFC3339Nano)
			asked, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			got, pages := p.walk(p.current(), query, nothing)
			if want := p.wanted(p.current(), asked); !slices.Equal(got, want) || pages > len(want)+1 {
				t.Errorf("%s: got %v on %d pages, want %v without empty pages", query, got, pages, want)
			}
		}
	}
}

// TestListTransactions_PollWithoutChanges checks that a poll without changes costs as much in a long history as in a
// short one: the queries of the index of changes, of the payouts in it, and of the history from the time on.
func TestListTransactions_PollWithoutChanges(t *testing.T) {
	t.Parallel()
	costs := map[int]world.Use{}
	for _, transactions := range []int{3, 300} {
		p := newHistoryFixture(t, transactions)
		query := "changes_since=" + at(time.Hour)
		p.page(p.current(), query, false) // reads the birth
		p.Main().Meter.Reset()
		if page := p.page(p.current(), query, false); len(page.Items)+len(page.Links) > 0 {
			t.Errorf("%d transactions: got %+v, want neither items nor a link", transactions, page)
		}
		costs[transactions] = p.Main().Meter.Reset()
	}
	queries := slices.DeleteFunc(slices.Clone(costs[300].Calls), func(call string) bool { return call != "Query" })
	if diff := cmp.Diff(costs[3], costs[300]); diff != "" || len(queries) != 3 {
		t.Errorf("got calls %v, want 3 queries; of 3 and of 300 transactions (-few +many):\n%s", costs[300].Calls, diff)
	}
}
