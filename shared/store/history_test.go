package store_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestHistory_RangeInOrder draws ranges, orders and sizes of reads. A walk yields its entries once, in order, to the
// limit.
func TestHistory_RangeInOrder(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 4} {
		t.Run(fmt.Sprintf("%d shards", shards), func(t *testing.T) {
			t.Parallel()
			testWalks(shopFixture{t, newStore(t), shards})
		})
	}
}

func testWalks(w shopFixture) {
	var items []store.Bound
	for i := range 60 {
		tx := w.sale(start.Add(time.Duration(i%5)*time.Millisecond), "Tea")
		items = append(items, store.Bound{At: tx.CreatedAt, ID: tx.ID})
	}
	slices.SortFunc(items, oldestFirst)
	rapid.Check(w, func(t *rapid.T) {
		r := store.Range{Oldest: drawBound(t, "oldest", items), Newest: drawBound(t, "newest", items),
			NewestFirst: rapid.Bool().Draw(t, "newest first")}
		want := []string{}
		for _, item := range items {
			if inRange(r, item) {
				want = append(want, item.ID)
			}
		}
		if r.NewestFirst {
			slices.Reverse(want)
		}
		first, most := rapid.IntRange(1, 70).Draw(t, "first"), rapid.IntRange(1, 70).Draw(t, "most")
		got := ids(w, w.History(w.Context(), tenant, w.shards, r, first, most))
		if !slices.Equal(got, want[:min(most, len(want))]) {
			t.Fatalf("%+v: got %v, want %v", r, got, want)
		}
		if len(got) > 0 {
			met := mustCollect(w.T, w.History(w.Context(), tenant, w.shards, r, first, most))
			rest := ids(w, w.History(w.Context(), tenant, w.shards, r.After(met[len(met)-1].Place()), 70, 70))
			if !slices.Equal(rest, want[len(got):]) {
				t.Fatalf("%+v, after %s: got %v, want %v", r, got[len(got)-1], rest, want[len(got):])
			}
		}
	})
}

// TestHistory_BoundToNanosecond checks bounds in nanoseconds, which clients may send. Positions are in microseconds.
func TestHistory_BoundToNanosecond(t *testing.T) {
	t.Parallel()
	w := shopFixture{t, newStore(t), 1}
	tx := w.sale(start, "Tea")
	item := store.Bound{At: tx.CreatedAt, ID: tx.ID}
	for ns := range 5 {
		for _, inclusive := range []bool{false, true} {
			b := &store.Bound{At: start.Add(time.Duration(ns - 2)), Inclusive: inclusive}
			for _, r := range []store.Range{{Oldest: b}, {Newest: b}} {
				if met := len(ids(t, w.History(t.Context(), tenant, 1, r, 5, 5))) > 0; met != inRange(r, item) {
					t.Errorf("%d ns off, inclusive %t, %+v: got met %t, want %t", ns-2, inclusive, r, met, inRange(r, item))
				}
			}
		}
	}
}

// TestHistoryOf_AgreesWithHistory checks that HistoryOf returns the items that History lists for the code. HistoryOf
// reads the code's partition, and History reads the index.
func TestHistoryOf_AgreesWithHistory(t *testing.T) {
	t.Parallel()
	w := shopFixture{t, newStore(t), 1}
	tx := w.sale(start, "Tea")
	w.sale(start, "another")
	items := []store.Bound{{At: tx.CreatedAt, ID: tx.ID}}
	for i := range 12 {
		status := []payments.EventStatus{payments.EventPending, payments.EventRefunded, payments.EventFailed}[i%3]
		e := w.refund(&tx, fmt.Sprint(i), status, start.Add(time.Duration(i%4)*time.Millisecond))
		items = append(items, store.Bound{At: e.CreatedAt, ID: e.ID})
	}
	w.refund(&tx, "unseen", payments.EventBegun, start)
	deduction := w.refund(&tx, "deducted", payments.EventPending, start)
	items = append(items, store.Bound{At: start, ID: deduction.ID})
	deduction.ID, deduction.Type = tx.RefundID("deduction"), payments.PayoutDeductionEvent
	w.write(&tx, deduction)
	whole, err := w.HistoryItems(w.Context(), mustCollect(t, w.History(w.Context(), tenant, 1, store.Range{}, 100, 100)))
	if err != nil {
		t.Fatal(err)
	}
	part := mustCollect(t, w.HistoryOf(w.Context(), tenant, tx.Code, store.Range{}))
	whole = slices.DeleteFunc(whole, func(h payments.HistoryItem) bool { return h.Code != tx.Code })
	if got, want := formatItems(whole), formatItems(part); got != want || len(part) != len(items) {
		t.Errorf("got in the index\n%s\nwant what is in the partition\n%s", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := store.Range{Oldest: drawBound(t, "oldest", items), Newest: drawBound(t, "newest", items),
			NewestFirst: rapid.Bool().Draw(t, "newest first")}
		var want []string
		for _, id := range ids(w, w.History(w.Context(), tenant, 1, r, 100, 100)) {
			if slices.ContainsFunc(items, func(b store.Bound) bool { return b.ID == id }) {
				want = append(want, id)
			}
		}
		if got := idsOf(w, w.HistoryOf(w.Context(), tenant, tx.Code, r)); !slices.Equal(got, want) {
			t.Fatalf("%+v: got %v, want %v", r, got, want)
		}
	})
}

