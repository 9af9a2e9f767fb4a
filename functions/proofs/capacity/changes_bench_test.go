package capacity_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// BenchmarkHistory_ChangesSince polls a history of 100,000 transactions that have not changed, through all pages: by
// the index of changes, and by a walk, as before the index's birth. It reports the calls and read units of a poll.
func BenchmarkHistory_ChangesSince(b *testing.B) {
	w := world.New(b)
	storeCopies(b, w, storeSale(b, w), longHistory)
	w.Clock.Advance(time.Hour)
	query := "limit=100&changes_since=" + w.Clock.Now().Format(time.RFC3339)
	b.Run("index", func(b *testing.B) { pollChanges(b, w, w.Main(), query) })
	_, table := w.App.Store.Raw()
	if err := table.Delete("pk", "BIRTH#changes").Range("sk", "BIRTH").Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	newlyBorn := w.Process()
	b.Run("walk", func(b *testing.B) { pollChanges(b, w, newlyBorn, query) })
}

// pollChanges lists the pages of the query with a process.
func pollChanges(b *testing.B, w *world.World, p *world.Process, query string) {
	b.Helper()
	path := "/v2.1/merchants/" + w.Merchant.Code + "/transactions/history?"
	polls, calls, units := 0, 0, 0.0
	for b.Loop() {
		p.Meter.Reset()
		for next := query; next != ""; {
			request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path+next, nil)
			request.Header.Set("Authorization", "Bearer "+w.Merchant.Key.Plaintext)
			response := httptest.NewRecorder()
			p.Handler().ServeHTTP(response, request)
			var page struct{ Links []struct{ Href string } }
			if err := json.Unmarshal(response.Body.Bytes(), &page); err != nil || response.Code != http.StatusOK {
				b.Fatalf("%s: got %d %s, want 200 and a page", next, response.Code, response.Body)
			}
			next = ""
			for _, link := range page.Links {
				next = link.Href
			}
		}
		use := p.Meter.Reset()
		polls, calls, units = polls+1, calls+len(use.Calls), units+use.Read
	}
	b.ReportMetric(float64(calls)/float64(polls), "calls/op")
	b.ReportMetric(units/float64(polls), "RCU/op")
}
