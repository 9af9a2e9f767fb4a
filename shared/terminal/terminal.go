// Package terminal is the port to card terminals, the devices that read cards. Every message is idempotent by our id of
// the pairing or checkout, so repeat a message after a lost reply.
//
// A terminal charges the card at the acquirer, under the id that the platform gave it with the checkout. It gets a Pix
// code in the same way. So the acquirer knows the outcome, even if the line between us and the terminal fails. The
// platform asks the acquirer for the outcome, and cancels there a payment that has taken too long (ARCHITECTURE.md,
// "Card readers").
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

// Terminals reaches the card terminals of one mode. Package virtual has those of test mode; live mode needs others.
//
// ARCHITECTURE.md, "Card readers", lists the duties of a terminal. While the line to the platform is down, a terminal
// may let the cardholder go on, because the charge does not need that line. The terminal shows the outcome to the
// cardholder, also when the acquirer refuses because the platform has cancelled meanwhile. A terminal that hides its
// code reports Stopped. The platform then cancels at the acquirer, because the code could still be paid.
type Terminals interface {
	// Pair asks the terminal that shows the code to confirm the pairing. The terminal's heartbeats then report the
	// confirmation. A repeated Pair returns the same device. Errors: ErrNoTerminal, ErrNotPending; after any other error
	// the terminal may have been asked.
	Pair(ctx context.Context, p Pairing) (Device, error)
	// Heartbeat returns the terminal's last report about itself. Error: ErrUnpaired.
	Heartbeat(ctx context.Context, pairing string) (Heartbeat, error)
	// Offer asks the cardholder to pay a checkout. A repeated Offer changes nothing, even after the checkout has ended.
	// Errors: ErrOffline, ErrBusy and ErrUnpaired, when the terminal did not take the checkout and will never charge it;
	// after any other error it may have taken the checkout.
	Offer(ctx context.Context, c Checkout) error
	// Outcome returns the terminal's progress with a checkout that it was offered. Only the acquirer knows if the card was
	// charged or the code paid. Error: ErrUnknownCheckout.
	Outcome(ctx context.Context, checkout string) (Outcome, error)
	// Terminate asks the terminal to stop waiting for the cardholder. The message may come too late, so ask the acquirer.
	// Terminate changes nothing once the checkout has stopped or was charged. Errors: ErrOffline, ErrUnknownCheckout.
	Terminate(ctx context.Context, checkout string) error
	// Settings returns the settings of a confirmed pairing's terminal. Errors: ErrOffline, ErrUnpaired.
	Settings(ctx context.Context, pairing string) (Settings, error)
	// Configure changes the settings of a confirmed pairing's terminal, until the pairing ends. Errors: ErrOffline,
	// ErrUnpaired and ErrNoPasscode, when the terminal changed nothing; after any other error it may have.
	Configure(ctx context.Context, pairing string, c SettingsChange) error
	// Unpair ends a pairing. It succeeds if the pairing has ended already or never began. A Pair that arrives later is
	// refused with ErrNotPending.
	Unpair(ctx context.Context, pairing string) error
}

// Errors of the port.
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
	Tenant string // the reader's owner
	Until  time.Time
}

// Device identifies a terminal by the maker's data.
type Device struct {
	Serial string `dynamo:"serial"`
	Model  string `dynamo:"model"` // one of contract §2.7
}

// Heartbeat is a terminal's report about itself (contract §13.7).
type Heartbeat struct {
	Confirmed    bool // a person at the terminal has confirmed the pairing
	Online       bool
	State        State
	Battery      int     // percent
	Temperature  float64 // of the battery, degrees Celsius
	Connection   string  // one of contract §13.7
	Firmware     string
	LastActivity time.Time
}

// State tells what the terminal does (contract §13.7).
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

// Checkout is a payment that a terminal asks the cardholder to make.
type Checkout struct {
	ID           string // idempotency key of all messages about the checkout
	Pairing      string
	Charge       string          // id of the terminal's charge at the acquirer
	Method       payments.Method // AtReader, or QRCodePix: the terminal shows the code
	Tenant       string
	Amount       money.Amount // without a tip
	Description  string
	Merchant     string          // shown on the payer's statement
	TipRates     []money.Decimal // fractions such as 0.05 that the cardholder can choose from, if any
	TipTimeout   time.Duration   // no tip is chosen after this time
	CardType     string          // credit, debit or "" (any)
	Installments int
	AADE         *payments.AADE // of a sale in Greece
	Until        time.Time      // the deadline
}

