package transactions_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

func TestListTransactions_InvalidQuery(t *testing.T) {
	t.Parallel()
	p := &historyFixture{World: world.New(t), random: random()}
	both := map[string]string{
		"order=newest": "order", "order=ASCENDING": "order", "limit=0": "limit", "limit=-1": "limit", "limit=ten": "limit",
		"limit=1.5":      "limit",
		"types[]=PAYOUT": "types", "types[]=REFUND,PAYOUT": "types", "statuses[]=DONE": "statuses",
		"statuses[]=successful":      "statuses",
		"statuses=FAILED&statuses=X": "statuses", "payment_types[]=CASH,X": "payment_types",
		"changes_since=yesterday": "changes_since",
		"newest_time=2020-02-29":  "newest_time", "oldest_time=1": "oldest_time", "oldest_ref=nobody": "oldest_ref",
		"newest_ref=" + uuid.NewString(): "newest_ref", "oldest_ref=" + strings.Repeat("x", 1500): "oldest_ref",
		"limit=1&limit=2":                          "limit",
		"transaction_code=TAAAAAAAAA&newest_ref=x": "newest_ref",
	}
	current := map[string]string{"entry_modes[]=CASH": "entry_modes", "statuses[]=CHARGEBACK": "statuses",
		"payment_types[]=card": "payment_types"}
	legacy := map[string]string{"statuses[]=PENDING": "statuses", "statuses[]=REFUNDED": "statuses",
		"payment_types[]=BOLETO": "payment_types",
		"geo_coordinates=1,2,3":  "geo_coordinates", "geo_coordinates=1,2,3,north": "geo_coordinates",
		"newest_incl=maybe": "newest_incl",
		"oldest_incl=2":     "oldest_incl"}
	for path, refused := range map[string][]map[string]string{p.current(): {both, current},
		legacyHistory: {both, legacy}} {
		for _, queries := range refused {
			for query, param := range queries {
				t.Run(strings.TrimPrefix(path, "/")+"?"+query, func(t *testing.T) {
					world.Invalid(param).Check(t, p.Do(world.Request{Method: "GET", Path: path + "?" + query}))
				})
			}
		}
	}
}

// TestListTransactions_NextLink checks that a next link repeats the query, except for the place where the page begins.
func TestListTransactions_NextLink(t *testing.T) {
	t.Parallel()
	p := newHistoryFixture(t, 60)
	first, last := p.items[0].ID, p.items[len(p.items)-1].ID
	everything := "users=ADA%40shop.example&users[]=bob@shop.example,cy+1@shop.example"
	const users = "users%5B%5D=ADA%40shop.example&users%5B%5D=bob%40shop.example&users%5B%5D=cy%2B1%40shop.example"
	for _, c := range []struct{ path, query, want string }{
		{p.current(), "", "limit=10&oldest_ref=REF&order=ascending"},
		{p.current(), "order=descending&limit=3", "limit=3&newest_ref=REF&order=descending"},
		{p.current(), "limit=1&transaction_code=CODE", "limit=1&oldest_ref=REF&order=ascending&transaction_code=CODE"},
		{p.current(), "limit=2&" + everything, "limit=2&oldest_ref=REF&order=ascending&" + users},
		{p.current(),
			"limit=1&oldest_time=2020-01-01T00:00:00%2B01:00&" +
				"newest_time=2030-01-01T00:00:00.25Z&changes_since=2020-01-01T00:00:00Z",
			"changes_since=2020-01-01T00%3A00%3A00Z&limit=1&newest_time=2030-01-01T00%3A00%3A00.25Z&" +
				"oldest_ref=REF&order=ascending"},
		{p.current(),
			"limit=1&statuses=SUCCESSFUL,PENDING,FAILED,CANCELLED&" +
				"payment_types[0]=ECOM&payment_types[1]=BOLETO&types[]=PAYMENT&entry_modes[][0]=PIX",
			"entry_modes%5B%5D=PIX&limit=1&oldest_ref=REF&order=ascending&payment_types%5B%5D=ECOM&payment_types%5B%5D=BOLETO&" +
				"statuses%5B%5D=SUCCESSFUL&statuses%5B%5D=PENDING&statuses%5B%5D=FAILED&statuses%5B%5D=CANCELLED&" +
				"types%5B%5D=PAYMENT"},
		{legacyHistory, "limit=1&oldest_ref=" + first + "&oldest_incl=true&newest_ref=" + last + "&newest_incl=true",
			"limit=1&newest_incl=true&newest_ref=" + last + "&oldest_ref=REF&order=ascending"},
		{legacyHistory, "limit=1&order=descending&oldest_ref=" + first + "&oldest_incl=true&newest_ref=" +
			last + "&newest_incl=true",
			"limit=1&newest_ref=REF&oldest_incl=true&oldest_ref=" + first + "&order=descending"},
	} {
		coded := strings.NewReplacer("CODE", p.eventfulCode())
		page := p.page(c.path, coded.Replace(c.query), true)
		if len(page.Links) != 1 {
			t.Errorf("%s: got links %+v, want one", c.query, page.Links)
			continue
		}
		asked, err := url.ParseQuery(page.Links[0].Href)
		ref := asked.Get("oldest_ref")
		if asked.Get("order") == "descending" {
			ref = asked.Get("newest_ref")
		}
		if got := strings.Replace(page.Links[0].Href, ref, "REF", 1); err != nil || got != coded.Replace(c.want) {
			t.Errorf("%s\n got %s, %v\nwant %s", c.query, got, err, coded.Replace(c.want))
		}
		if _, known := p.places[ref]; !known {
			t.Errorf("%s: got a link from %q, want it from an item", c.query, ref)
		}
	}
}

// TestListMyTransactions_NextLinkFilters checks that next links repeat the filters by reader and by place, even if
// nothing matched.
func TestListMyTransactions_NextLinkFilters(t *testing.T) {
	t.Parallel()
	p := newHistoryFixture(t, 1200)
	p.limitUnits(1)
	for query, want := range map[string]string{
		"readers[]=R%26D&limit=1": "limit=1&oldest_ref=REF&order=ascending&readers%5B%5D=R%26D",
		"geo_coordinates=-71.1,-52.3,-70.7,52.7&limit=1": "geo_coordinates=-71.1%2C-52.3%2C-70.7%2C52.7&limit=1" +
			"&oldest_ref=REF&order=ascending",
	} {
		page := p.page(legacyHistory, query, true)
		if len(page.Links) != 1 || len(page.Items) != 0 {
			t.Fatalf("%s: got %+v, want a link and no items", query, page)
		}
		// The first round read 1,001 items: the page's limit of 1, and 1,000 more. The last is items[1000].
		if got := strings.Replace(page.Links[0].Href, p.items[1000].ID, "REF", 1); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}