// formatItems writes items out, with the values of their pointers.
func formatItems(items []payments.HistoryItem) string {
	var text strings.Builder
	for _, item := range items {
		card := item.Card
		item.Card = nil
		fmt.Fprintf(&text, "%+v %+v\n", item, card)
	}
	return text.String()
}

// TestHistoryIndex_HoldsFilterAttributes checks that the index holds just the attributes that filters read. An index
// cannot be widened, and further attributes would only cost.
func TestHistoryIndex_HoldsFilterAttributes(t *testing.T) {
	t.Parallel()
	var want []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[payments.HistoryEntry]()) {
		if name := field.Tag.Get("dynamo"); name != "-" { // in the keys
			want = append(want, name)
		}
	}
	i := slices.IndexFunc(store.Indexes, func(x store.Index) bool { return x.Name == "history" })
	if diff := cmp.Diff(want, store.Indexes[i].Include); diff != "" {
		t.Errorf("attributes in the index (-want +got):\n%s", diff)
	}
}

// TestHistoryItems_ChangedSinceIndexed checks that an entry leads to the current item, unless clients no longer see it.
func TestHistoryItems_ChangedSinceIndexed(t *testing.T) {
	t.Parallel()
	w := shopFixture{t, newStore(t), 1}
	tx := w.sale(start, "Tea")
	settled := w.refund(&tx, "settled", payments.EventPending, start.Add(time.Second))
	withdrawn := w.refund(&tx, "withdrawn", payments.EventPending, start.Add(2*time.Second))
	entries := mustCollect(t, w.History(w.Context(), tenant, 1, store.Range{}, 10, 10))
	if len(entries) != 3 {
		t.Fatalf("got %d entries, want 3", len(entries))
	}
	settled.Status, withdrawn.Status, tx.Fee = payments.EventRefunded, payments.EventWithdrawn, money.MustParse("1", "EUR")
	w.write(&tx, settled, withdrawn)
	items, err := w.HistoryItems(w.Context(), entries)
	if diff := cmp.Diff([]payments.HistoryItem{tx.HistoryItem(), settled.HistoryItem()}, items,
		storedtest.Options); err != nil || diff != "" {
		t.Errorf("got error %v, want none; items (-want +got):\n%s", err, diff)
	}
}

// TestHistoryItems_MissingFromReplica checks that an item that a replica does not know yet is read consistently,
// because a client that pages would never see it.
func TestHistoryItems_MissingFromReplica(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		behind := strings.HasSuffix(r.Header.Get("X-Amz-Target"), "BatchGetItem") &&
			!bytes.Contains(body, []byte(`"ConsistentRead":true`))
		if err != nil || !behind {
			return enginetest.Do(r)
		}
		nothing := io.NopCloser(strings.NewReader(`{"Responses":{},"UnprocessedKeys":{}}`))
		return &http.Response{StatusCode: 200, Body: nothing}, nil
	}}
	w := shopFixture{t, openTable(t, clock.New(), wire), 1}
	tx := w.sale(start, "Tea")
	items, err := w.HistoryItems(w.Context(), mustCollect(t, w.History(w.Context(), tenant, 1, store.Range{}, 10, 10)))
	if err != nil || len(items) != 1 || items[0].ID != tx.ID || wire.Calls("BatchGetItem") != 2 {
		t.Errorf("got %+v after %d reads, error %v, want the item of %s after 2, none", items, wire.Calls("BatchGetItem"),
			err, tx.ID)
	}
}

// TestHistory_OverOneMegabyte checks that a walk goes on when a query ends at 1 MB.
func TestHistory_OverOneMegabyte(t *testing.T) {
	t.Parallel()
	w := shopFixture{t, newStore(t), 1}
	const many = 12
	for i := range many {
		w.sale(start.Add(time.Duration(i)*time.Millisecond), strings.Repeat("x", 100_000))
	}
	for _, newestFirst := range []bool{false, true} {
		r := store.Range{NewestFirst: newestFirst}
		if got := ids(t, w.History(t.Context(), tenant, 1, r, 100, 100)); len(got) != many {
			t.Errorf("newest first %t: got %d, want %d", newestFirst, len(got), many)
		}
	}
}

