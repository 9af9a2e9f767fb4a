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
		f.terminals.Pair, p)
}

// Heartbeat is one call.
func (f farTerminals) Heartbeat(ctx context.Context, pairing string) (terminal.Heartbeat, error) {
	return carry(ctx, f.network, toTerminal("Heartbeat", pairing),
		func(h terminal.Heartbeat) string { return string(h.State) }, f.terminals.Heartbeat, pairing)
}

// Offer is one call.
func (f farTerminals) Offer(ctx context.Context, c terminal.Checkout) error {
	return tell(ctx, f.network, toTerminal("Offer", c.ID+" "+c.Amount.String()), f.terminals.Offer, c)
}

// Outcome is one call.
func (f farTerminals) Outcome(ctx context.Context, checkout string) (terminal.Outcome, error) {
	return carry(ctx, f.network, toTerminal("Outcome", checkout),
		func(o terminal.Outcome) string { return string(o.Progress) }, f.terminals.Outcome, checkout)
}

// Terminate is one call.
func (f farTerminals) Terminate(ctx context.Context, checkout string) error {
	return tell(ctx, f.network, toTerminal("Terminate", checkout), f.terminals.Terminate, checkout)
}

// Settings is one call.
func (f farTerminals) Settings(ctx context.Context, pairing string) (terminal.Settings, error) {
	return carry(ctx, f.network, toTerminal("Settings", pairing), func(terminal.Settings) string { return "reported" },
		f.terminals.Settings, pairing)
}

// Configure is one call.
func (f farTerminals) Configure(ctx context.Context, pairing string, c terminal.SettingsChange) error {
	return tell(ctx, f.network, toTerminal("Configure", pairing),
		func(ctx context.Context, c terminal.SettingsChange) error {
			return f.terminals.Configure(ctx, pairing, c)
		}, c)
}

// Unpair is one call.
func (f farTerminals) Unpair(ctx context.Context, pairing string) error {
	return tell(ctx, f.network, toTerminal("Unpair", pairing), f.terminals.Unpair, pairing)
}

// toTerminal is a call that a terminal which is offline does not get.
func toTerminal(name, about string) Call {
	return Call{Name: name, About: about, NotTaken: terminal.ErrOffline}
}
