package provision_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

const hook = "https://shop.example.com/hook"

// createCallback creates a due callback and returns its id.
func (d operator) createCallback(m provisioned, reference string) (id string) {
	d.Helper()
	before := d.storedCallbacks()
	shop := d.shop(m)
	shop.Deactivate(shop.Create("5", fields{"checkout_reference": reference, "return_url": hook + "?token=shibboleth"}))
	for owed := range d.storedCallbacks() {
		if !before[owed] {
			return owed
		}
	}
	d.Fatalf("callbacks: got %v, want another one than %v", d.storedCallbacks(), before)
	return ""
}

// storedCallbacks returns the ids of all callbacks in the due index.
func (d operator) storedCallbacks() map[string]bool {
	d.Helper()
	ids := map[string]bool{}
	for shard := range d.App.Store.DueShards() {
		for due, err := range d.App.Store.Overdue(d.Context(), shard, d.Clock.Now().Add(time.Hour)) {
			if err != nil {
				d.Fatal(err)
			}
			ids[due.CallbackID] = true
		}
	}
	return ids
}

// makeDead makes the last try of a callback fail now, so that the callback is dead.
func (d operator) makeDead(id string) {
	d.Helper()
	for _, at := range []time.Time{d.Clock.Now().Add(-73 * time.Hour), d.Clock.Now()} {
		t, c, err := d.App.Store.Callback(d.Context(), id)
		if err != nil {
			d.Fatal(err)
		}
		c.NextAt = at
		if err := d.App.Store.SaveCallback(d.Context(), t, c.Undelivered("timeout", at), c.Tries); err != nil {
			d.Fatal(err)
		}
	}
	if got := d.callbackState(id); got != outbox.Dead {
		d.Fatalf("callback %s: got %s, want %s", id, got, outbox.Dead)
	}
}

func (d operator) callbackState(id string) string {
	d.Helper()
	_, c, err := d.App.Store.Callback(d.Context(), id)
	if err != nil {
		d.Fatal(err)
	}
	return c.State
}

type replayed struct {
	Replayed int
	More     bool
}

func (d operator) replay(selection fields) replayed {
	d.Helper()
	selection["command"] = "replay_callbacks"
	return run[replayed](d, selection)
}

