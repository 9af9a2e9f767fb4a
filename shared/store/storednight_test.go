package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// remembered returns how long a subject that is not open is remembered.
func (w fixture) remembered() time.Time { return w.clock.Now().Add(14 * 24 * time.Hour) }

// listed reads the whole directory of tenants.
func (w fixture) listed(ctx context.Context) (all []store.ListedTenant, err error) {
	for shard := range store.TenantShards {
		some, someErr := collect(w.Tenants(ctx, shard, ""))
		all, err = append(all, some...), errors.Join(err, someErr)
	}
	return all, err
}

var storedNights = map[string]stored{
	"SaveNights": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			n := storedtest.Fill[store.Nights](w, w.Filler)
			n.Version = 0 // not stored yet
			w.must(w.SaveNights(w.Context(), n))
			n.Version = 1
			return []storedtest.Read{storedtest.Expect("Nights", n, w.Nights)}
		},
		unseen: storedtest.NotRead{"NIGHTS write_id": notRead},
	},
	"SaveNightStep": {
		sets: "Version is the next; ProvenAt is the run's Until; Balances and Reopened stay as they were",
		write: func(w fixture) []storedtest.Read {
			run := storedtest.Fill[store.ProofRun](w, w.Filler)
			p := storedtest.Fill[store.ProofSegment](w, w.Filler)
			p.Version, p.Counts = 0, map[string]int64{"seen": 2} // not stored yet
			added := storedtest.Fill(w, w.Filler, func(c *store.Closing) { c.Series, c.Day = acquirerDays(w.tenant), "d" })
			closed := storedtest.Fill(w, w.Filler, func(s *store.ProvenSubject) { s.Tenant = w.tenant })
			closed.Open, closed.Reopened = false, 0 // not stored yet
			open := storedtest.Fill(w, w.Filler, func(s *store.ProvenSubject) { s.Tenant, s.Open = w.tenant, true })
			got, err := w.SaveNightStep(w.Context(), run, p, map[string]int64{"seen": 1}, store.NightStep{
				Closings: []store.Closing{added}, Subjects: []store.ProvenSubject{open, closed}, Begun: &w.tenant})
			p.Version, p.Counts = 1, map[string]int64{"seen": 3}
			wantAnswer(w, p, got, err)
			added.Version, added.ProvenAt, added.Balances, added.Reopened = 1, run.Until, nil, 0
			type read struct {
				Segment  store.ProofSegment
				Closings []store.Closing
				Open     []store.ProvenSubject
				Subjects map[string]store.ProvenSubject
				Listed   []store.ListedTenant
			}
			return []storedtest.Read{storedtest.Expect("the step", read{p, []store.Closing{added}, []store.ProvenSubject{open},
				map[string]store.ProvenSubject{open.ID: open, closed.ID: closed},
				[]store.ListedTenant{{Tenant: w.tenant, Begun: true}}},
				func(ctx context.Context) (r read, err error) {
					var errs [5]error
					r.Segment, errs[0] = w.ProofSegment(ctx, run.ID, p.Segment)
					r.Closings, errs[1] = collect(w.Closings(ctx, acquirerDays(w.tenant), ""))
					r.Open, errs[2] = collect(w.OpenSubjects(ctx, w.tenant, ""))
					r.Subjects, errs[3] = w.ProvenSubjects(ctx, w.tenant, []string{open.ID, closed.ID})
					r.Listed, errs[4] = w.listed(ctx)
					return r, errors.Join(errs[:]...)
				}), w.expiries(w.remembered())}
		},
		unseen: storedtest.NotRead{"SEGMENT write_id": notRead, "SEGMENT segment": "the key says it",
			"ACQUIRER write_id": "only the segment's is read"},
	},
	"NoteSettled": {
		write: func(w fixture) []storedtest.Read {
			w.must(w.ListTenant(w.Context(), w.tenant))
			for _, currency := range []money.Currency{"EUR", "USD", "EUR"} {
				w.must(w.NoteSettled(w.Context(), w.tenant, currency))
			}
			want := []store.ListedTenant{{Tenant: w.tenant, Settled: []string{"EUR", "USD"}}}
			return []storedtest.Read{storedtest.Expect("Tenants", want, w.listed)}
		},
	},
	"Reopen": {
		write: func(w fixture) []storedtest.Read {
			w.must(w.Reopen(w.Context(), w.tenant, "s"))
			want := []store.ProvenSubject{{Tenant: w.tenant, ID: "s", Open: true, Reopened: 1,
				ReopenedAt: w.clock.Now()}}
			return []storedtest.Read{storedtest.Expect("OpenSubjects", want, func(ctx context.Context) ([]store.ProvenSubject,
				error) {
				return collect(w.OpenSubjects(ctx, w.tenant, ""))
			})}
		},
	},
}

// euroDays returns the series of the days of a tenant's journal in euros.
func euroDays(t identity.Tenant) store.Series { return store.Series{Tenant: t, Currency: "EUR"} }

// acquirerDays returns the series of what the acquirer is to settle with a tenant in euros.
func acquirerDays(t identity.Tenant) store.Series {
	return store.Series{Tenant: t, Currency: "EUR", Book: store.AcquirerBook}
}

