package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// refusing answers the next transaction of payments with an error of DynamoDB.
type refusing struct {
	aws.HTTPClient
	next string // the error's name and further members, or "" for none
}

// Do carries a request.
func (r *refusing) Do(call *http.Request) (*http.Response, error) {
	if r.next == "" || !strings.HasSuffix(call.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
		return r.HTTPClient.Do(call)
	}
	code, members, _ := strings.Cut(r.next, " ")
	body := `{"__type":"com.amazonaws.dynamodb.v20120810#` + code + `"` + members + `}`
	r.next = ""
	return &http.Response{StatusCode: http.StatusBadRequest, Request: call,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(body))}, nil
}

// growing is a store whose merchant creates checkouts in shard 0.
type growing struct {
	*testing.T
	*store.Store
	clock *clock.Clock
	wire  *refusing
}

func newGrowing(t *testing.T) growing {
	t.Helper()
	g := growing{T: t, clock: clock.New(), wire: &refusing{}}
	g.Store = storedtest.Open(t, g.clock.Now, func(c aws.HTTPClient) aws.HTTPClient {
		g.wire.HTTPClient = c
		return g.wire
	})
	if err := g.CreateMerchant(t.Context(), byTest, merchant.Merchant{Code: tenant.Merchant},
		account.Account{}); err != nil {
		t.Fatal(err)
	}
	return g
}

// create creates checkouts now.
func (g growing) create(many int) {
	g.Helper()
	for range many {
		d := draft(g.clock.Now().String() + time.Now().String())
		d.CreatedAt, d.ValidUntil = g.clock.Now(), nil
		if _, err := g.CreateCheckout(g.Context(), tenant, d); err != nil {
			g.Fatal(err)
		}
	}
}

// grow handles the due entries, and returns the merchant's number of shards.
func (g growing) grow() int {
	g.Helper()
	for _, due := range listOverdue(g.T, g.Store, g.clock.Now()) {
		if due.Growth {
			if _, _, err := g.GrowShards(g.Context(), byTest, due.Tenant); err != nil {
				g.Fatal(err)
			}
		}
	}
	m, err := g.Merchant(g.Context(), tenant.Merchant)
	if err != nil {
		g.Fatal(err)
	}
	return m.ShardCount()
}

const (
	hotTable = `ThrottlingException ,"throttlingReasons":[{"reason":"TableWriteKeyRangeThroughputExceeded"}]`
	hotIndex = `ProvisionedThroughputExceededException ,` +
		`"ThrottlingReasons":[{"reason":"IndexWriteKeyRangeThroughputExceeded"}]`
	hotItem  = `TransactionCanceledException ,"CancellationReasons":[{"Code":"ThrottlingError"},{"Code":"None"}]`
	hotOther = `TransactionCanceledException ,"CancellationReasons":[{"Code":"None"},{"Code":"ThrottlingError"}]`
	hotQuota = `ThrottlingException ,"throttlingReasons":[{"reason":"TableWriteAccountLimitExceeded"}]`
	conflict = `TransactionCanceledException ,"CancellationReasons":[{"Code":"TransactionConflict"},{"Code":"None"}]`
)

// TestGrowShards_OnlyBusyHotShard checks that only a hot partition of a busy shard makes a merchant grow. Creating a
// checkout writes two items: first the checkout, then its reference, which has a separate partition.
func TestGrowShards_OnlyBusyHotShard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		error string
		many  int
		want  int
	}{
		"table": {hotTable, store.DefaultBusy, 2}, "index": {hotIndex, store.DefaultBusy, 2},
		"transaction": {hotItem, store.DefaultBusy, 2}, "another item": {hotOther, store.DefaultBusy, 1},
		"the account's quota": {hotQuota, store.DefaultBusy, 1}, "conflict": {conflict, store.DefaultBusy, 1},
		"little to do": {hotTable, store.DefaultBusy / 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGrowing(t)
			g.create(c.many)
			g.wire.next = c.error
			g.create(1)
			if got := g.grow(); got != c.want {
				t.Errorf("got %d shards, want %d", got, c.want)
			}
			if left := listOverdue(t, g.Store, g.clock.Now()); len(left) > 0 {
				t.Errorf("got %v still due, want nothing", left)
			}
		})
	}
}

// TestThrottleWatch_OncePerMinute checks that a merchant is noted once a minute, and that old entries do not count.
func TestThrottleWatch_OncePerMinute(t *testing.T) {
	t.Parallel()
	g := newGrowing(t)
	g.create(store.DefaultBusy)
	g.clock.Advance(11 * time.Second)
	g.wire.next = hotTable
	g.create(1)
	if got := g.grow(); got != 1 {
		t.Errorf("after eleven seconds: got %d shards, want 1", got)
	}
	g.create(store.DefaultBusy)
	g.wire.next = hotTable
	g.create(1)
	if got := g.grow(); got != 1 {
		t.Errorf("within the minute: got %d shards, want 1", got)
	}
	g.clock.Advance(time.Minute)
	g.create(store.DefaultBusy)
	g.wire.next = hotTable
	g.create(1)
	if got := g.grow(); got != 2 {
		t.Errorf("a minute later: got %d shards, want 2", got)
	}
}

// fullTable is a table that refuses all writes, and counts the notes among them.
type fullTable struct {
	aws.HTTPClient
	on    bool
	notes int
}

// Do carries a request, or refuses it.
func (f *fullTable) Do(call *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(call.Body)
	if err != nil {
		return nil, err
	}
	call.Body = io.NopCloser(bytes.NewReader(body))
	if !f.on {
		return f.HTTPClient.Do(call)
	}
	if bytes.Contains(body, []byte(`"GROWTH"`)) {
		f.notes++
	}
	code, members, _ := strings.Cut(hotTable, " ")
	answer := &http.Response{StatusCode: http.StatusBadRequest, Request: call,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(`{"__type":"com.amazonaws.dynamodb.v20120810#` + code + `"` + members + `}`))}
	return answer, nil
}

// TestThrottleWatch_FailedNote checks that after a failed note the next attempts write no note. Most likely the whole
// table is throttled, and a payment would wait for each note.
func TestThrottleWatch_FailedNote(t *testing.T) {
	t.Parallel()
	table, now := &fullTable{}, clock.New()
	s := storedtest.Open(t, now.Now, func(c aws.HTTPClient) aws.HTTPClient { table.HTTPClient = c; return table })
	table.on = true
	for i := range 3 {
		if _, err := s.CreateCheckout(t.Context(), tenant, draft(fmt.Sprint("order-", i))); err == nil {
			t.Error("got no error, want one")
		}
	}
	once := table.notes
	if once == 0 || once > 3 { // the SDK makes three attempts of a note
		t.Errorf("got %d attempts to note, want those of one note", once)
	}
	now.Advance(10 * time.Second)
	if _, err := s.CreateCheckout(t.Context(), tenant, draft("order")); err == nil || table.notes <= once {
		t.Errorf("ten seconds later: got %d attempts (%v), want more than %d", table.notes, err, once)
	}
}

// TestGrowShards_Concurrently checks that concurrent callers make a merchant grow once.
func TestGrowShards_Concurrently(t *testing.T) {
	t.Parallel()
	g := newGrowing(t)
	g.create(store.DefaultBusy)
	g.wire.next = hotTable
	g.create(1)
	errs := make(chan error)
	for range 10 {
		go func() {
			_, _, err := g.GrowShards(context.Background(), byTest, tenant)
			errs <- err
		}()
	}
	for range 10 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := g.grow(); got != 2 {
		t.Errorf("got %d shards, want 2", got)
	}
}
