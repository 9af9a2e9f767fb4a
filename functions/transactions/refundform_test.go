package transactions_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// form is one of the two operations that refund.
type form struct {
	name string
	path func(world.Shop, world.Payment) string
	ok   int    // status of the answer if the refund is made or running
	body string // body of that answer
}

var (
	v0 = form{"v0.1", func(_ world.Shop, p world.Payment) string { return "/v0.1/me/refund/" + p.ID },
		http.StatusNoContent, ""}
	v1 = form{"v1.0", func(s world.Shop, p world.Payment) string {
		return "/v1.0/merchants/" + s.Merchant.Code + "/payments/" + p.ID + "/refunds"
	}, http.StatusCreated, "{}"}
	forms = []form{v0, v1}
)

// withEach runs a test for each form, each in its own world.
func withEach(t *testing.T, test func(*testing.T, world.Shop, form)) {
	t.Helper()
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			test(t, world.NewShop(t), f)
		})
	}
}

// request returns a request to refund the amount, which may be invalid. "" means the whole rest.
func (f form) request(s world.Shop, p world.Payment, amount string) world.Request {
	request := world.Request{Method: "POST", Path: f.path(s, p), APIKey: s.Merchant.Key.Plaintext}
	if amount != "" {
		request.Body = `{"amount":` + amount + `}`
	}
	return request
}

// send sends the request. Before that it lets some time pass, so that the events of several refunds are in the order of
// the requests.
func (f form) send(s world.Shop, p world.Payment, amount string) world.Response {
	s.Helper()
	s.Clock.Advance(time.Millisecond)
	return s.Do(f.request(s, p, amount))
}

// checkDone checks the answer if the refund is made or running.
func (f form) checkDone(t *testing.T, got world.Response) {
	t.Helper()
	if got.Status != f.ok || string(got.Body) != f.body {
		t.Errorf("refund: got %d %q, want %d %q", got.Status, got.Body, f.ok, f.body)
	}
}

func refundV0(s world.Shop, p world.Payment, amount string) world.Response {
	s.Helper()
	return v0.send(s, p, amount)
}

func refundV1(s world.Shop, p world.Payment, amount string) world.Response {
	s.Helper()
	return v1.send(s, p, amount)
}
