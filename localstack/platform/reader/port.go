package reader

import (
	"context"
	"net/http"

	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Paths of the port's messages.
const (
	pairPath      = "/pair"
	heartbeatPath = "/heartbeat"
	offerPath     = "/offer"
	outcomePath   = "/outcome"
	terminatePath = "/terminate"
	settingsPath  = "/settings"
	configurePath = "/configure"
	unpairPath    = "/unpair"
)

type offered struct {
	terminal.Checkout
	Amount amount // replaces the amount in Checkout, whose JSON would lose the currency
}

type configured struct {
	terminal.SettingsChange
	Passcode string // replaces the passcode in SettingsChange, which cannot be written out
	Pairing  string
}

// serveTerminal returns a handler of the port's messages. It serves senders that have the token.
func serveTerminal(t terminal.Terminals, token string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("PUT "+pairPath, serve(token, t.Pair))
	mux.Handle("PUT "+heartbeatPath, serve(token, t.Heartbeat))
	mux.Handle("PUT "+offerPath, serve(token, func(ctx context.Context, o offered) (done, error) {
		var err error
		if o.Checkout.Amount, err = o.Amount.parse(); err != nil {
			return done{}, err
		}
		return done{}, t.Offer(ctx, o.Checkout)
	}))
	mux.Handle("PUT "+outcomePath, serve(token, t.Outcome))
	mux.Handle("PUT "+terminatePath, serve(token, withoutResult(t.Terminate)))
	mux.Handle("PUT "+settingsPath, serve(token, t.Settings))
	mux.Handle("PUT "+configurePath, serve(token, func(ctx context.Context, c configured) (done, error) {
		c.SettingsChange.Passcode = secret.New(c.Passcode)
		return done{}, t.Configure(ctx, c.Pairing, c.SettingsChange)
	}))
	mux.Handle("PUT "+unpairPath, serve(token, withoutResult(t.Unpair)))
	return mux
}

func withoutResult(do func(context.Context, string) error) func(context.Context, string) (done, error) {
	return func(ctx context.Context, id string) (done, error) { return done{}, do(ctx, id) }
}

type client struct{ control.Host }

var _ terminal.Terminals = client{}

func (c client) Pair(ctx context.Context, p terminal.Pairing) (terminal.Device, error) {
	return send[terminal.Device](ctx, c.Host, pairPath, p)
}

func (c client) Heartbeat(ctx context.Context, pairing string) (terminal.Heartbeat, error) {
	return send[terminal.Heartbeat](ctx, c.Host, heartbeatPath, pairing)
}

func (c client) Offer(ctx context.Context, o terminal.Checkout) error {
	_, err := send[done](ctx, c.Host, offerPath, offered{o, wireAmount(o.Amount)})
	return err
}

func (c client) Outcome(ctx context.Context, checkout string) (terminal.Outcome, error) {
	return send[terminal.Outcome](ctx, c.Host, outcomePath, checkout)
}

func (c client) Terminate(ctx context.Context, checkout string) error {
	_, err := send[done](ctx, c.Host, terminatePath, checkout)
	return err
}

func (c client) Settings(ctx context.Context, pairing string) (terminal.Settings, error) {
	return send[terminal.Settings](ctx, c.Host, settingsPath, pairing)
}

func (c client) Configure(ctx context.Context, pairing string, change terminal.SettingsChange) error {
	_, err := send[done](ctx, c.Host, configurePath, configured{change, change.Passcode.Reveal(), pairing})
	return err
}

func (c client) Unpair(ctx context.Context, pairing string) error {
	_, err := send[done](ctx, c.Host, unpairPath, pairing)
	return err
}
