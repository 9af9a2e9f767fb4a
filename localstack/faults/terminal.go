package faults

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Terminals puts a network before card terminals.
func Terminals(n Network, t terminal.Terminals) terminal.Terminals { return farTerminals{n, t} }

// farTerminals are terminals behind a network.
type farTerminals struct {
	network   Network
	terminals terminal.Terminals
}

// Pair is one call.
func (f farTerminals) Pair(ctx context.Context, p terminal.Pairing) (terminal.Device, error) {
	return carry(ctx, f.network, toTerminal("Pair", p.ID), func(d terminal.Device) string { return d.Serial },
		func(ctx context.Context) (terminal.Device, error) { return f.terminals.Pair(ctx, p) })
}

// Heartbeat is one call.
func (f farTerminals) Heartbeat(ctx context.Context, pairing string) (terminal.Heartbeat, error) {
	return carry(ctx, f.network, toTerminal("Heartbeat", pairing),
		func(h terminal.Heartbeat) string { return string(h.State) },
		func(ctx context.Context) (terminal.Heartbeat, error) { return f.terminals.Heartbeat(ctx, pairing) })
}

// Offer is one call.
func (f farTerminals) Offer(ctx context.Context, c terminal.Checkout) error {
	return f.tell(ctx, toTerminal("Offer", c.ID+" "+c.Amount.String()), func(ctx context.Context) error {
		return f.terminals.Offer(ctx, c)
	})
}

// Outcome is one call.
func (f farTerminals) Outcome(ctx context.Context, checkout string) (terminal.Outcome, error) {
	return carry(ctx, f.network, toTerminal("Outcome", checkout),
		func(o terminal.Outcome) string { return string(o.Progress) },
		func(ctx context.Context) (terminal.Outcome, error) { return f.terminals.Outcome(ctx, checkout) })
}

// Terminate is one call.
func (f farTerminals) Terminate(ctx context.Context, checkout string) error {
	return f.tell(ctx, toTerminal("Terminate", checkout), func(ctx context.Context) error {
		return f.terminals.Terminate(ctx, checkout)
	})
}

// Settings is one call.
func (f farTerminals) Settings(ctx context.Context, pairing string) (terminal.Settings, error) {
	return carry(ctx, f.network, toTerminal("Settings", pairing), func(terminal.Settings) string { return "reported" },
		func(ctx context.Context) (terminal.Settings, error) { return f.terminals.Settings(ctx, pairing) })
}

// Configure is one call.
func (f farTerminals) Configure(ctx context.Context, pairing string, c terminal.SettingsChange) error {
	return f.tell(ctx, toTerminal("Configure", pairing), func(ctx context.Context) error {
		return f.terminals.Configure(ctx, pairing, c)
	})
}

// Unpair is one call.
func (f farTerminals) Unpair(ctx context.Context, pairing string) error {
	return f.tell(ctx, toTerminal("Unpair", pairing), func(ctx context.Context) error {
		return f.terminals.Unpair(ctx, pairing)
	})
}

// toTerminal is a call that a terminal which is offline does not get.
func toTerminal(name, about string) Call {
	return Call{Name: name, About: about, NotTaken: terminal.ErrOffline}
}

func (f farTerminals) tell(ctx context.Context, c Call, do func(context.Context) error) error {
	_, err := carry(ctx, f.network, c, func(struct{}) string { return "done" },
		func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) })
	return err
}