func TestReplayCallbacks_ByID(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	id, bystander := d.createCallback(m, "1"), d.createCallback(m, "2")
	if got := d.runRefused(fields{"command": "replay_callbacks", "id": id}); got.Code != "CONFLICT" {
		t.Errorf("while it is tried: got %+v, want CONFLICT", got)
	}
	d.makeDead(id)
	d.makeDead(bystander)
	if got := d.replay(fields{"id": id}); got != (replayed{1, false}) || d.callbackState(id) != outbox.Pending {
		t.Errorf("dead: got %+v, then %s, want %+v, then %s", got, d.callbackState(id), replayed{1, false},
			outbox.Pending)
	}
	if got := d.callbackState(bystander); got != outbox.Dead {
		t.Errorf("another callback: got %s, want %s", got, outbox.Dead)
	}
	tenant, c, err := d.App.Store.Callback(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.App.Store.SaveCallback(t.Context(), tenant, c.Delivered(), c.Tries); err != nil {
		t.Fatal(err)
	}
	if got := d.replay(fields{"id": id}); got != (replayed{1, false}) || d.callbackState(id) != outbox.Pending {
		t.Errorf("delivered: got %+v, then %s, want %+v, then %s", got, d.callbackState(id), replayed{1, false},
			outbox.Pending)
	}
}

func TestReplayCallbacks_OldID(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	shop := d.Receive()
	m := d.createMerchant(nil)
	id := d.createCallback(m, "1")
	tenant, c, err := d.App.Store.Callback(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.URL = shop.URL
	if err := d.App.Store.SaveCallback(t.Context(), tenant, c, c.Tries); err != nil {
		t.Fatal(err)
	}
	d.makeDead(id)
	d.replay(fields{"merchant_code": m.Code})
	d.RunUntilIdle()
	if got := shop.Deliveries(); len(got) != 1 || got[0].ID != id {
		t.Errorf("delivered: got %v, want one, %s", got, id)
	}
}

func TestReplayCallbacks_OfMerchant(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m, other := d.createMerchant(nil), d.createMerchant(nil)
	var mine []string
	for i := range 5 {
		mine = append(mine, d.createCallback(m, fmt.Sprint(i)))
		d.makeDead(mine[i])
	}
	theirs := d.createCallback(other, "theirs")
	d.makeDead(theirs)
	for _, want := range []replayed{{2, true}, {2, true}, {1, false}, {0, false}} {
		if got := d.replay(fields{"merchant_code": m.Code, "limit": 2}); got != want {
			t.Errorf("replayed: got %+v, want %+v", got, want)
		}
	}
	for _, id := range mine {
		if got := d.callbackState(id); got != outbox.Pending {
			t.Errorf("callback %s: got %s, want %s", id, got, outbox.Pending)
		}
	}
	if got := d.callbackState(theirs); got != outbox.Dead {
		t.Errorf("another merchant's callback: got %s, want %s", got, outbox.Dead)
	}
}

func TestReplayCallbacks_TimeRange(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	var ids []string
	var at []string
	for i := range 4 {
		d.Clock.Advance(time.Hour)
		ids = append(ids, d.createCallback(m, fmt.Sprint(i)))
		d.makeDead(ids[i])
		at = append(at, d.Clock.Now().Format(time.RFC3339))
	}
	if got := d.replay(fields{"from": at[1], "to": at[2]}); got != (replayed{2, false}) {
		t.Errorf("replayed: got %+v, want %+v", got, replayed{2, false})
	}
	for i, want := range []string{outbox.Dead, outbox.Pending, outbox.Pending,
		outbox.Dead} {
		if got := d.callbackState(ids[i]); got != want {
			t.Errorf("callback %d: got %s, want %s", i, got, want)
		}
	}
	if got := d.replay(fields{"from": at[0], "to": at[3], "merchant_code": "MC00000000"}); got != (replayed{0, false}) {
		t.Errorf("replayed of an unknown merchant: got %+v, want %+v", got, replayed{0, false})
	}
}

// TestReplayCallbacks_BeyondDueShards checks that dead callbacks are found after the number of due shards was lowered.
func TestReplayCallbacks_BeyondDueShards(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	d.Set("DUE_SHARDS", strconv.Itoa(store.MaxDueShards))
	m := d.createMerchant(nil)
	const many = 5
	for i := range many {
		d.makeDead(d.createCallback(m, fmt.Sprint(i)))
	}
	d.Set("DUE_SHARDS", "1")
	if got := d.replay(fields{"merchant_code": m.Code}); got != (replayed{many, false}) {
		t.Errorf("replayed: got %+v, want %+v", got, replayed{many, false})
	}
}

func TestReplayCallbacks_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	for _, c := range []struct {
		command     fields
		code, param string
	}{
		{fields{}, "MISSING", "id"},
		{fields{"id": "msg_unknown"}, "NOT_FOUND", ""},
		{fields{"id": "msg_1", "limit": 1}, "INVALID", "id"},
		{fields{"from": "2026-11-20T00:00:00Z"}, "MISSING", "to"},
		{fields{"to": "2026-11-20T00:00:00Z"}, "MISSING", "from"},
		{fields{"from": "2026-11-20", "to": "2026-11-20T00:00:00Z"}, "INVALID", "from"},
		{fields{"from": "2026-11-20T00:00:01Z", "to": "2026-11-20T00:00:00Z"}, "INVALID", "to"},
		{fields{"merchant_code": "MC1", "limit": 0}, "INVALID", "limit"},
		{fields{"merchant_code": "MC1", "limit": 1001}, "INVALID", "limit"},
	} {
		c.command["command"] = "replay_callbacks"
		d.checkRefused(c.command, c.code, c.param)
	}
}

func TestShowCallback_WithoutQuery(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	id := d.createCallback(m, "1")
	show := fields{"command": "show_callback", "id": id}
	got := run[fields](d, show)
	wanted := fields{"id": id, "merchant_code": m.Code, "mode": "test", "status": "EXPIRED", "url": hook,
		"state": "owed", "tries": 0.0, "next_try_at": d.Clock.Now().Format(time.RFC3339)}
	for name, want := range wanted {
		if got[name] != want {
			t.Errorf("%s: got %v, want %v", name, got[name], want)
		}
	}
	d.makeDead(id)
	got = run[fields](d, show)
	if got["state"] != "dead" || got["last_error"] != "timeout" || got["tries"] != 2.0 || got["next_try_at"] != nil {
		t.Errorf("dead: got %v, want state dead, last_error timeout, tries 2, and no next_try_at", got)
	}
	if strings.Contains(fmt.Sprint(got), "shibboleth") {
		t.Errorf("dead: got %v, want it without the query's shibboleth", got)
	}
	if got := d.runRefused(fields{"command": "show_callback"}); got.Code != "MISSING" || got.Param != "id" {
		t.Errorf("without an id: got %+v, want MISSING id", got)
	}
}

func TestPayVoucher_Pix(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(fields{"country": "BR", "currency": "BRL"})
	created := d.Do(world.Request{Method: "POST", Path: "/v0.1/checkouts", APIKey: m.Key.Plaintext, Body: fields{
		"checkout_reference": "pix", "amount": 10.10, "currency": "BRL", "merchant_code": m.Code}})
	id := created.Text("id")
	pay := fields{"command": "pay_voucher", "merchant_code": m.Code, "checkout_id": id}
	if got := d.runRefused(pay); got.Code != "CONFLICT" {
		t.Errorf("before there is a code: got %+v, want CONFLICT", got)
	}
	processed := d.Do(world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + id, APIKey: m.Key.Plaintext,
		Body: fields{"payment_type": "pix"}})
	if processed.Status != http.StatusOK || processed.Text("status") != "PENDING" {
		t.Fatalf("process: got %d %s, want 200, PENDING", processed.Status, processed.Body)
	}
	for range 2 {
		got := run[fields](d, pay)
		if got["status"] != "PAID" || got["transaction_id"] == nil || got["checkout_id"] != id {
			t.Errorf("paid: got %v, want PAID, a transaction_id, and the checkout_id %s", got, id)
		}
	}
	tenant := identity.Tenant{Mode: identity.Test, Merchant: m.Code}
	if c, err := d.App.Store.Checkout(t.Context(), tenant, id); err != nil || c.Status != payments.CheckoutPaid {
		t.Errorf("checkout: got %s, %v, want %s", c.Status, err, payments.CheckoutPaid)
	}
	if n := d.CheckoutRecords(id).Captured; n != 1 {
		t.Errorf("captured: got %d times, want 1", n)
	}
	for _, c := range []struct {
		command     fields
		code, param string
	}{
		{fields{"merchant_code": m.Code}, "MISSING", "checkout_id"},
		{fields{"checkout_id": id}, "MISSING", "merchant_code"},
		{fields{"merchant_code": d.Merchant.Code, "checkout_id": id}, "NOT_FOUND", ""},
	} {
		c.command["command"] = "pay_voucher"
		d.checkRefused(c.command, c.code, c.param)
	}
}