func TestHistory_StopsEarly(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	w := shopFixture{t, openTable(t, clock.New(), wire), 1}
	for range 50 {
		w.sale(start, "Tea")
	}
	for stop, want := range map[int]int{1: 1, 3: 1, 4: 2, 15: 2, 16: 3, 50: 3} { // 3, then 12, then 48
		before := wire.Calls("Query")
		walked := 0
		for _, err := range w.History(t.Context(), tenant, 1, store.Range{}, 3, 1000) {
			if err != nil {
				t.Fatal(err)
			}
			if walked++; walked == stop {
				break
			}
		}
		if got := wire.Calls("Query") - before; got != want || walked != stop {
			t.Errorf("got %d queries for %d items, want %d for %d", got, walked, want, stop)
		}
	}
}

// seesAll returns true: the caller sees the checkouts of all creators.
func seesAll(string) bool { return true }

func TestHistoryPlace(t *testing.T) {
	t.Parallel()
	w := shopFixture{t, newStore(t), 1}
	tx := w.sale(start, "Tea")
	pending := w.refund(&tx, "pending", payments.EventPending, start.Add(time.Second))
	reserved := w.refund(&tx, "reserved", payments.EventBegun, start)
	withdrawn := w.refund(&tx, "withdrawn", payments.EventWithdrawn, start)
	deduction := pending
	deduction.ID, deduction.Type = tx.RefundID("deduction"), payments.PayoutDeductionEvent
	w.write(&tx, deduction)
	for id, at := range map[string]time.Time{tx.ID: start, pending.ID: start.Add(time.Second)} {
		place, err := w.HistoryPlace(t.Context(), tenant, id, seesAll)
		if diff := cmp.Diff(store.Bound{At: at, ID: id}, place); err != nil || diff != "" {
			t.Errorf("%s: got error %v, want none; place (-want +got):\n%s", id, err, diff)
		}
	}
	for name, id := range map[string]string{"reserved": reserved.ID, "withdrawn": withdrawn.ID, "deduction": deduction.ID,
		"unknown": uuid.NewString(), "upper case": strings.ToUpper(pending.ID), "code": tx.Code,
		"long": strings.Repeat("x", 5000), "none": ""} {
		if place, err := w.HistoryPlace(t.Context(), tenant, id, seesAll); !failure.Is(err, failure.KindNotFound) {
			t.Errorf("%s: got %+v, %v; want KindNotFound", name, place, err)
		}
	}
	for _, id := range []string{tx.ID, pending.ID} {
		if place, err := w.HistoryPlace(t.Context(), tenant, id,
			func(creator string) bool { return creator == "mem_1" }); !failure.Is(err, failure.KindNotFound) {
			t.Errorf("hidden %s: got %+v, %v; want KindNotFound", id, place, err)
		}
	}
	stranger := identity.Tenant{Mode: identity.Test, Merchant: "MC9Z9Z9Z9Z"}
	if place, err := w.HistoryPlace(t.Context(), stranger, tx.ID, seesAll); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("another merchant's: got %+v, %v; want KindNotFound", place, err)
	}
}

// TestHistory_IndexLag checks that the history may lag, but reads by code or id do not.
func TestHistory_IndexLag(t *testing.T) {
	t.Parallel()
	const lag = 3 * time.Second
	now := clock.New()
	engine := dynamodb.New(dynamodb.Config{Now: now.Now, IndexLag: lag})
	s := store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1", Endpoint: "http://dynamodb.test", Now: now.Now,
		Credentials: credentials.NewStaticCredentialsProvider("any", "none", ""),
		HTTP:        aws.HTTPClient(&http.Client{Transport: engine})})
	if err := s.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := shopFixture{t, s, 1}
	tx := w.sale(now.Now(), "Tea")
	e := w.refund(&tx, "one", payments.EventPending, now.Now())
	for _, id := range []string{tx.ID, e.ID} {
		if _, err := s.HistoryPlace(t.Context(), tenant, id, seesAll); err != nil {
			t.Errorf("%s: got error %v, want its place at once", id, err)
		}
	}
	if got := idsOf(t, s.HistoryOf(t.Context(), tenant, tx.Code, store.Range{})); len(got) != 2 {
		t.Errorf("by its code: got %v, want 2", got)
	}
	waited := time.Duration(0)
	for len(ids(t, s.History(t.Context(), tenant, 1, store.Range{}, 10, 10))) < 2 {
		if waited > lag {
			t.Fatalf("got fewer than 2 in the history after %s, want them within %s", waited, lag)
		}
		now.Advance(100 * time.Millisecond)
		waited += 100 * time.Millisecond
	}
	if waited != lag {
		t.Errorf("got in the history after %s, want the index's lag of %s", waited, lag)
	}
}