// saveStep saves the first step of a run, with closings.
func saveStep(t *testing.T, s *store.Store, run string, closings ...store.Closing) {
	t.Helper()
	_, err := s.SaveNightStep(t.Context(), store.ProofRun{ID: run}, store.ProofSegment{}, nil,
		store.NightStep{Closings: closings})
	if err != nil {
		t.Fatal(err)
	}
}

// TestClosingsBefore checks that the closings before a day are walked from the latest to the first, over several
// queries.
func TestClosingsBefore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	of := acquirerDays(tenant)
	var days []store.Closing
	for day := range 30 {
		days = append(days, store.Closing{Series: of, Day: start.AddDate(0, 0, day).Format(time.DateOnly)})
	}
	saveStep(t, s, "r", days...)
	for _, before := range []int{0, 1, 2, 3, 17, 29} {
		all, err := collect(s.ClosingsBefore(t.Context(), of, days[before].Day))
		slices.Reverse(all)
		var got, want []string
		for _, c := range all {
			got = append(got, c.Day)
		}
		for _, c := range days[:before] {
			want = append(want, c.Day)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("before %s: got %v, error %v; want %v", days[before].Day, got, err, want)
		}
	}
}

// TestReopen_Remembered checks that a subject that is reopened keeps what is remembered about it, and does not expire.
func TestReopen_Remembered(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	before := store.ProvenSubject{Tenant: tenant, ID: "s", Closed: start, LinesTo: start}
	if _, err := s.SaveNightStep(t.Context(), store.ProofRun{ID: "r"}, store.ProofSegment{}, nil,
		store.NightStep{Subjects: []store.ProvenSubject{before}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Reopen(t.Context(), tenant, "s"); err != nil {
		t.Fatal(err)
	}
	want := before
	want.Open, want.Reopened, want.ReopenedAt = true, 1, start
	got, err := collect(s.OpenSubjects(t.Context(), tenant, ""))
	if diff := cmp.Diff([]store.ProvenSubject{want}, got, storedtest.Options); err != nil || diff != "" {
		t.Errorf("got error %v (-want +got):\n%s", err, diff)
	}
}

// TestSaveNightStep_Reopened checks that a step closes a subject only if Reopen was not called since the subject was
// read. A refused step writes nothing, and may be repeated.
func TestSaveNightStep_Reopened(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	version := 0
	save := func(p store.ProvenSubject) error {
		p.Tenant, p.ID = tenant, "s"
		_, err := s.SaveNightStep(t.Context(), store.ProofRun{ID: "r"}, store.ProofSegment{Version: version}, nil,
			store.NightStep{Subjects: []store.ProvenSubject{p}})
		if err == nil {
			version++
		}
		return err
	}
	for i, c := range []struct {
		reopen bool
		put    store.ProvenSubject
		want   error
	}{
		{false, store.ProvenSubject{LinesTo: start}, nil},
		{true, store.ProvenSubject{}, store.ErrReopened},
		{false, store.ProvenSubject{Reopened: 1}, nil},
		{true, store.ProvenSubject{Reopened: 1}, store.ErrReopened},
		{false, store.ProvenSubject{Open: true, Reopened: 2, LinesTo: start}, nil},
		{false, store.ProvenSubject{Reopened: 1}, store.ErrReopened},
	} {
		if c.reopen {
			if err := s.Reopen(t.Context(), tenant, "s"); err != nil {
				t.Fatal(err)
			}
		}
		if err := save(c.put); !errors.Is(err, c.want) {
			t.Errorf("step %d: got error %v, want %v", i, err, c.want)
		}
	}
	want := []store.ProvenSubject{{Tenant: tenant, ID: "s", Open: true, Reopened: 2, LinesTo: start}}
	got, err := collect(s.OpenSubjects(t.Context(), tenant, ""))
	if diff := cmp.Diff(want, got, storedtest.Options); err != nil || diff != "" {
		t.Errorf("got error %v (-want +got):\n%s", err, diff)
	}
}

// scanned counts the items that queries read.
type scanned struct {
	aws.HTTPClient
	n int
}

func (c *scanned) Do(r *http.Request) (*http.Response, error) {
	response, err := c.HTTPClient.Do(r)
	if err != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Query") {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	var page struct{ ScannedCount int }
	err = errors.Join(err, json.Unmarshal(body, &page))
	c.n += page.ScannedCount
	return response, err
}

// TestOpenSubjects_OtherItems checks that a walk reads only subjects after the given one, and no ids of corrections.
func TestOpenSubjects_OtherItems(t *testing.T) {
	t.Parallel()
	var items scanned
	s := storedtest.Open(t, clock.New().Now, func(c aws.HTTPClient) aws.HTTPClient {
		items.HTTPClient = c
		return &items
	})
	for _, id := range []string{"c", "d"} {
		if err := s.CorrectSettlement(t.Context(), byTest, tenant, correction(id, "1"), nil); err != nil {
			t.Fatal(err)
		}
	}
	settlement := correction("c", "1").About.ID
	for _, id := range []string{settlement + " of a day", "t"} {
		if err := s.Reopen(t.Context(), tenant, id); err != nil {
			t.Fatal(err)
		}
	}
	for after, want := range map[string]int{"": 3, settlement: 2, "t": 0} {
		items.n = 0
		all, err := collect(s.OpenSubjects(t.Context(), tenant, after))
		if err != nil || len(all) != want || items.n != want {
			t.Errorf("after %q: got %+v, %d items read, error %v; want %d, and no others read", after, all, items.n, err, want)
		}
	}
}

// TestListTenant checks that a tenant is listed once, and that a walk begins at a tenant.
func TestListTenant(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var want []string
	for _, code := range []string{"MC1", "MC2", "MC3", "MC1"} {
		listed := identity.Tenant{Mode: identity.Live, Merchant: code}
		if err := s.ListTenant(t.Context(), listed); err != nil {
			t.Fatal(err)
		}
		want = append(want, listed.String())
	}
	var got []string
	for shard := range store.TenantShards {
		all, err := collect(s.Tenants(t.Context(), shard, ""))
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range all {
			got = append(got, l.Tenant.String())
			rest, err := collect(s.Tenants(t.Context(), shard, l.Tenant.String()))
			if diff := cmp.Diff(all[i:], rest, storedtest.Options); err != nil || diff != "" {
				t.Errorf("from %s: got error %v (-want +got):\n%s", l.Tenant, err, diff)
			}
		}
	}
	slices.Sort(got)
	if want = want[:3]; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for code, want := range map[string]bool{"MC1": true, "MC4": false} {
		if listed, err := s.IsListed(t.Context(), identity.Tenant{Mode: identity.Live, Merchant: code}); err != nil ||
			listed != want {
			t.Errorf("%s: got listed %t, error %v; want %t", code, listed, err, want)
		}
	}
}

// TestSaveNightStep_Closings checks that steps add to a closing, that a step before the night's first day reopens it,
// and that a step that comes late writes nothing. Balance then carries the balances forward.
func TestSaveNightStep_Closings(t *testing.T) {
	t.Parallel()
	for _, of := range []store.Series{euroDays(tenant), acquirerDays(tenant)} {
		t.Run(string(of.Book), func(t *testing.T) {
			t.Parallel()
			testClosings(t, of)
		})
	}
}

func testClosings(t *testing.T, of store.Series) {
	t.Helper()
	s := newStore(t)
	other := acquirerDays(tenant) // closings of the other book are neither read nor changed
	if of == other {
		other = euroDays(tenant)
	}
	saveStep(t, s, "other", store.Closing{Series: other, Day: "2026-11-19", Sums: map[string]int64{"bank": 5}})
	step := func(version int, day string, minor int64) error {
		_, err := s.SaveNightStep(t.Context(), store.ProofRun{ID: "r", Until: start}, store.ProofSegment{Version: version},
			nil, store.NightStep{Day: "2026-11-21", Closings: []store.Closing{{Series: of, Day: day,
				Sums:    map[string]int64{"bank": minor, "payable": -minor},
				Tallies: map[string]store.Tally{"card": {Count: 1, Amount: minor}}}}})
		return err
	}
	for i, c := range []struct {
		version int
		day     string
		minor   int64
		want    error
	}{
		{0, "2026-11-21", 100, nil}, {1, "2026-11-23", 20, nil}, {1, "2026-11-23", 20, store.ErrStale},
		{2, "2026-11-21", 3, nil}, {3, "2026-11-20", 7, nil}, {4, "2026-11-23", -20, nil},
	} {
		if err := step(c.version, c.day, c.minor); !errors.Is(err, c.want) {
			t.Errorf("step %d: got error %v, want %v", i, err, c.want)
		}
	}
	for range 2 { // the second time changes nothing
		if err := s.Balance(t.Context(), of, "2026-11-20"); err != nil {
			t.Fatal(err)
		}
	}
	sums := func(minor int64) map[string]int64 { return map[string]int64{"bank": minor, "payable": -minor} }
	tally := func(count, amount int64) map[string]store.Tally {
		return map[string]store.Tally{"card": {Count: count, Amount: amount}}
	}
	closing := func(day string, version, reopened int, added, balances map[string]int64,
		tallies map[string]store.Tally) store.Closing {
		return store.Closing{Series: of, Day: day, Sums: added, Balances: balances, Tallies: tallies,
			ProvenAt: start, Reopened: reopened, Version: version}
	}
	reopened := 0
	if of.Book == store.JournalBook { // only days of the journal are reopened
		reopened = 1
	}
	want := []store.Closing{
		closing("2026-11-20", 2, reopened, sums(7), sums(7), tally(1, 7)),
		closing("2026-11-21", 3, 0, sums(103), sums(110), tally(2, 103)),
		closing("2026-11-23", 3, 0, sums(0), sums(110), tally(2, 0)),
	}
	got, err := collect(s.Closings(t.Context(), of, store.OpeningDay))
	if diff := cmp.Diff(want, got, storedtest.Options); err != nil || diff != "" {
		t.Errorf("got error %v (-want +got):\n%s", err, diff)
	}
}