// Progress is a terminal's progress with a checkout.
type Progress string

// The kinds of progress. All except Waiting are final.
const (
	Waiting Progress = "waiting" // for the cardholder, or until the code that the terminal shows is paid
	Charged Progress = "charged" // the terminal has asked the acquirer, which knows the outcome
	Stopped Progress = "stopped" // by a person or by Terminate; the terminal neither charges nor shows a code any more
)

// Outcome is a terminal's answer about a checkout.
type Outcome struct {
	Progress Progress
	Reason   string // of a stop, for people
}

// Settings has the settings of a terminal that a merchant can change (contract §13.7).
type Settings struct {
	MenuLock *bool // true: the menu opens only with the passcode; nil: the terminal does not report it
}

// SettingsChange is a change of a terminal's settings.
type SettingsChange struct {
	MenuLock *bool       // nil: unchanged
	Passcode secret.Text // four digits, which only the terminal keeps; zero: unchanged
	Until    time.Time   // a terminal refuses a later change, because its sender has given up
}

// None is the port of a deployment without terminals. No pairing code is valid there (contract §12).
type None struct{}

// Pair returns ErrNoTerminal.
func (None) Pair(context.Context, Pairing) (Device, error) { return Device{}, ErrNoTerminal }

// Heartbeat returns ErrUnpaired.
func (None) Heartbeat(context.Context, string) (Heartbeat, error) { return Heartbeat{}, ErrUnpaired }

// Offer returns ErrUnpaired.
func (None) Offer(context.Context, Checkout) error { return ErrUnpaired }

// Outcome returns ErrUnknownCheckout.
func (None) Outcome(context.Context, string) (Outcome, error) { return Outcome{}, ErrUnknownCheckout }

// Terminate returns ErrUnknownCheckout.
func (None) Terminate(context.Context, string) error { return ErrUnknownCheckout }

// Settings returns ErrUnpaired.
func (None) Settings(context.Context, string) (Settings, error) { return Settings{}, ErrUnpaired }

// Configure returns ErrUnpaired.
func (None) Configure(context.Context, string, SettingsChange) error { return ErrUnpaired }

// Unpair does nothing.
func (None) Unpair(context.Context, string) error { return nil }

// Limited limits the time for each message to the terminals. A terminal that hangs is treated like a terminal that does
// not answer. So the caller has time left for the acquirer, which knows the outcome of a payment.
type Limited struct {
	Terminals Terminals
	Work      time.Duration // limits Pair, Offer and Configure, which bring the terminal something new
	Answer    time.Duration // limits the other messages
}

// Pair calls the terminals within Work.
func (l Limited) Pair(ctx context.Context, p Pairing) (Device, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Work)
	defer cancel()
	return l.Terminals.Pair(ctx, p)
}

// Heartbeat calls the terminals within Answer.
func (l Limited) Heartbeat(ctx context.Context, pairing string) (Heartbeat, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Answer)
	defer cancel()
	return l.Terminals.Heartbeat(ctx, pairing)
}

// Offer calls the terminals within Work.
func (l Limited) Offer(ctx context.Context, c Checkout) error {
	ctx, cancel := context.WithTimeout(ctx, l.Work)
	defer cancel()
	return l.Terminals.Offer(ctx, c)
}

// longestReason limits a terminal's reason, in characters.
const longestReason = 255

// Outcome calls the terminals within Answer. The reason is a device's text: it is cut and made valid UTF-8.
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

// Terminate calls the terminals within Answer.
func (l Limited) Terminate(ctx context.Context, checkout string) error {
	ctx, cancel := context.WithTimeout(ctx, l.Answer)
	defer cancel()
	return l.Terminals.Terminate(ctx, checkout)
}

// Settings calls the terminals within Answer.
func (l Limited) Settings(ctx context.Context, pairing string) (Settings, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Answer)
	defer cancel()
	return l.Terminals.Settings(ctx, pairing)
}

// Configure calls the terminals within Work.
func (l Limited) Configure(ctx context.Context, pairing string, c SettingsChange) error {
	ctx, cancel := context.WithTimeout(ctx, l.Work)
	defer cancel()
	return l.Terminals.Configure(ctx, pairing, c)
}

// Unpair calls the terminals within Answer.
func (l Limited) Unpair(ctx context.Context, pairing string) error {
	ctx, cancel := context.WithTimeout(ctx, l.Answer)
	defer cancel()
	return l.Terminals.Unpair(ctx, pairing)
}
