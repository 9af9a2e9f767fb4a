// Package terminal is the port to card terminals: the devices that read cards. Every message is
// idempotent by our own id, a pairing's or a checkout's, so one whose reply was lost can be repeated.
//
// A terminal charges the card itself, at the acquirer, and under the id that it was given with the
// checkout. In the same way it gets the Pix code that it shows. So whatever happens to the line between
// us and the terminal, the acquirer knows what happened to the payment: the platform asks it, and
// cancels there what has taken too long (ARCHITECTURE.md, "Card readers").
package terminal

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// Terminals reach the card terminals of one mode. Package virtual is the built-in one of test mode;
// live mode needs another.
type Terminals interface {
	// Pair asks the terminal that shows the code to confirm the pairing, which its heartbeats then report. Errors:
	// ErrNoTerminal, ErrNotPending; after any other error the terminal may have been asked.
	Pair(ctx context.Context, p Pairing) (Device, error)
	// Heartbeat is what the terminal last reported about itself. Error: ErrUnpaired.
	Heartbeat(ctx context.Context, pairing string) (Heartbeat, error)
	// Offer asks the cardholder to pay a checkout. Errors: ErrOffline, ErrBusy and ErrUnpaired, when the
	// terminal did not take it and never charges it; after any other error it may have taken it.
	Offer(ctx context.Context, c Checkout) error
	// Outcome is what the terminal knows of a checkout that it was offered. Whether the card was
	// charged, or the code paid, only the acquirer knows. Error: ErrUnknownCheckout.
	Outcome(ctx context.Context, checkout string) (Outcome, error)
	// Terminate asks the terminal to stop waiting for the cardholder. It may be too late: ask the
	// acquirer. Errors: ErrOffline, ErrUnknownCheckout.
	Terminate(ctx context.Context, checkout string) error
	// Settings returns the settings of a confirmed pairing's terminal. Errors: ErrOffline, ErrUnpaired.
	Settings(ctx context.Context, pairing string) (Settings, error)
	// Configure changes the settings of a confirmed pairing's terminal, until the pairing ends. Errors: ErrOffline,
	// ErrUnpaired and ErrNoPasscode, when the terminal changed nothing; after any other error it may have.
	Configure(ctx context.Context, pairing string, c SettingsChange) error
	// Unpair ends a pairing. That it has ended already, or never began, is no error.
	Unpair(ctx context.Context, pairing string) error
}

// The errors of the port.
var (
	ErrNoTerminal      = errors.New("terminal: no terminal shows the code")
	ErrNotPending      = errors.New("terminal: the terminal does not wait to be paired")
	ErrUnpaired        = errors.New("terminal: unknown pairing")
	ErrOffline         = errors.New("terminal: the terminal is offline")
	ErrBusy            = errors.New("terminal: the terminal is busy")
	ErrUnknownCheckout = errors.New("terminal: unknown checkout")
	ErrNoPasscode      = errors.New("terminal: the menu lock has no passcode")
)

// Pairing is a request to pair a terminal. Its ID is the reader's.
type Pairing struct {
	ID     string
	Code   string // in capitals
	Tenant string // whose the reader is
	Until  time.Time
}

// Device is a terminal as its maker knows it.
type Device struct {
	Serial string `dynamo:"serial"`
	Model  string `dynamo:"model"` // one of contract §2.7
}

// Heartbeat is what a terminal reports about itself (contract §13.7).
type Heartbeat struct {
	Confirmed    bool // a person has confirmed the pairing at the terminal
	Online       bool
	State        State
	Battery      int     // percent
	Temperature  float64 // of the battery, degrees Celsius
	Connection   string  // one of contract §13.7
	Firmware     string
	LastActivity time.Time
}

// State is what a terminal does (contract §13.7).
type State string

// The states.
const (
	Idle                State = "IDLE"
	SelectingTip        State = "SELECTING_TIP"
	WaitingForCard      State = "WAITING_FOR_CARD"
	WaitingForPIN       State = "WAITING_FOR_PIN"
	WaitingForSignature State = "WAITING_FOR_SIGNATURE"
	UpdatingFirmware    State = "UPDATING_FIRMWARE"
)

// Checkout is what a terminal asks the cardholder to pay.
type Checkout struct {
	ID           string // by which each message about it is idempotent
	Pairing      string
	Charge       string          // the id under which the terminal charges at the acquirer
	Method       payments.Method // by which it charges: AtReader, or QRCodePix, whose code the terminal shows
	Tenant       string
	Amount       money.Amount // without a tip
	Description  string
	Merchant     string          // shown on the payer's statement
	TipRates     []money.Decimal // fractions such as 0.05 that the cardholder can choose, or none
	TipTimeout   time.Duration   // after which none is chosen
	CardType     string          // credit, debit or "": any
	Installments int
	AADE         *payments.AADE // of a sale in Greece
	Until        time.Time      // its deadline
}

// Progress is how far a terminal is with a checkout.
type Progress string

// The kinds of progress. All but Waiting are final.
const (
	Waiting Progress = "waiting" // for the cardholder, or until the code that the terminal shows is paid
	Charged Progress = "charged" // the acquirer was asked; it knows the outcome
	Stopped Progress = "stopped" // at the terminal or by Terminate; it neither charges nor shows a code any more
)

// Outcome is what a terminal knows of a checkout.
type Outcome struct {
	Progress Progress
	Reason   string // why it was stopped, for people
}

// Settings are what a merchant can set at a terminal (contract §13.7).
type Settings struct {
	MenuLock *bool // whether the passcode is needed to open the menu; nil: the terminal does not say
}

// SettingsChange is a change of a terminal's settings.
type SettingsChange struct {
	MenuLock *bool       // nil leaves it as it is
	Passcode secret.Text // of four digits, which only the terminal keeps; a zero one leaves it as it is
	Until    time.Time   // a terminal refuses a change that arrives later: its sender has given it up
}

// None are the terminals of a deployment that has none: no code pairs one (contract §12).
type None struct{}

// Pair finds no terminal.
func (None) Pair(context.Context, Pairing) (Device, error) { return Device{}, ErrNoTerminal }

// Heartbeat knows no pairing.
func (None) Heartbeat(context.Context, string) (Heartbeat, error) { return Heartbeat{}, ErrUnpaired }

// Offer knows no pairing.
func (None) Offer(context.Context, Checkout) error { return ErrUnpaired }

// Outcome knows no checkout.
func (None) Outcome(context.Context, string) (Outcome, error) { return Outcome{}, ErrUnknownCheckout }

// Terminate knows no checkout.
func (None) Terminate(context.Context, string) error { return ErrUnknownCheckout }

// Settings knows no pairing.
func (None) Settings(context.Context, string) (Settings, error) { return Settings{}, ErrUnpaired }

// Configure knows no pairing.
func (None) Configure(context.Context, string, SettingsChange) error { return ErrUnpaired }

// Unpair has no pairing to end.
func (None) Unpair(context.Context, string) error { return nil }

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
