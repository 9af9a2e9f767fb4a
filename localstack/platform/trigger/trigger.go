// Package trigger makes events happen at the running platform by test payments, for developers.
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

// Config says at which platform. Env is its .local/env.
type Config struct {
	API      client.Client
	Env      map[string]string
	Now      time.Time // by the platform's clock
	Operator client.Invoke
	Advance  func(time.Duration) error // moves that clock
	Out      io.Writer                 // gets a line for each request
}

type event struct {
	name, what string
	run        func(*sequence)
}

var events = []event{
	{"checkout.paid", "a checkout is paid by card", (*sequence).paid},
	{"checkout.failed", "a card is declined", (*sequence).failed},
	{"checkout.expired", "a checkout is deactivated", (*sequence).expired},
	{"checkout.3ds_pending", "a 3DS challenge waits for its payer on the page /sandbox", (*sequence).challenged},
	{"boleto.paid", "a boleto is paid at a bank", (*sequence).boleto},
	{"refund", "a payment is refunded", (*sequence).refunded},
	{"chargeback", "an issuer charges a payment back", (*sequence).chargedBack},
	{"payout", "a payment is paid out: the clock moves to the end of the merchant's day", (*sequence).paidOut},
	{"reader.paid", "a payment at a virtual card reader, which takes some seconds", (*sequence).paidAtReader},
}

// Names returns the names of the events.
func Names() []string {
	var names []string
	for _, e := range events {
		names = append(names, e.name)
	}
	return names
}

// List returns what each event is, a line each.
func List() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, e := range events {
		fmt.Fprintf(table, "  %s\t%s\n", e.name, e.what)
	}
	_ = table.Flush() // writing to memory cannot fail
	return strings.TrimRight(text.String(), "\n")
}

// Run makes an event happen. Overrides set "field:value" in the checkout's request; dots lead into objects. Errors: an
// unknown event or override; the first request that is answered otherwise.
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

// sequence is one event. Its methods end it when a request is not answered as it must be.
type sequence struct {
	Config
	ctx       context.Context // of the event
	overrides []string
	reference string
}

type merchant struct{ code, key string }

// merchant is the one with a prefix in .local/env, as "BRL_".
func (s *sequence) merchant(prefix string) merchant {
	return merchant{s.Env[prefix+"MERCHANT_CODE"], s.Env[prefix+"API_KEY"]}
}

type object = map[string]any

// call sends a request, prints it, and reads the reply. Any status but the wanted one ends the sequence.
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

// waitFor reads a resource each second until a text of it is another, and returns that.
func (s *sequence) waitFor(m merchant, path, text, before string) string {
	for {
		if now := s.call(m, http.MethodGet, path, nil, ok).Text(text); now != before {
			return now
		}
		steps.Pause(s.ctx, time.Second)
	}
}

// statuses of replies.
const (
	ok       = http.StatusOK
	created  = http.StatusCreated
	accepted = http.StatusAccepted
)
