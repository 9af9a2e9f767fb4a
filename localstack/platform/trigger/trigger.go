// Package trigger makes events happen at the running platform, by test payments. Run triggers an event that List names.
package trigger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/steps"
)

// Config describes the platform. Env holds its .local/env.
type Config struct {
	API      client.Client
	Env      map[string]string
	Now      time.Time // on the platform's clock
	Operator client.Invoke
	Advance  func(time.Duration) error // moves that clock
	Out      io.Writer                 // receives a line per request
}

type event struct {
	name, what string
	run        func(*sequence)
}

var events = []event{
	{"checkout.paid", "a checkout is paid by card", (*sequence).payCheckout},
	{"checkout.failed", "a card is declined", (*sequence).failCheckout},
	{"checkout.expired", "a checkout is deactivated", (*sequence).expireCheckout},
	{"checkout.3ds_pending", "a 3DS challenge waits for its payer on the page /sandbox", (*sequence).startChallenge},
	{"boleto.paid", "a boleto is paid at a bank", (*sequence).payBoleto},
	{"refund", "a payment is refunded", (*sequence).refundPayment},
	{"chargeback", "an issuer charges a payment back", (*sequence).chargeBackPayment},
	{"payout", "a payment is paid out: the clock moves to the end of the merchant's day", (*sequence).payOut},
	{"reader.paid", "a payment at a virtual card reader, which takes some seconds", (*sequence).payAtReader},
}

// Names returns the names of the events.
func Names() []string {
	var names []string
	for _, e := range events {
		names = append(names, e.name)
	}
	return names
}

// List returns a line of explanation per event.
func List() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, e := range events {
		fmt.Fprintf(table, "  %s\t%s\n", e.name, e.what)
	}
	_ = table.Flush() // writing to memory cannot fail
	return strings.TrimRight(text.String(), "\n")
}

// Run triggers an event. An override "field:value" changes a field of the request that creates the checkout. Dots in
// the field lead into objects. Run fails on an unknown event, a bad override, or a request with an unexpected answer.
func Run(ctx context.Context, name string, overrides []string, c Config) error {
	for _, e := range events {
		if e.name != name {
			continue
		}
		s := &sequence{Config: c, ctx: ctx, overrides: overrides, reference: "trigger-" + uuid.NewString()[:8]}
		if err := steps.Try(func() { e.run(s) }); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(c.Out, "%s: see %s/sandbox\n", name, c.API.BaseURL)
		return nil
	}
	return fmt.Errorf("%q is no event: there are %s", name, strings.Join(Names(), ", "))
}

// sequence runs one event. Its methods end the run if a request has an unexpected answer.
type sequence struct {
	Config
	ctx       context.Context // of the run
	overrides []string
	reference string
}

type merchant struct{ code, key string }

// merchant returns the merchant with a prefix in .local/env, such as "BRL_".
func (s *sequence) merchant(prefix string) merchant {
	return merchant{s.Env[prefix+"MERCHANT_CODE"], s.Env[prefix+"API_KEY"]}
}

type object = map[string]any

// call sends a request, prints it and returns the reply. Any status but want ends the sequence.
func (s *sequence) call(m merchant, method, path string, body any, want int) client.Response {
	got, err := s.API.Do(s.ctx, client.Request{Method: method, Path: path, APIKey: m.key, Body: body})
	steps.Check(err)
	fmt.Fprintf(s.Out, "%s %s %d\n", method, path, got.Status)
	if got.Status != want {
		steps.Check(errors.New(cmp.Or(got.Text("message"), string(got.Body))))
	}
	return got
}

func (s *sequence) operate(name string, arguments object) {
	command := object{"command": name}
	maps.Copy(command, arguments)
	err := s.Operator.Operate(s.ctx, command, nil)
	fmt.Fprintf(s.Out, "operator: %s\n", name)
	steps.Check(client.ForPeople(err))
}

// waitFor reads a resource every second until a text in it has changed. It returns the new value. The parameter text is
// the name of the text, and the parameter before is its old value.
func (s *sequence) waitFor(m merchant, path, text, before string) string {
	for {
		if now := s.call(m, http.MethodGet, path, nil, ok).Text(text); now != before {
			return now
		}
		steps.Pause(s.ctx, time.Second)
	}
}

// Expected statuses of replies.
const (
	ok       = http.StatusOK
	created  = http.StatusCreated
	accepted = http.StatusAccepted
)
