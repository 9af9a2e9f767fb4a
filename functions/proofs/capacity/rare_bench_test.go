package capacity_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	rareEvery = 10_000 // payments for each match
	rareUser  = "rare@shop.example"
)

// paymentCount returns the number of older payments of a benchmark. A million take five minutes and 5 GB.
func paymentCount(b *testing.B) int {
	given := os.Getenv("CASHWRAP_BENCH_PAYMENTS")
	if given == "" {
		return 100_000
	}
	n, err := strconv.Atoi(given)
	if err != nil {
		b.Fatalf("CASHWRAP_BENCH_PAYMENTS: %v", err)
	}
	return n
}

// BenchmarkRareHistory follows the pages of a filter that matches one of 10,000 payments. It compares the platform's
// limits with pages of one round, which read 1,010 entries. It reports pages without items, and the calls and read
// units of a page. Only the matches have all their attributes. The other payments have the attributes of the index.
//
// With a million payments and -benchtime=990x, each page has its match. A page takes 13 calls and 321 units. In pages
// of one round, 89 of 99 pages have no match, at 7 calls and 36 units each: a match takes 70 calls and 357 units.
func BenchmarkRareHistory(b *testing.B) {
	w := world.New(b)
	sale := storeSale(b, w)
	match := takeItem(b, w, sale)
	match["username"] = &types.AttributeValueMemberS{Value: rareUser}
	other := attributesOf(b, takeItem(b, w, sale), "history", "created_at") // a ref is found by created_at
	storeCopiesOf(b, w, sale, paymentCount(b), func(i int) dynamo.Item {
		if i%rareEvery == rareEvery/2 {
			return match
		}
		return other
	})
	long := store.Bucket{Rate: 1_000_000, Burst: 1_000_000}
	for name, limits := range map[string]app.HistoryLimits{"limits": {LongPages: long},
		"one round": {LongPages: long, Units: 1}} {
		b.Run(name, func(b *testing.B) {
			w.LimitHistory(limits)
			followRare(b, w)
		})
	}
}

// attributesOf returns an item with only its keys, the attributes of an index, and more.
func attributesOf(b *testing.B, item dynamo.Item, name string, more ...string) dynamo.Item {
	b.Helper()
	index := store.Indexes[slices.IndexFunc(store.Indexes, func(i store.Index) bool { return i.Name == name })]
	kept := append([]string{store.PartitionKey, store.SortKey, index.Partition, index.Sort},
		append(more, index.Include...)...)
	maps.DeleteFunc(item, func(name string, _ types.AttributeValue) bool { return !slices.Contains(kept, name) })
	return item
}

// followRare requests the pages of the rare filter one after another, and begins again after the last page.
func followRare(b *testing.B, w *world.World) {
	path := "/v2.1/merchants/" + w.Merchant.Code + "/transactions/history?"
	first := url.Values{"users[]": {rareUser}}.Encode()
	query, empty, requests := first, 0, 0
	w.Main().Meter.Reset()
	for b.Loop() {
		request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path+query, nil)
		request.Header.Set("Authorization", "Bearer "+w.Merchant.Key.Plaintext)
		response := httptest.NewRecorder()
		w.Main().Handler().ServeHTTP(response, request)
		var page struct {
			Items []struct{}
			Links []struct{ Href string }
		}
		if err := json.Unmarshal(response.Body.Bytes(), &page); err != nil || response.Code != http.StatusOK {
			b.Fatalf("%s: got %d %s, %v; want 200", query, response.Code, response.Body, err)
		}
		if requests++; len(page.Items) == 0 && len(page.Links) > 0 {
			empty++
		}
		if query = first; len(page.Links) > 0 {
			query = page.Links[0].Href
		}
	}
	use := w.Main().Meter.Reset()
	b.ReportMetric(float64(empty)/float64(requests), "empty/page")
	b.ReportMetric(float64(len(use.Calls))/float64(requests), "calls/page")
	b.ReportMetric(use.Read/float64(requests), "units/page")
}
