package reader

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
	"github.com/cashwrap/cashwrap/shared/terminal/virtual"
)

type step int

// The steps of a sale.
const (
	choosingTip step = iota
	presenting
	enteringPIN
	signing
	charging // the acquirer is asked, so the terminal cannot stop any more
	showing  // shows a code until the acquirer reports its payment
	over
)

// steps holds per step the reported state, the last line of the screen, and the method that takes the input.
var steps = [...]struct {
	state terminal.State
	asks  string
	take  func(*sale, string) error
}{
	choosingTip: {terminal.SelectingTip, "[0] no tip  [c]ancel", (*sale).chooseTip},
	presenting:  {terminal.WaitingForCard, "[t]ap  [i]nsert  [s]wipe  [d]eclining card  [c]ancel", (*sale).presentCard},
	enteringPIN: {terminal.WaitingForPIN, "PIN: any 4 to 12 digits  [c]ancel", (*sale).enterPIN},
	signing:     {terminal.WaitingForSignature, "Signature: anything, or just Enter  [c]ancel", (*sale).sign},
	charging:    {terminal.WaitingForCard, "One moment …", (*sale).refuse},
	showing:     {terminal.WaitingForCard, "[c]ancel", (*sale).refuse},
	over:        {terminal.WaitingForCard, "", (*sale).refuse},
}

// Reasons for stopping a checkout, for people.
const (
	terminated = "terminated"
	unpaired   = "the reader was unpaired"
	timedOut   = "timed out"
	cancelled  = "cancelled at the reader"
	refused    = "declined by the card"
	notTaken   = "the acquirer did not take the payment"
)

// Lengths of a PIN (ISO 9564-1).
const (
	shortestPIN = 4
	longestPIN  = 12
)

type sale struct {
	terminal.Checkout
	step         step
	tipUntil     time.Time
	chosen       money.Amount // tip; has no currency if no choice was possible
	total        money.Amount
	mode         string
	verification payments.Verification
	code         string // on the screen
	outcome      terminal.Outcome
}

func newSale(c terminal.Checkout, now time.Time) *sale {
	s := &sale{Checkout: c, total: c.Amount, outcome: terminal.Outcome{Progress: terminal.Waiting}}
	s.startPayment()
	if len(c.TipRates) > 0 {
		s.step, s.tipUntil = choosingTip, now.Add(c.TipTimeout)
	}
	return s
}

// startPayment goes on after the choice of a tip: it asks for a card, or asks the acquirer for a code.
func (s *sale) startPayment() {
	s.step = presenting
	if s.Method == payments.QRCodePix {
		s.step, s.mode = charging, s.Method.EntryMode()
	}
}

func (s *sale) isOver() bool { return s.step == over }

// stop stops the sale. It changes nothing and returns false if the step of the sale is charging or over.
func (s *sale) stop(reason string) bool {
	if s.step == charging || s.step == over {
		return false
	}
	s.step, s.outcome = over, terminal.Outcome{Progress: terminal.Stopped, Reason: reason}
	return true
}

var errKey = errors.New("that is none of the choices")

// chooseTip takes the choice of a tip: its number, or 0 for none.
func (s *sale) chooseTip(key string) error {
	n, err := strconv.Atoi(key)
	if err != nil || n < 0 || n > len(s.TipRates) {
		return errKey
	}
	s.chosen = money.Zero(s.Amount.Currency())
	if n > 0 {
		if s.chosen, err = s.tipOf(n - 1); err != nil {
			return errKey
		}
	}
	if s.total, err = s.Amount.Add(s.chosen); err != nil || s.total.TooLarge() {
		s.chosen, s.total = money.Zero(s.Amount.Currency()), s.Amount
		return errKey
	}
	s.startPayment()
	return nil
}

func (s *sale) tipOf(rate int) (money.Amount, error) { return s.Amount.Times(string(s.TipRates[rate])) }

func (s *sale) presentCard(key string) error {
	switch key {
	case "t":
		s.mode, s.verification, s.step = payments.ContactlessMode, payments.NoVerification, charging
		if s.total.Minor() > virtual.WithoutPIN {
			s.verification, s.step = virtual.PIN(s.mode, s.CardType), enteringPIN
		}
	case "i":
		s.mode, s.step = payments.ChipMode, enteringPIN
		s.verification = virtual.PIN(s.mode, s.CardType)
	case "s":
		s.mode, s.verification, s.step = payments.MagstripeMode, payments.BySignature, signing
	case "d":
		s.stop(refused)
	default:
		return errKey
	}
	return nil
}

// enterPIN takes a PIN. Any PIN is right, and the PIN is not kept.
func (s *sale) enterPIN(pin string) error {
	if len(pin) < shortestPIN || len(pin) > longestPIN || strings.Trim(pin, "0123456789") != "" {
		return errKey
	}
	s.step = charging
	return nil
}

func (s *sale) sign(string) error {
	s.step = charging
	return nil
}

func (s *sale) refuse(string) error { return errKey }

func (s *sale) request() acquirer.Charge {
	card, sent := virtual.Present(s.Charge, s.mode, s.CardType, s.verification)
	sent.Tip = s.chosen
	return acquirer.Charge{ID: s.Charge, Reference: acquirer.Reference{Tenant: s.Tenant, CheckoutID: s.ID},
		Amount: s.total, Method: s.Method, Installments: s.Installments, Present: &sent, Summary: card,
		Descriptor: s.Merchant}
}

// recordAnswer records the acquirer's answer and returns a notice. After any error but ErrNotTaken the acquirer may
// have charged. The sale then counts as charged, and the platform asks the acquirer.
func (s *sale) recordAnswer(o payments.Outcome, err error) (notice string) {
	if o.Decision == payments.Voucher {
		s.step, s.code = showing, o.Code.Text
		return ""
	}
	s.step, s.outcome = over, terminal.Outcome{Progress: terminal.Charged}
	switch {
	case errors.Is(err, acquirer.ErrNotTaken):
		s.outcome = terminal.Outcome{Progress: terminal.Stopped, Reason: notTaken}
		return "Not paid: " + notTaken + "."
	case err != nil, o.Decision == payments.OutcomeUnknown:
		return "The acquirer has not answered. The merchant will know whether it was paid."
	case o.Decision == payments.Approved:
		return "Approved. Thank you."
	case o.Decision == payments.Cancelled:
		s.outcome = terminal.Outcome{Progress: terminal.Stopped} // the party that cancelled gives the reason
		return "Not paid: cancelled at the acquirer."
	default:
		return "Declined (" + o.ReturnCode + ")."
	}
}
