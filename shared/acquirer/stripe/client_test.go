package stripe

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

type network func(*http.Request) (*http.Response, error)

func (n network) RoundTrip(r *http.Request) (*http.Response, error) { return n(r) }

func answering(status int, body string) network {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Request: r, Body: io.NopCloser(strings.NewReader(body)),
			Header: http.Header{"Location": {"https://elsewhere.example"}, "Request-Id": {"req_1"}}}, nil
	}
}

func clientOf(n network) *client {
	return newClient(Config{Key: func() string { return "sk_secret" }, Network: n}, time.Now)
}

// TestSend_ErrorsHaveNoData checks that errors name the request and Stripe's codes, but nothing that the payer typed.
func TestSend_ErrorsHaveNoData(t *testing.T) {
	t.Parallel()
	const typed = "typed-by-payer"
	lost := func(*http.Request) (*http.Response, error) { return nil, errors.New("reset") }
	for name, n := range map[string]network{
		"no answer": lost, "no JSON": answering(http.StatusOK, typed),
		"wrong JSON": answering(http.StatusOK, `{"id":["`+typed+`"]}`),
		"error": answering(http.StatusBadRequest, `{"error":{"type":"invalid_request_error","code":"`+typed+` <b>",`+
			`"param":"number","message":"`+typed+`"}}`),
		"proxy": answering(http.StatusBadGateway, "<html>"+typed), "redirect": answering(http.StatusFound, typed),
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			var answer intent
			err := clientOf(n).send(t.Context(), call{method: method, path: "/v1/x", form: map[string][]string{"f": {typed}}},
				&answer)
			if err == nil {
				t.Errorf("%s %s: got no error, want one", method, name)
				continue
			}
			text := err.Error()
			if strings.Contains(text, typed) || strings.Contains(text, "sk_secret") || !strings.Contains(text, "/v1/x") {
				t.Errorf("%s %s: got error %q, want the path and no data", method, name, text)
			}
		}
	}
}

func TestSend_Headers(t *testing.T) {
	t.Parallel()
	c := clientOf(func(r *http.Request) (*http.Response, error) {
		for name, want := range map[string]string{"Authorization": "Bearer sk_secret", "Idempotency-Key": "k",
			"Stripe-Version": apiVersion, "Content-Type": "application/x-www-form-urlencoded"} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		if got := r.URL.String(); got != "https://api.stripe.com/v1/refunds" {
			t.Errorf("got the address %s, want Stripe's", got)
		}
		return answering(http.StatusOK, "{}")(r)
	})
	if err := c.send(t.Context(), call{method: http.MethodPost, path: "/v1/refunds", key: "k"}, new(intent)); err != nil {
		t.Error(err)
	}
}

// TestSend_OwnNetwork checks the network that New uses, at a server on this machine.
func TestSend_OwnNetwork(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"id":"`+r.FormValue("name")+`"}`)
	}))
	t.Cleanup(server.Close)
	c := newClient(Config{Key: func() string { return "" }, BaseURL: server.URL}, time.Now)
	var answer intent
	post := call{method: http.MethodPost, path: "/v1/x", form: map[string][]string{"name": {"pi_1"}}}
	if err := c.send(t.Context(), post, &answer); err != nil || answer.ID != "pi_1" {
		t.Errorf("got %+v, %v, want pi_1", answer, err)
	}
}

func TestSend_AnswerTooLarge(t *testing.T) {
	t.Parallel()
	n := answering(http.StatusOK, `{"id":"`+strings.Repeat("x", maxAnswer)+`"}`)
	if err := clientOf(n).send(t.Context(), call{method: http.MethodGet, path: "/v1/x"}, new(intent)); err == nil {
		t.Error("got no error, want one")
	}
}

// TestSend_ConnectionDown checks that requests that fail without a timeout do not open the breaker.
func TestSend_ConnectionDown(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]bool{errors.New("reset"): true, context.Canceled: true,
		context.DeadlineExceeded: false} {
		c := clientOf(func(*http.Request) (*http.Response, error) { return nil, cause })
		for range breakerThreshold {
			_ = c.send(t.Context(), call{method: http.MethodGet, path: "/v1/x"}, new(intent))
		}
		if got := c.breaker.admits(time.Now()); got != want {
			t.Errorf("%v: got a charge admitted %t, want %t", cause, got, want)
		}
	}
}

func TestListAll_EmptyPage(t *testing.T) {
	t.Parallel()
	c := clientOf(answering(http.StatusOK, `{"data":[],"has_more":true}`))
	pages := 0
	for _, err := range listAll[event](t.Context(), c, "/v1/events", map[string][]string{}) {
		if pages++; !errors.Is(err, errSamePage) {
			t.Errorf("got error %v, want %v", err, errSamePage)
		}
	}
	if pages != 1 {
		t.Errorf("got %d results, want an error", pages)
	}
}

func TestFromStripe_BadAmounts(t *testing.T) {
	t.Parallel()
	for currency, units := range map[string]int64{"huf": 150, "jpy": 100, "": 1} {
		if a, err := fromStripe(units, currency); !errors.Is(err, errAmount) {
			t.Errorf("%d %s: got %s, %v, want %v", units, currency, a, err, errAmount)
		}
	}
	if a, err := fromStripe(1500, "huf"); err != nil || a != money.MustParse("15", "HUF") {
		t.Errorf("got %s, %v, want 15 HUF", a, err)
	}
}

func TestSuffix(t *testing.T) {
	t.Parallel()
	for descriptor, want := range map[string]string{"Corner Shop": "Corner Sho", `A*B"C'<D>\`: "ABCD", "Café": "Caf",
		"Έλλη": "", "24/7": "", "A 2345678 B": "A 2345678", "": ""} {
		if got := suffix(descriptor); got != want {
			t.Errorf("%q: got %q, want %q", descriptor, got, want)
		}
	}
}
