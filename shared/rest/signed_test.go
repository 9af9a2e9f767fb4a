package rest_test

import (
	"context"
	"net/textproto"
	"testing"

	"github.com/cashwrap/cashwrap/shared/rest"
)

// signedRoute returns a route whose operation checks the header and the body.
func signedRoute(t *testing.T) rest.Route {
	t.Helper()
	return rest.Route{Method: "POST", Path: "/notices", Access: rest.Open, PerAddress: rest.Limit{Rate: 50, Burst: 100},
		Handle: rest.Signed(func(_ context.Context, _ struct{}, header textproto.MIMEHeader, body []byte) error {
			if got := header.Get("Signature"); got != "t=1,v1=a" || len(header["Signature"]) != 1 {
				t.Errorf("got signature %q, want one line", header["Signature"])
			}
			if string(body) != "\ufeff{ \"a\":1}\n" {
				t.Errorf("got body %q, want it as it was sent", body)
			}
			return nil
		})}
}

// TestSigned_AsSent checks that the operation gets the bytes of the body, and a header that the Lambda adapter has
// split as one line.
func TestSigned_AsSent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{signedRoute(t)})
	r := f.request("POST", "/notices", "\ufeff{ \"a\":1}\n", "Signature: t=1")
	r.Header.Add("Signature", "v1=a")
	w := answer(f.handler, r)
	if w.Code != 200 || w.Body.String() != "{}" {
		t.Errorf("got %d %s, want 200 {}", w.Code, w.Body)
	}
}

// TestSigned_OwnLimit checks that a route with another limit for an address has another bucket.
func TestSigned_OwnLimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{signedRoute(t), {Method: "GET", Path: "/open", Access: rest.Open,
		Handle: rest.JSON(200, respond("open"))}})
	for range 30 {
		f.ask("GET", "/open", "")
	}
	if w := f.ask("GET", "/open", ""); w.Code != 429 {
		t.Errorf("got %d, want 429", w.Code)
	}
	for range 100 {
		w := f.ask("POST", "/notices", "\ufeff{ \"a\":1}\n", "Signature: t=1,v1=a")
		if policy := w.Header().Get("RateLimit-Policy"); w.Code != 200 || policy != `"default";q=100;w=2` {
			t.Fatalf("got %d with %s, want 200 with the route's limit", w.Code, policy)
		}
	}
	if w := f.ask("POST", "/notices", "", "Signature: t=1,v1=a"); w.Code != 429 {
		t.Errorf("got %d, want 429", w.Code)
	}
}

// TestNew_SignedNotOpen checks that only Open routes may be signed.
func TestNew_SignedNotOpen(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("got no panic, want one")
		}
	}()
	r := signedRoute(t)
	r.Access, r.PerAddress = rest.SecretOnly, rest.Limit{}
	rest.New(rest.Config{Routes: []rest.Route{r}})
}
