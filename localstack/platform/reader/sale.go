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

// The steps.
const (
	choosingTip step = iota
	presenting
	enteringPIN
	signing
	charging // the acquirer is asked: the terminal cannot stop any more
	showing  // a code, until the acquirer says that it is paid
	over
)

// steps say what the terminal reports at each step, what it shows last, and what takes what is entered.
var steps = [...]struct {
	state terminal.State
	asks  string
	take  func(*sale, string) error
}{
	choosingTip: {terminal.SelectingTip, "[0] no tip  [c]ancel", (*sale).tip},
	presenting:  {terminal.WaitingForCard, "[t]ap  [i]nsert  [s]wipe  [d]eclining card  [c]ancel", (*sale).present},
	enteringPIN: {terminal.WaitingForPIN, "PIN: any 4 to 12 digits  [c]ancel", (*sale).enter},
	signing:     {terminal.WaitingForSignature, "Signature: anything, or just Enter  [c]ancel", (*sale).sign},
	charging:    {terminal.WaitingForCard, "One moment …", (*sale).refuse},
	showing:     {terminal.WaitingForCard, "[c]ancel", (*sale).refuse},
	over:        {terminal.WaitingForCard, "", (*sale).refuse},
}

// Why a checkout was stopped, for people.
const (
	terminated = "terminated"
	unpaired   = "the reader was unpaired"
	timedOut   = "timed out"
	cancelled  = "cancelled at the reader"
	refused    = "declined by the card"
	notTaken   = "the acquirer did not take the payment"
)

// The lengths of a PIN (ISO 9564-1).
const (
	shortestPIN = 4
	longestPIN  = 12
)

type sale struct {
	terminal.Checkout
	step         step
	tipUntil     time.Time
	chosen       money.Amount // the tip; without a currency none could be chosen
	total        money.Amount
	mode         string
	verification payments.Verification
	code         string // which is shown
	outcome      terminal.Outcome
}

func newSale(c terminal.Checkout, now time.Time) *sale {
	s := &sale{Checkout: c, total: c.Amount, outcome: terminal.Outcome{Progress: terminal.Waiting}}
	s.ask()
	if len(c.TipRates) > 0 {
		s.step, s.tipUntil = choosingTip, now.Add(c.TipTimeout)
	}
	return s
}

// ask asks for a card, or the acquirer for a code, once there is nothing to choose any more.
func (s *sale) ask() {
	s.step = presenting
	if s.Method == payments.QRCodePix {
		s.step, s.mode = charging, s.Method.EntryMode()
	}
}

func (s *sale) over() bool { return s.step == over }

// stop stops the sale unless it is over, or the acquirer was asked.
func (s *sale) stop(reason string) bool {
	if s.step == charging || s.step == over {
		return false
	}
	s.step, s.outcome = over, terminal.Outcome{Progress: terminal.Stopped, Reason: reason}
	return true
}

var errKey = errors.New("that is none of the choices")

// tip takes the choice of a tip: its number, or 0.
func (s *sale) tip(key string) error {
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
	s.ask()
	return nil
}

func (s *sale) tipOf(rate int) (money.Amount, error) { return s.Amount.Times(string(s.TipRates[rate])) }

func (s *sale) present(key string) error {
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

// enter takes a PIN, which is kept nowhere: any will do.
func (s *sale) enter(pin string) error {
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

// settle records the acquirer's answer and returns a notice. After any error but ErrNotTaken the acquirer may have
// charged, so the sale counts as charged: the platform asks the acquirer.
func (s *sale) settle(o payments.Outcome, err error) (notice string) {
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
		s.outcome = terminal.Outcome{Progress: terminal.Stopped} // who has cancelled it says why
		return "Not paid: cancelled at the acquirer."
	default:
		return "Declined (" + o.ReturnCode + ")."
	}
}
