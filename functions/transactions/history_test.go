package transactions_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// at formats a time that is d after the world's start, as clients do.
func at(d time.Duration) string { return world.Start.Add(d).Format(time.RFC3339Nano) }

// follow reads all pages of a query, and compares them with the model.
func (p *historyFixture) follow(t *testing.T, path, query string) {
	t.Helper()
	q, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	got, pages := p.walk(path, query, nothing)
	want := p.wanted(path, q)
	if !slices.Equal(got, want) {
		t.Errorf("%s?%s: got %d on %d pages, want %d; the first difference is at %d", path, query, len(got), pages, len(want),
			firstDifference(got, want))
	}
}

func firstDifference(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// TestListTransactions_EveryMatchOnce lists 2,400 items, many of them in the same millisecond, with every filter in
// both orders. It takes seconds, because it reads three pages of up to 1,000 items.
func TestListTransactions_EveryMatchOnce(t *testing.T) {
	t.Parallel()
	p := newHistoryFixture(t, 2000)
	if len(p.items) < 2400 {
		t.Fatalf("got %d items, want 2400 or more", len(p.items))
	}
	t.Run("each filter", p.testEachFilter)
	t.Run("legacy", p.testLegacy)
	t.Run("refs", p.testRefs)
	t.Run("codes", p.testCodes)
	t.Run("any query", p.testAnyQuery)
	t.Run("sparse", p.testSparse)
}

func (p *historyFixture) testEachFilter(t *testing.T) {
	t.Parallel()
	for _, filter := range []string{
		"", "users[]=BOB@SHOP.example", "statuses[]=SUCCESSFUL", "payment_types[]=BOLETO&payment_types[]=RECURRING",
		"entry_modes[]=IDEAL", "entry_modes[]=CHIP&entry_modes[]=MAGSTRIPE", "payment_types[]=POS",
		"types[]=REFUND", "changes_since=" + at(500*time.Millisecond), "oldest_time=" + at(200*time.Millisecond),
		"newest_time=" + at(200*time.Millisecond),
	} {
		p.follow(t, p.current(), filter+"&order=ascending&limit=1000")
		p.follow(t, p.current(), filter+"&order=descending&limit=5000")
	}
	part := "&oldest_time=" + at(300*time.Millisecond)
	for i, filter := range []string{
		"statuses[]=CANCELLED", "statuses[]=FAILED", "statuses[]=PENDING", "statuses[]=REFUNDED", "statuses[]=CHARGE_BACK",
		"statuses[]=FAILED&statuses[]=REFUNDED&statuses[]=CHARGE_BACK", "types[]=PAYMENT",
		"types[]=CHARGE_BACK&types[]=REFUND",
		"users[]=cy%2B1@shop.example&users[]=ada@shop.example", "entry_modes[]=PIX&entry_modes[]=CHIP",
		"newest_time=" + at(350*time.Millisecond) + "&types[]=PAYMENT",
		"statuses[]=PENDING&types[]=REFUND&users[]=ada@shop.example&changes_since=" + at(300*time.Millisecond),
	} {
		p.follow(t, p.current(), fmt.Sprintf("%s%s&order=%s&limit=200", filter, part,
			[]string{"ascending", "descending"}[i%2]))
	}
}

func (p *historyFixture) testLegacy(t *testing.T) {
	t.Parallel()
	part := "&oldest_time=" + at(300*time.Millisecond)
	for _, filter := range []string{
		"users[]=ADA@shop.example", "statuses[]=SUCCESSFUL&statuses[]=FAILED",
		"payment_types[]=ECOM&payment_types[]=BITCOIN", "types[]=REFUND",
		"readers[]=R1", "readers[]=R2&readers[]=R1", "readers[]=R3", "geo_coordinates=13.1,52.3,13.7,52.7",
		"geo_coordinates=-1,-1,1,1&types[]=PAYMENT", "geo_coordinates=10,45,20,55&readers[]=R2&payment_types[]=POS",
		"changes_since=" + at(499*time.Millisecond),
		"newest_time=" + at(399*time.Millisecond),
	} {
		p.follow(t, legacyHistory, filter+part+"&order=ascending&limit=200")
		p.follow(t, legacyHistory, filter+part+"&order=descending&limit=1000")
	}
}

// testRefs checks refs, which distinguish items of the same millisecond. It also checks them on pages of one item.
func (p *historyFixture) testRefs(t *testing.T) {
	t.Parallel()
	middle := len(p.items) / 2
	from, to := p.items[middle], p.items[middle+40]
	for _, order := range []string{"ascending", "descending"} {
		for _, incl := range []string{"", "&oldest_incl=true", "&newest_incl=true", "&oldest_incl=true&newest_incl=true",
			"&oldest_incl=false"} {
			query := "oldest_ref=" + from.ID + "&newest_ref=" + to.ID + incl + "&order=" + order
			p.follow(t, legacyHistory, query+"&limit=7")
			// If a request has both a ref and a time, the ref counts.
			p.follow(t, legacyHistory, query+"&limit=100&oldest_time="+at(time.Hour)+"&newest_time="+at(-time.Hour))
		}
		p.follow(t, p.current(), "oldest_ref="+from.ID+"&newest_ref="+to.ID+"&limit=1&order="+order)
		p.follow(t, p.current(), "oldest_ref="+to.ID+"&newest_ref="+from.ID+"&order="+order) // no item lies between the refs
		p.follow(t, legacyHistory, "oldest_ref="+from.ID+"&newest_ref="+from.ID+
			"&oldest_incl=true&newest_incl=true&order="+order)
		p.follow(t, p.current(), "oldest_ref="+from.ID+"&newest_ref="+from.ID+"&order="+order)
	}
}

// testCodes checks that a history with a transaction code lists that transaction and its events.
func (p *historyFixture) testCodes(t *testing.T) {
	t.Parallel()
	eventful := slices.IndexFunc(p.items, func(h payments.HistoryItem) bool { return h.Type == payments.RefundEvent })
	code := "transaction_code=" + p.items[eventful].Code
	for _, rest := range []string{"", "&limit=1", "&limit=1&order=descending", "&types[]=REFUND",
		"&types[]=REFUND&types[]=PAYMENT&limit=1",
		"&oldest_ref=" + p.items[eventful].ID, "&newest_ref=" + p.items[eventful].ID + "&order=descending",
		"&statuses[]=PENDING",
		"&oldest_time=" + p.items[eventful].CreatedAt.Format(time.RFC3339Nano), "&newest_time=" + at(200*time.Millisecond)} {
		p.follow(t, p.current(), code+rest)
		p.follow(t, legacyHistory, code+strings.ReplaceAll(rest, "PENDING", "FAILED"))
	}
	p.follow(t, p.current(), "transaction_code=TNOSUCH000")
}

// query draws a random query. If the query has small pages, few items lie between its ends.
func (p *historyFixture) query(t *rapid.T, legacy bool) string {
	q := url.Values{"order": {rapid.SampledFrom([]string{"ascending", "descending"}).Draw(t, "order")},
		"limit": {fmt.Sprint(rapid.SampledFrom([]int{1, 3, 20, 1000}).Draw(t, "limit"))}}
	lists := map[string][]string{"users[]": {"ada@shop.example", "bob@shop.example"},
		"types[]":         {"PAYMENT", "REFUND", "CHARGE_BACK"},
		"payment_types[]": {"ECOM", "POS"}, "statuses[]": {"SUCCESSFUL", "CANCELLED", "FAILED"}}
	if !legacy {
		lists["statuses[]"] = append(lists["statuses[]"], "PENDING", "REFUNDED", "CHARGE_BACK")
		lists["entry_modes[]"] = []string{"CUSTOMER_ENTRY", "IDEAL", "PIX", "BOLETO"}
		lists["payment_types[]"] = append(lists["payment_types[]"], "RECURRING", "BOLETO")
	}
	for _, name := range []string{"users[]", "types[]", "payment_types[]", "statuses[]", "entry_modes[]"} {
		if values := lists[name]; values != nil && rapid.IntRange(0, 2).Draw(t, name+"?") == 0 {
			q[name] = rapid.SliceOfN(rapid.SampledFrom(values), 1, 3).Draw(t, name)
		}
	}
	moment := func(label string) string {
		return at(time.Duration(rapid.IntRange(0, 1600).Draw(t, label)) * time.Millisecond / 4)
	}
	if rapid.IntRange(0, 3).Draw(t, "changes?") == 0 {
		q.Set("changes_since", moment("changes_since"))
	}
	from := rapid.IntRange(0, len(p.items)-1).Draw(t, "from")
	q.Set("oldest_ref", p.items[from].ID)
	if rapid.Bool().Draw(t, "newest by ref") {
		q.Set("newest_ref", p.items[max(0, min(from+rapid.IntRange(-2, 60).Draw(t, "span"), len(p.items)-1))].ID)
	} else {
		q.Set("newest_time", p.items[from].CreatedAt.Add(time.Duration(rapid.IntRange(-4, 80).Draw(t,
			"span"))*time.Millisecond/4).Format(time.RFC3339Nano))
	}
	if rapid.Bool().Draw(t, "oldest by time") {
		q.Del("oldest_ref")
		q.Set("oldest_time", moment("oldest_time"))
		q.Set("limit", "300")
	}
	for _, name := range []string{"oldest_incl", "newest_incl"} {
		if legacy && rapid.Bool().Draw(t, name) {
			q.Set(name, "true")
		}
	}
	return q.Encode()
}

func (p *historyFixture) testAnyQuery(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		path := rapid.SampledFrom([]string{p.current(), legacyHistory}).Draw(r, "path")
		query := p.query(r, path == legacyHistory)
		q, _ := url.ParseQuery(query)
		got, _ := p.walk(path, query, nothing)
		if want := p.wanted(path, q); !slices.Equal(got, want) {
			r.Fatalf("%s?%s: got %d, want %d; the first difference is at %d", path, query, len(got), len(want),
				firstDifference(got, want))
		}
	})
}

// testSparse checks filters without a match. One page reads the whole history, as long as the units of contract §2.6
// suffice. With changes_since the index of changes finds no change.
func (p *historyFixture) testSparse(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int{
		"payment_types[]=CASH&limit=10":                              1,
		"payment_types[]=MOTO,DIRECT_DEBIT,APM,UNKNOWN&limit=10":     1,
		"entry_modes[]=SOFORT,GIROPAY,NONE,MANUAL_ENTRY&limit=10":    1,
		"entry_modes[]=MAGSTRIPE_FALLBACK,DIRECT_DEBIT,MOTO&limit=1": 1,
		"entry_modes[]=CONTACTLESS_MAGSTRIPE,N/A&limit=1000":         1,
		"changes_since=" + at(time.Hour) + "&limit=10":               1,
		"changes_since=" + at(time.Hour) + "&limit=1000":             1,
	} {
		if got, pages := p.walk(p.current(), query, nothing); len(got) != 0 || pages != want {
			t.Errorf("%s: got %v on %d pages, want %d empty ones", query, got, pages, want)
		}
	}
}
