package terminal

import (
	"context"
	"strings"
	"time"
)

// Limited are terminals that have a limited time for each message. One that hangs is one that does not
// answer: the rest of the caller's time is for the acquirer, which knows what happened to a payment.
type Limited struct {
	Terminals Terminals
	Work      time.Duration // for Pair, Offer and Configure, which bring the terminal something new
	Answer    time.Duration // for all others
}

// Pair has the time for work.
func (l Limited) Pair(ctx context.Context, p Pairing) (Device, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Work)
	defer cancel()
	return l.Terminals.Pair(ctx, p)
}

// Heartbeat has the time for an answer.
func (l Limited) Heartbeat(ctx context.Context, pairing string) (Heartbeat, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Answer)
	defer cancel()
	return l.Terminals.Heartbeat(ctx, pairing)
}

// Offer has the time for work.
func (l Limited) Offer(ctx context.Context, c Checkout) error {
	ctx, cancel := context.WithTimeout(ctx, l.Work)
	defer cancel()
	return l.Terminals.Offer(ctx, c)
}

// longestReason, in characters, is how much of a terminal's reason is kept.
const longestReason = 255

// Outcome has the time for an answer. Its reason is text from a device: it is made valid UTF-8, and cut.
func (l Limited) Outcome(ctx context.Context, checkout string) (Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Answer)
	defer cancel()
	o, err := l.Terminals.Outcome(ctx, checkout)
	if reason := []rune(strings.ToValidUTF8(o.Reason, "\uFFFD")); len(reason) > longestReason {
		o.Reason = string(reason[:longestReason])
	} else {
		o.Reason = string(reason)
	}
	return o, err
}

// Terminate has the time for an answer.
func (l Limited) Terminate(ctx context.Context, checkout string) error {
	ctx, cancel := context.WithTimeout(ctx, l.Answer)
	defer cancel()
	return l.Terminals.Terminate(ctx, checkout)
}

// Settings has the time for an answer.
func (l Limited) Settings(ctx context.Context, pairing string) (Settings, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Answer)
	defer cancel()
	return l.Terminals.Settings(ctx, pairing)
}

// Configure has the time for work.
func (l Limited) Configure(ctx context.Context, pairing string, c SettingsChange) error {
	ctx, cancel := context.WithTimeout(ctx, l.Work)
	defer cancel()
	return l.Terminals.Configure(ctx, pairing, c)
}

// Unpair has the time for an answer.
func (l Limited) Unpair(ctx context.Context, pairing string) error {
	ctx, cancel := context.WithTimeout(ctx, l.Answer)
	defer cancel()
	return l.Terminals.Unpair(ctx, pairing)
}
