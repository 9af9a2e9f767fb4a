package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/functions/sweep"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
)

// createExpiring makes a checkout that is valid for an hour.
func createExpiring(w *world.World, reference, returnURL string) (id string) {
	w.Helper()
	return w.Shop().Create("10.10", map[string]any{"checkout_reference": reference, "return_url": returnURL,
		"valid_until": w.Clock.Now().Add(time.Hour).Format(time.RFC3339)})
}

func TestTick_Expiry(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Receive()
	id := createExpiring(w, "order", shop.URL)
	w.Clock.Advance(time.Hour - time.Second)
	w.Tick("sweep")
	if c, err := w.App.Store.Checkout(t.Context(), w.Shop().Tenant(), id); err != nil || c.Status != "PENDING" {
		t.Fatalf("a second before valid_until: got %s, error %v; want PENDING", c.Status, err)
	}
	w.Clock.Advance(time.Second)
	w.Tick("sweep")
	if c, err := w.App.Store.Checkout(t.Context(), w.Shop().Tenant(), id); err != nil || c.Status != "EXPIRED" {
		t.Fatalf("at valid_until: got %s, error %v; want EXPIRED", c.Status, err)
	}
	w.RunUntilIdle()
	if got := shop.Messages(id); len(got) != 1 {
		t.Errorf("got callbacks %v, want one", got)
	}
}

func TestTick_LostStreamRecord(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Receive()
	id := createExpiring(w, "order", shop.URL)
	w.Shop().Deactivate(id)
	w.Clock.Advance(time.Minute - time.Second)
	w.Tick("sweep")
	if n := w.DrainQueues(); n != 0 {
		t.Fatalf("got %d messages before the fast path is overdue, want 0", n)
	}
	w.Clock.Advance(time.Second)
	w.Tick("sweep")
	if n := w.DrainQueues(); n != 1 {
		t.Fatalf("got %d messages, want 1, from sweep", n)
	}
	if got := shop.Deliveries(); len(got) != 1 || got[0].Checkout != id {
		t.Errorf("got callbacks %v, want one of %s", got, id)
	}
}

func TestResend_SlowQueue(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Receive()
	id := createExpiring(w, "order", shop.URL)
	w.Shop().Deactivate(id)
	for range 180 { // three hours without a consumer
		w.Tick("sweep")
		w.ReadStream()
		w.Clock.Advance(time.Minute)
	}
	// relay sends one message at once. Sweep sends the others after 1, 6, 16, 36, 76 and 136 minutes.
	if n := w.DrainQueues(); n != 7 {
		t.Errorf("got %d messages in the queue, want 7", n)
	}
	w.PassMinute()
	if got := shop.Deliveries(); len(got) != 1 || got[0].Checkout != id {
		t.Errorf("got callbacks %v, want one of %s", got, id)
	}
}

// corrupt stores unreadable items that are long overdue.
func corrupt(w *world.World, n int) {
	w.Helper()
	_, table := w.App.Store.Raw()
	items := make([]any, 0, n*w.App.Store.DueShards())
	for shard := range w.App.Store.DueShards() {
		for i := range n {
			pk := fmt.Sprintf("CALLBACK#msg_ruined-%d-%d", shard, i)
			items = append(items, map[string]any{"pk": pk, "sk": "CALLBACK", "tries": "many",
				"due_pk": fmt.Sprintf("DUE#%d", shard), "due_sk": fmt.Sprintf("%016d", 1)})
		}
	}
	if wrote, err := table.Batch().Write().Put(items...).Run(w.Context()); err != nil || wrote != len(items) {
		w.Fatalf("got %d items written, error %v; want %d", wrote, err, len(items))
	}
}

func TestTick_FailingItems(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Receive()
	const more = 260 // more than one page of a shard
	corrupt(w, more)
	id := createExpiring(w, "order", shop.URL)
	w.Shop().Deactivate(id)
	w.Clock.Advance(time.Minute)
	w.Tick("sweep")
	w.DrainQueues()
	if got := shop.Messages(id); len(got) != 1 {
		t.Errorf("got callbacks %v, want one", got)
	}
	if n := strings.Count(w.Logs.String(), `"callback not swept"`); n != more*w.App.Store.DueShards() {
		t.Errorf("got %d failures in the log, want one for each of %d items", n, more*w.App.Store.DueShards())
	}
}

func TestTick_MissingCheckout(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	_, table := w.App.Store.Raw()
	id := createExpiring(w, "order", w.Receive().URL)
	pk := "CHECKOUT#" + w.Shop().Tenant().String() + "#gone"
	ghost := map[string]any{"pk": pk, "sk": "OTHER", "due_pk": "DUE#0", "due_sk": fmt.Sprintf("%016d", 1)}
	if err := table.Put(ghost).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	w.Tick("sweep")
	if c, err := w.App.Store.Checkout(t.Context(), w.Shop().Tenant(), id); err != nil || c.Status != "EXPIRED" {
		t.Errorf("the other checkout: got %s, error %v; want EXPIRED", c.Status, err)
	}
	if log, want := w.Logs.String(), `"checkout not swept"`; !strings.Contains(log, want) {
		t.Errorf("got log %s, want %s in it", log, want)
	}
}

// down makes requests to some shards of the due index fail.
type down struct {
	table  http.RoundTripper
	shards []string
}

func (d down) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	for _, shard := range d.shards {
		if bytes.Contains(body, []byte(shard)) {
			return nil, faults.ErrNetwork
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return d.table.RoundTrip(r)
}

func TestTick_UnreadShards(t *testing.T) {
	t.Parallel()
	table := dynamodb.New(dynamodb.Config{})
	tickWithout := func(shards ...string) error {
		a := app.New(app.Config{Table: "cashwrap", Region: "eu-central-1", Secret: make([]byte, 32)}, app.Overrides{
			HTTP: down{table, shards}, MaxAttempts: 1, Log: slog.New(slog.DiscardHandler),
			Credentials: credentials.NewStaticCredentialsProvider("local", "none", "")})
		if err := a.Store.CreateTable(t.Context()); err != nil {
			t.Fatal(err)
		}
		return sweep.Tick(a)(t.Context())
	}
	if err := tickWithout("DUE#"); !errors.Is(err, faults.ErrNetwork) {
		t.Errorf("a tick that read nothing: got error %v, want %v", err, faults.ErrNetwork)
	}
	if err := tickWithout("DUE#0", "DUE#1", "DUE#2"); err != nil {
		t.Errorf("a tick that read one shard: got error %v, want none", err)
	}
}

func TestTick_NoTime(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Shop().Deactivate(createExpiring(w, "order", w.Receive().URL))
	w.Clock.Advance(time.Hour)
	// All of this time is reserved for finishing work that has started.
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(20*time.Second))
	defer cancel()
	if err := sweep.Tick(w.App)(ctx); err != nil {
		t.Errorf("got error %v, want none", err)
	}
	if n := w.DrainQueues(); n != 0 {
		t.Errorf("got %d messages, want none", n)
	}
	if log := w.Logs.String(); !strings.Contains(log, "time is up") {
		t.Errorf(`got log %s, want "time is up" in it`, log)
	}
}
