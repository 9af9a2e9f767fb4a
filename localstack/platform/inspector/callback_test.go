package inspector_test

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/inspector"
)

// TestCallbacks_Signatures also checks that the receiver's answer is shown.
func TestCallbacks_Signatures(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	refusing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(refusing.Close)
	good, bad := f.create("good", f.receiver()), f.create("bad", object{"return_url": refusing.URL + "/x"})
	gone := f.create("gone", object{"return_url": "http://127.0.0.1:1/x"})
	for _, id := range []string{good, bad, gone} {
		f.pay(id)
	}
	page := ""
	f.waitUntil("the callbacks of all", func() bool {
		page = f.get("/sandbox", http.StatusOK)
		return strings.Contains(page, "CHANGED "+good) && strings.Contains(page, "CHANGED "+bad) &&
			strings.Contains(page, "CHANGED "+gone)
	})
	for id, want := range map[string][]string{good: {"signatures v1 ✓ v1a ✓", ">204<", "/sandbox/callbacks"},
		bad: {"signatures v1 ✓ v1a ✓", ">404<", refusing.URL}, gone: {"signatures v1 ✓ v1a ✓", "connect_failed"}} {
		_, row, _ := strings.Cut(page, "CHANGED "+id)
		row, _, _ = strings.Cut(row, "</li>")
		f.want(row, want...)
	}
}

func TestReceiver_ForgedCallback(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	got, err := http.Post(f.BaseURL+"/sandbox/callbacks", "application/json", strings.NewReader(`{"id":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	if got.StatusCode != http.StatusBadRequest {
		t.Errorf("got %d, want 400", got.StatusCode)
	}
}

// TestCallbacks_OtherSecret checks that another secret shows as unknown, and no secret as missing.
func TestCallbacks_OtherSecret(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	for range 2 { // after the second rotation, the secret in .local/env no longer signs
		f.operate(object{"command": "rotate_callback_secret", "merchant_code": f.env["MERCHANT_CODE"], "force": true},
			nil)
	}
	f.pay(f.create("rotated", f.receiver()))
	f.waitUntil("a signature by an unknown secret", func() bool {
		return strings.Contains(f.get("/sandbox", http.StatusOK), "signatures v1 ? v1a ✓")
	})
	var made struct {
		MerchantCode string                     `json:"merchant_code"`
		APIKey       struct{ Plaintext string } `json:"api_key"`
	}
	f.operate(object{"command": "create_merchant", "sandbox": true, "name": "New", "email": "new@example.com",
		"country": "DE", "currency": "EUR"}, &made)
	f.env["MERCHANT_CODE"], f.env["API_KEY"] = made.MerchantCode, made.APIKey.Plaintext
	f.pay(f.create("without", f.receiver()))
	f.waitUntil("a missing signature", func() bool {
		return strings.Contains(f.get("/sandbox", http.StatusOK), "signatures v1 – v1a ✓")
	})
}

// TestStreamCallbacks_Forward checks that an active listener gets callbacks of its types instead of the return_url.
func TestStreamCallbacks_Forward(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	shop, developer := newReceiver(t), newReceiver(t)
	to := object{"return_url": shop.URL + "/shop"}
	listening, stop := f.listen(inspector.Listening{ForwardTo: developer.URL + "/dev",
		Events: []string{"CHECKOUT_STATUS_CHANGED"}})
	first := f.create("first", to)
	f.pay(first)
	if _, err := f.Callbacks(t.Context(), inspector.Listening{ForwardTo: shop.URL}); err == nil ||
		!strings.Contains(err.Error(), "forwards these callbacks already") {
		t.Errorf("a second listener: got error %v, want that another forwards", err)
	}
	if got := <-listening; got.Subject != first || !got.Forwarded || got.Status != http.StatusNoContent ||
		got.URL != developer.URL+"/dev" || got.V1 != inspector.Right || got.V1a != inspector.Right {
		t.Errorf("got %+v, want the callback of %s, forwarded", got, first)
	}
	if got := <-developer.got; !strings.Contains(got, first) {
		t.Errorf("the developer: got %s, want %s in it", got, first)
	}
	stop()
	other, stopOther := f.listen(inspector.Listening{ForwardTo: developer.URL,
		Events: []string{"solo.transaction.updated"}})
	defer stopOther()
	watching, stopWatching := f.listen(inspector.Listening{})
	defer stopWatching()
	// The platform notices the end of the first listener a moment later.
	f.waitUntil("callbacks at the shop again", func() bool {
		id := f.create("again-"+rand.Text(), to)
		f.pay(id)
		c := <-watching
		if c.Forwarded {
			<-developer.got
			return false
		}
		if got := <-shop.got; c.Subject != id || c.URL != shop.URL+"/shop" || !strings.Contains(got, id) {
			t.Errorf("got %+v and %s, want the callback of %s, not forwarded", c, got, id)
		}
		return true
	})
	if len(other) > 0 {
		t.Errorf("got %d callbacks, want none for a listener to another type", len(other))
	}
}

// TestStreamCallbacks_Refusals checks that refusals give the reason.
func TestStreamCallbacks_Refusals(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	for _, to := range []string{"example.com", "ftp://127.0.0.1/x", "http://", "://"} {
		if _, err := f.Callbacks(t.Context(), inspector.Listening{ForwardTo: to}); err == nil ||
			!strings.Contains(err.Error(), "no address to forward to") {
			t.Errorf("%q: got error %v, want that it is no address", to, err)
		}
	}
}

// receiver is a server that receives callbacks.
type receiver struct {
	*httptest.Server
	got chan string // bodies
}

func newReceiver(t *testing.T) receiver {
	t.Helper()
	r := receiver{got: make(chan string, 10)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		r.got <- string(body)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r
}
