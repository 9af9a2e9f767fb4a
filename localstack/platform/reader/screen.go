package reader

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func (d *device) screen() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var lines []string
	if d.notice != "" {
		lines = append(lines, d.notice)
	}
	switch s := d.openSale(); {
	case d.pairing.ID == "":
		lines = append(lines, "Pair me: my code is "+d.at.Code)
	case !d.confirmed:
		lines = append(lines, "Pair with merchant "+merchantOf(d.pairing.Tenant)+"?  [y]es  [n]o")
	case s == nil && d.menuLock.Enabled:
		lines = append(lines, "Ready.  The menu is locked.")
	case s == nil:
		lines = append(lines, "Ready.  [u]npair")
	default:
		lines = append(lines, s.screen()...)
	}
	line := "[l]ine off"
	if d.at.Off {
		line = "The line to the platform is off.  [l]ine on"
	}
	return box(append(lines, line+"  [q]uit"))
}

func merchantOf(tenant string) string {
	_, code, _ := strings.Cut(tenant, "#")
	return code
}

func (s *sale) screen() []string {
	lines := []string{strings.Join(strings.Fields(s.Merchant+"  "+s.Description), " "), formatAmount(s.total)}
	if s.chosen.Sign() > 0 {
		lines = append(lines, "with a tip of "+formatAmount(s.chosen))
	}
	switch s.step {
	case choosingTip:
		for i := range s.TipRates {
			if tip, err := s.tipOf(i); err == nil {
				lines = append(lines, fmt.Sprintf("[%d] tip %s (%s %%)", i+1, formatAmount(tip), percent(s.TipRates[i])))
			}
		}
	case showing:
		for part := range slices.Chunk([]byte(s.code), codeWidth) {
			lines = append(lines, string(part))
		}
		lines = append(lines, "Pay this Pix code by its button on the page /sandbox, or by:", fmt.Sprintf(
			`make provision ARGS='{"command":"pay_voucher","merchant_code":%q,"checkout_id":%q}'`, merchantOf(s.Tenant), s.ID))
	}
	return append(lines, steps[s.step].asks)
}

// percent formats a rate such as 0.1 for people. Rates have at most two decimals (contract §13.7).
func percent(rate money.Decimal) string {
	_, decimals, _ := strings.Cut(string(rate), ".")
	return strings.TrimLeft((decimals + "00")[:2], "0")
}

func formatAmount(a money.Amount) string { return a.String() + " " + string(a.Currency()) }

func box(lines []string) string {
	width := 0
	for _, line := range lines {
		width = max(width, len([]rune(line)))
	}
	edge := "+" + strings.Repeat("-", width+2) + "+\n"
	var b strings.Builder
	b.WriteString(edge)
	for _, line := range lines {
		fmt.Fprintf(&b, "| %s%s |\n", line, strings.Repeat(" ", width-len([]rune(line))))
	}
	return b.String() + edge
}

// handleKey handles every input except l, which turns the network line on or off, and q, which ends the program.
func (d *device) handleKey(entered string) error {
	return d.change(func() error {
		s := d.openSale()
		switch {
		case d.pairing.ID == "":
			return errKey
		case !d.confirmed:
			return d.answerPairing(entered)
		case s == nil && entered == "u" && !d.menuLock.Enabled:
			return d.unpair("")
		case s == nil || s.step == charging:
			return errKey
		case entered == "c":
			s.stop(cancelled)
			d.notice = "Cancelled."
			return nil
		default:
			return d.handlePayment(s, entered)
		}
	})
}

func (d *device) answerPairing(entered string) error {
	switch entered {
	case "y":
		d.confirmed = true
		return nil
	case "n":
		return d.unpair("Not paired.")
	default:
		return errKey
	}
}

// handlePayment handles the cardholder's action. Only a card that declines ends the sale.
func (d *device) handlePayment(s *sale, entered string) error {
	err := steps[s.step].take(s, entered)
	if s.isOver() {
		d.notice = "Declined by the card."
	}
	return err
}

// codeWidth is the number of characters of a code per line of the screen.
const codeWidth = 64

// Number of tries at the acquirer, and the pause between them.
const (
	tries = 3
	pause = time.Second
)

// charge sends the charge to the acquirer when the cardholder is done. It also does so while a code is shown, because
// the cardholder may have paid the code. Each try is the same charge.
func (d *device) charge(ctx context.Context) {
	d.mu.Lock()
	s := d.openSale()
	shown := s != nil && s.step == showing
	due := shown || s != nil && s.step == charging
	var request acquirer.Charge
	if due {
		request = s.request()
	}
	d.mu.Unlock()
	if !due {
		return
	}
	o, err := d.tryCharge(ctx, request)
	if shown && (err != nil || o.Decision == payments.Voucher) {
		return
	}
	_ = d.change(func() error {
		if !s.isOver() { // it may have been stopped while its code was shown
			d.notice = s.recordAnswer(o, err)
		}
		return nil
	})
}
