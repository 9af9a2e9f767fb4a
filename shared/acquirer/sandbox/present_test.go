package sandbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// presentCharge returns a charge as a terminal requests it.
func presentCharge(id, amount string) acquirer.Charge {
	c := methodCharge(id, payments.AtReader, amount, "EUR")
	c.Summary = &payments.CardSummary{Brand: "VISA", LastFour: "0091"}
	c.Present = &payments.CardPresent{EntryMode: payments.ChipMode, Verification: payments.OfflinePIN,
		Tip: money.MustParse("1.00", "EUR"), EMV: payments.EMV{AID: "A0000000031010"},
		Location: &payments.Location{Lat: 52.5, Lon: 13.4}}
	return c
}

// TestCharge_CardPresent checks that each answer has the terminal's data, even after a restart. No answer is a
// challenge.
func TestCharge_CardPresent(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for amount, want := range map[string]payments.Outcome{
		"10.10": {Decision: payments.Approved, ReturnCode: "00"}, "11.00": {Decision: payments.Declined, ReturnCode: "51"},
	} {
		request := presentCharge(amount, amount)
		first := w.mustCharge(t, request)
		want.Card, want.Present, want.TerminalID = request.Summary, request.Present, first.TerminalID
		want.AuthCode, want.ReturnCode, want.AcquirerReference = first.AuthCode, first.ReturnCode, first.AcquirerReference
		for name, got := range map[string]payments.Outcome{"charged": first, "repeated": w.mustCharge(t, request),
			"looked up": must(t)(w.restart().LookUp(t.Context(), amount)),
			"cancelled": must(t)(w.Cancel(t.Context(), amount))} {
			if diff := cmp.Diff(want, got, cmpopts.EquateComparable(money.Amount{})); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", amount, name, diff)
			}
		}
		captures := map[payments.Decision]int{payments.Approved: 1}[want.Decision]
		if got := w.countCaptures(t, amount); got != captures || (first.AuthCode != "") != (captures == 1) {
			t.Errorf("%s: got %d captures, auth code %q, want %d", amount, got, first.AuthCode, captures)
		}
	}
}

// TestCharge_CardPresentUnknownOutcome checks that a charge has the terminal's data at once, although the charge stays
// pending for 30 s.
func TestCharge_CardPresentUnknownOutcome(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	request := presentCharge("c", "42.25")
	wantUnknown(t)(w.Charge(t.Context(), request))
	for _, want := range []payments.Decision{payments.OutcomeUnknown, payments.Approved} {
		got := must(t)(w.LookUp(t.Context(), "c"))
		if diff := cmp.Diff(request.Present, got.Present, cmpopts.EquateComparable(money.Amount{})); diff != "" ||
			got.Decision != want {
			t.Errorf("got %s, want %s; what the terminal has sent (-want +got):\n%s", got.Decision, want, diff)
		}
		w.Advance(30 * time.Second)
	}
}

// TestCharge_CancelledBeforeTerminalCharges checks that a terminal cannot charge a checkout that was cancelled before.
func TestCharge_CancelledBeforeTerminalCharges(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for range 2 {
		if o := must(t)(w.Cancel(t.Context(), "c")); o.Decision != payments.Cancelled {
			t.Fatalf("cancelled: got %s, want %s", o.Decision, payments.Cancelled)
		}
		if o := w.mustCharge(t, presentCharge("c", "10.10")); o.Decision != payments.Cancelled ||
			w.countCaptures(t, "c") != 0 {
			t.Errorf("a late charge: got %s and %d captures, want %s and none", o.Decision, w.countCaptures(t, "c"),
				payments.Cancelled)
		}
	}
}

// TestCharge_CodeAtTerminal checks that the code for a terminal comes back with the data that the terminal sent. The
// code can be paid once. It cannot be paid after a cancellation.
func TestCharge_CodeAtTerminal(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for id, want := range map[string]struct {
		payments.Decision
		refusal  error
		captures int
	}{"paid": {payments.Approved, nil, 1}, "cancelled": {payments.Cancelled, sandbox.ErrNotPayable, 0}} {
		request := presentCharge(id, "10.10")
		request.Method, request.Summary = payments.QRCodePix, nil
		request.Present.EntryMode, request.Present.Verification = "QR_CODE_PIX", ""
		first := w.mustCharge(t, request)
		if first.Decision != payments.Voucher || !strings.Contains(first.Code.Text, "540510.10") {
			t.Fatalf("%s: got %+v, want a code of 10.10", id, first)
		}
		if want.Decision == payments.Cancelled {
			must(t)(w.Cancel(t.Context(), id))
		}
		if _, err := w.PayVoucher(t.Context(), id); !errors.Is(err, want.refusal) {
			t.Errorf("%s: got error %v, want %v", id, err, want.refusal)
		}
		last := w.mustCharge(t, request)
		if diff := cmp.Diff(request.Present, last.Present, cmpopts.EquateComparable(money.Amount{})); diff != "" ||
			last.Decision != want.Decision || last.Card != nil || w.countCaptures(t, id) != want.captures {
			t.Errorf("%s: got %s, card %+v, %d captures, want %+v; what was sent (-want +got):\n%s", id, last.Decision,
				last.Card, w.countCaptures(t, id), want, diff)
		}
	}
}

func TestCharge_RefusedAtTerminal(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for name, change := range map[string]func(*acquirer.Charge){
		"no card":               func(c *acquirer.Charge) { c.Present, c.Summary = nil, nil },
		"no card's summary":     func(c *acquirer.Charge) { c.Summary = nil },
		"a tip below zero":      func(c *acquirer.Charge) { c.Present.Tip = money.MustParse("1", "EUR").Neg() },
		"a tip above all":       func(c *acquirer.Charge) { c.Present.Tip = money.MustParse("10.11", "EUR") },
		"a tip in another coin": func(c *acquirer.Charge) { c.Present.Tip = money.MustParse("1", "CHF") },
		"a code for less than its tip": func(c *acquirer.Charge) {
			c.Method, c.Present.Tip = payments.QRCodePix, money.MustParse("10.11", "EUR")
		},
	} {
		request := presentCharge(name, "10.10")
		change(&request)
		if _, err := w.Charge(t.Context(), request); !errors.Is(err, acquirer.ErrNotTaken) {
			t.Errorf("%s: got %v, want %v", name, err, acquirer.ErrNotTaken)
		}
	}
	without := presentCharge("without a tip", "10.10")
	without.Present.Tip = money.Amount{}
	if o := w.mustCharge(t, without); o.Decision != payments.Approved {
		t.Errorf("without a tip: got %s, want %s", o.Decision, payments.Approved)
	}
}
