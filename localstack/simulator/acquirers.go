package simulator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
)

// wrapAcquirer puts a network in front of the sandbox's acquirer.
func (w *World) wrapAcquirer(a acquirer.Acquirer) acquirer.Acquirer {
	return counterparty.Acquirer(net{w, toAcquirer}, a)
}

// GoLiveAtSandbox lets the sandbox charge live cards, so that refunds reach the minimum balance. A workload may call it
// before the world begins.
func (w *World) GoLiveAtSandbox() {
	w.liveAcquirer = func(a *app.App) acquirer.Acquirer { return w.wrapAcquirer(a.Sandbox) }
}

// GoLiveAtStripe lets a stand-in for Stripe charge in live mode. Our package for Stripe runs in the functions, so each
// request to Stripe, and each of the package's calls to the table, is an I/O that can fail. A workload may call it
// before the world begins.
func (w *World) GoLiveAtStripe() {
	w.Stripe = stripetest.New(w)
	w.Stripe.SettlesAfter = 30 * time.Second // as at the sandbox (contract §12)
	w.liveAcquirer = func(a *app.App) acquirer.Acquirer { return stripetest.Open(a, faults.RoundTrip(w.askStripe)) }
}

const stripeAddress = "https://stripe.test"

// maxTransit is the time after which a request to Stripe can no longer arrive. Package stripe repeats refunds almost as
// long as Stripe keeps idempotency keys, so a request must not be on its way for an hour.
const maxTransit = 30 * time.Minute

var rateLimit = []byte(`{"error":{"type":"rate_limit_error","code":"rate_limit"}}`)

// askStripe sends a request to Stripe when its turn comes.
func (w *World) askStripe(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	sent, begun := r.Clone(context.WithoutCancel(r.Context())), w.Now()
	if w.Without == calls.Keys {
		sent.Header.Del("Idempotency-Key")
	}
	label := r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get("Idempotency-Key")
	return perform(w, r.Context(), exchange[*http.Response]{
		kind: toAcquirer, label: strings.TrimSpace(label),
		send: func() (*http.Response, string, error) {
			if w.Now().Sub(begun) >= maxTransit {
				return nil, "too late", faults.ErrNetwork
			}
			sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			response, err := w.Stripe.RoundTrip(sent)
			if err != nil {
				return nil, "no reply", err
			}
			return response, fmt.Sprint(response.StatusCode), nil
		},
		refuse: func(faults.Fault) (*http.Response, error) {
			return stripetest.NewReply(r, http.StatusTooManyRequests, rateLimit), nil
		},
	})
}

// Notify lets Stripe send the notice of an event. Each notice may come late, repeatedly or never.
func (w *World) Notify() {
	header, body, ok := w.Stripe.NotifyAgain(w.RNG.Uint64())
	if !ok || w.countActive(Sources) >= mostInvocations {
		return
	}
	w.notices++
	actor := fmt.Sprintf("stripe-%d", w.notices)
	r := client.Request{Method: "POST", Path: "/acquirer/notices/live", Body: string(body), Header: map[string]string{}}
	for name := range header {
		r.Header[name] = header.Get(name)
	}
	w.Go(Sources, func() { w.Send(actor, "", r) })
}
