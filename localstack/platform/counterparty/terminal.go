package counterparty

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Terminals returns card terminals that call t over the network n.
func Terminals(n Network, t terminal.Terminals) terminal.Terminals {
	return farTerminals{line{n, terminal.ErrOffline}, t}
}

type farTerminals struct {
	line      line // line.notTaken is ErrOffline, since an offline terminal gets no call
	terminals terminal.Terminals
}

func (f farTerminals) Pair(ctx context.Context, p terminal.Pairing) (terminal.Device, error) {
	return carry(ctx, f.line, "Pair", p.ID, func(d terminal.Device) string { return d.Serial },
		f.terminals.Pair, p)
}

func (f farTerminals) Heartbeat(ctx context.Context, pairing string) (terminal.Heartbeat, error) {
	return carry(ctx, f.line, "Heartbeat", pairing,
		func(h terminal.Heartbeat) string { return string(h.State) }, f.terminals.Heartbeat, pairing)
}

func (f farTerminals) Offer(ctx context.Context, c terminal.Checkout) error {
	return tell(ctx, f.line, "Offer", c.ID+" "+c.Amount.String(), f.terminals.Offer, c)
}

func (f farTerminals) Outcome(ctx context.Context, checkout string) (terminal.Outcome, error) {
	return carry(ctx, f.line, "Outcome", checkout,
		func(o terminal.Outcome) string { return string(o.Progress) }, f.terminals.Outcome, checkout)
}

func (f farTerminals) Terminate(ctx context.Context, checkout string) error {
	return tell(ctx, f.line, "Terminate", checkout, f.terminals.Terminate, checkout)
}

func (f farTerminals) Settings(ctx context.Context, pairing string) (terminal.Settings, error) {
	return carry(ctx, f.line, "Settings", pairing, func(terminal.Settings) string { return "reported" },
		f.terminals.Settings, pairing)
}

func (f farTerminals) Configure(ctx context.Context, pairing string, c terminal.SettingsChange) error {
	configure := func(ctx context.Context, c terminal.SettingsChange) error {
		return f.terminals.Configure(ctx, pairing, c)
	}
	return tell(ctx, f.line, "Configure", pairing, configure, c)
}

func (f farTerminals) Unpair(ctx context.Context, pairing string) error {
	return tell(ctx, f.line, "Unpair", pairing, f.terminals.Unpair, pairing)
}
