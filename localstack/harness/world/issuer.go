package world

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"sync"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Issuer is a live acquirer whose challenges take place at another host. It charges cards as the sandbox does. The
// payer's page is a handler, for tests with a browser. The page sends the payer back by a link.
type Issuer struct {
	Step   payments.Step // where a challenge leads; a form gets the field "order", and a link that parameter
	Onward string        // address of the page if Step redirects to it at once; "": Step is the page

	world   *World
	mu      sync.Mutex
	returns map[string]string // ReturnURL by order
	silent  bool
	unknown bool
}

// GoLiveAt deploys the platform with an issuer whose challenges are at the step, and with the setting acquirerHosts.
func (w *World) GoLiveAt(step payments.Step, hosts string) *Issuer {
	w.Helper()
	i := &Issuer{Step: step, world: w, returns: map[string]string{}}
	next := maps.Clone(w.environment)
	next["ACQUIRER_HOSTS"] = hosts
	w.environment = next
	w.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return abroad{a, i} })
	return i
}

// Silence makes the acquirer give no answer about its charges.
func (i *Issuer) Silence(silent bool) { i.set(func() { i.silent = silent }) }

// Forget makes the acquirer answer that the outcome of its charges is unknown.
func (i *Issuer) Forget(unknown bool) { i.set(func() { i.unknown = unknown }) }

// Move changes the step of all challenges, also of those that have begun.
func (i *Issuer) Move(step payments.Step) { i.set(func() { i.Step = step }) }

func (i *Issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

// Decide decides the challenge of an order, and returns the address that the payer is then sent to. The decision is
// approve, reject or "", with which the payer goes back undecided.
func (i *Issuer) Decide(order, decision string) string {
	i.world.Helper()
	if decision != "" {
		sandbox, ctx := i.world.App.Sandbox, i.world.Context()
		answer, err := sandbox.Decide(ctx, order, "approve")
		if decision == "reject" {
			answer, err = sandbox.Decide(ctx, order, "reject")
		}
		i.world.must(err)
		charge, err := sandbox.Challenge(ctx, order)
		i.world.must(err)
		_, err = sandbox.Complete(ctx, charge.ChargeID, answer)
		i.world.must(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.returns[order]
}

// ServeHTTP is the payer's page. It takes the order from a form or a link, and offers the decisions.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	order := r.FormValue("order")
	switch {
	case r.URL.Path == "/decided":
		decided := i.Decide(order, r.FormValue("decision")) //nolint:contextcheck // the world has a context of its own
		http.Redirect(w, r, decided, http.StatusSeeOther)
	case i.Onward != "" && r.FormValue("redirected") == "":
		http.Redirect(w, r, i.Onward+"?redirected=1&order="+url.QueryEscape(order), http.StatusSeeOther)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Issuer</title><link rel="icon" href="data:,">
			<meta name="viewport" content="width=device-width"><main><h1>Issuer, asked by %s</h1>
			<form method="get" action="/decided"><input type="hidden" name="order" value="%s">
			<button name="decision" value="approve">Approve</button> <button name="decision" value="reject">Reject</button>
			<button name="decision" value="">Back to the shop</button></form></main>`,
			r.Method, html.EscapeString(order))
	}
}

// abroad is the sandbox's acquirer with the issuer's steps.
type abroad struct {
	acquirer.Acquirer
	issuer *Issuer
}

// Charge charges the card, and notes where the payer of a challenge has to return.
func (a abroad) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	o, err := a.Acquirer.Charge(ctx, c)
	if o.Step != nil {
		a.issuer.set(func() { a.issuer.returns[o.Step.Payload["PaReq"]] = c.ReturnURL })
	}
	return a.issuer.send(o, err)
}

// LookUp returns the outcome with the issuer's step.
func (a abroad) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	o, err := a.Acquirer.LookUp(ctx, id)
	return a.issuer.answer(o, err)
}

// Complete returns the outcome with the issuer's step.
func (a abroad) Complete(ctx context.Context, id, answer string) (payments.Outcome, error) {
	o, err := a.Acquirer.Complete(ctx, id, answer)
	return a.issuer.answer(o, err)
}

func (i *Issuer) answer(o payments.Outcome, err error) (payments.Outcome, error) {
	i.mu.Lock()
	silent, unknown := i.silent, i.unknown
	i.mu.Unlock()
	switch {
	case silent:
		return payments.Outcome{}, cmp.Or(err, context.DeadlineExceeded)
	case unknown:
		return payments.Outcome{Decision: payments.OutcomeUnknown}, err
	default:
		return i.send(o, err)
	}
}

// send replaces the sandbox's step, so that a challenge leads to the issuer.
func (i *Issuer) send(o payments.Outcome, err error) (payments.Outcome, error) {
	if o.Step == nil {
		return o, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	order, step := o.Step.Payload["PaReq"], i.Step
	if step.IsLink() {
		step.URL += "?order=" + url.QueryEscape(order)
	} else {
		step.Payload = maps.Clone(step.Payload)
		step.Payload["order"] = order
	}
	o.Step = &step
	return o, err
}
