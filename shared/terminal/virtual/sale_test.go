package virtual_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// TestOffer_PaidAfterThreeSeconds checks the amounts of contract §12.
func TestOffer_PaidAfterThreeSeconds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount   string
		first    terminal.Outcome // once the terminal has charged
		then     terminal.Outcome
		decision payments.Decision
	}{
		{"10", charged, charged, payments.Approved},
		{"42.01", charged, charged, payments.Declined},
		{"42.24", stopped("the acquirer did not take the payment"), stopped("the acquirer did not take the payment"),
			payments.Cancelled},
		{"42.25", waiting, charged, payments.OutcomeUnknown},
	} {
		w := newFixture(t).pairAndConfirm("p", "ABCD1234")
		w.mustOffer("c", c.amount)
		for _, next := range []struct {
			after time.Duration
			want  terminal.Outcome
		}{{0, waiting}, {3*time.Second - 1, waiting}, {1, c.first}, {0, c.then}, {time.Hour, c.then}} {
			w.Advance(next.after)
			w.wantOutcome("c", next.want)
			if next.after == 0 && next.want != waiting {
				w.wantDecision("c", c.decision)
			}
		}
	}
}

// TestOffer_PresentedCard checks the card and entry mode for the amounts of contract §12.
func TestOffer_PresentedCard(t *testing.T) {
	t.Parallel()
	place := &payments.Location{Lat: 52.5208, Lon: 13.4094, Accuracy: 10}
	emv := func(aid, label string) payments.EMV {
		return payments.EMV{AID: aid, ApplicationLabel: label, Cryptogram: "any"}
	}
	card := func(brand, lastFour string) *payments.CardSummary {
		return &payments.CardSummary{Brand: brand, LastFour: lastFour}
	}
	contactless := payments.CardPresent{EntryMode: "CONTACTLESS", Verification: "none", Location: place,
		EMV: emv("A0000000031010", "VISA CREDIT")}
	chip := payments.CardPresent{EntryMode: "CHIP", Verification: "offline pin", Location: place,
		EMV: emv("A0000000041010", "MASTERCARD")}
	stripe := payments.CardPresent{EntryMode: "MAGSTRIPE", Verification: "signature", Location: place}
	debit := contactless
	debit.EMV = emv("A0000000043060", "MAESTRO")
	debitChip := debit
	debitChip.EntryMode, debitChip.Verification = "CHIP", "online pin"
	tipped := func(p payments.CardPresent, tip string) payments.CardPresent {
		p.Tip = money.MustParse(tip, "EUR")
		return p
	}
	for _, c := range []struct {
		amount, tip, cardType string
		present               payments.CardPresent
		card                  *payments.CardSummary
		total                 string
	}{
		{"10.00", "", "", contactless, card("VISA", "0091"), "10.00"},
		{"50.00", "", "credit", contactless, card("VISA", "0091"), "50.00"},
		{"50.01", "", "", chip, card("MASTERCARD", "0007"), "50.01"},
		{"10.66", "", "", stripe, card("MASTERCARD", "0007"), "10.66"},
		{"100.66", "", "", stripe, card("MASTERCARD", "0007"), "100.66"},
		{"10.00", "", "debit", debit, card("MAESTRO", "0015"), "10.00"},
		{"50.01", "", "debit", debitChip, card("MAESTRO", "0015"), "50.01"},
		{"50.01", "", "credit", chip, card("MASTERCARD", "0007"), "50.01"},
		{"46.00", "0.1", "", tipped(chip, "4.60"), card("MASTERCARD", "0007"), "50.60"},
		{"10.05", "0.1", "", tipped(contactless, "1.00"), card("VISA", "0091"), "11.05"},
		{"0.30", "0.1", "", tipped(contactless, "0.03"), card("VISA", "0091"), "0.33"},
		{"9999999999.99", "0.99", "", chip, card("MASTERCARD", "0007"), "9999999999.99"}, // too large with a tip
	} {
		w := newFixture(t).pairAndConfirm("p", "ABCD1234")
		offered := w.checkout("c", "p", c.amount)
		offered.CardType = c.cardType
		if c.tip != "" {
			offered.TipRates = []money.Decimal{money.Decimal(c.tip), "0.9"}
		}
		w.wantErrors(failing{"offer", w.offering(offered), nil})
		w.Advance(3 * time.Second)
		w.wantOutcome("c", charged)
		got := w.wantDecision("c", payments.Approved)
		if got.Present == nil {
			t.Fatalf("%s: got no card, want one", c.amount)
		}
		if cryptogram := got.Present.EMV.Cryptogram; cryptogram != "" {
			if len(cryptogram) != 16 || strings.Trim(cryptogram, "0123456789ABCDEF") != "" {
				t.Errorf("%s: got cryptogram %s, want 8 bytes in hexadecimal", c.amount, cryptogram)
			}
			got.Present.EMV.Cryptogram = "any"
		}
		if diff := cmp.Diff([]any{&c.present, c.card}, []any{got.Present, got.Card}, storedtest.Options); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", c.amount, diff)
		}
		w.wantCaptured(c.total)
	}
}

// wantCaptured checks that exactly one charge has moved the amount.
func (w *fixture) wantCaptured(amount string) {
	w.Helper()
	var moved []string
	for m, err := range w.acquirer.Statement(w.Context(), time.Time{}) {
		if err != nil {
			w.Fatal(err)
		}
		moved = append(moved, m.Amount.String()+" of "+m.Tenant)
	}
	if diff := cmp.Diff([]string{amount + " of " + tenant}, moved); diff != "" {
		w.Errorf("what has moved (-want +got):\n%s", diff)
	}
}

// TestOffer_Refused checks that a terminal does not store a refused checkout and charges nothing.
func TestOffer_Refused(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	if _, err := w.Pair(t.Context(), w.pairing("p", "ABCD1234")); err != nil {
		t.Fatal(err)
	}
	w.wantErrors(failing{"not confirmed", w.offering(w.checkout("early", "p", "10")), terminal.ErrUnpaired})
	w.Advance(2 * time.Second)
	w.mustOffer("c", "10")
	w.wantErrors(failing{"unknown pairing", w.offering(w.checkout("unknown", "none", "10")), terminal.ErrUnpaired},
		failing{"busy", w.offering(w.checkout("busy", "p", "10")), terminal.ErrBusy},
		failing{"the same", w.offering(w.checkout("c", "p", "99")), nil})
	late := w.checkout("late", "p", "10")
	w.Advance(2 * time.Minute)
	if err := w.Offer(t.Context(), late); err == nil {
		t.Error("late: got it taken, want it refused")
	}
	w.wantErrors(failing{"unpair", func(ctx context.Context) error { return w.Unpair(ctx, "p") }, nil},
		failing{"unpaired", w.offering(w.checkout("unpaired", "p", "10")), terminal.ErrUnpaired})
	for _, id := range []string{"early", "unknown", "busy", "late", "unpaired"} {
		_, err := w.Outcome(t.Context(), id)
		w.wantErrors(failing{id, func(context.Context) error { return err }, terminal.ErrUnknownCheckout},
			failing{id, func(ctx context.Context) error { return w.Terminate(ctx, id) }, terminal.ErrUnknownCheckout})
		w.wantDecision(id, "")
	}
	w.wantCaptured("10.00")
}

// TestOutcome_Stopped checks the events that stop a checkout before the card is charged. After the charge, none of
// these events stops the checkout.
func TestOutcome_Stopped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do     func(*fixture, context.Context) error
		reason string
	}{
		"terminate": {func(w *fixture, ctx context.Context) error { return w.Terminate(ctx, "c") }, "terminated"},
		"unpair":    {func(w *fixture, ctx context.Context) error { return w.Unpair(ctx, "p") }, "the reader was unpaired"},
		"re-pair": {func(w *fixture, ctx context.Context) error {
			_, err := w.Pair(ctx, w.pairing("again", "ABCD1234"))
			return err
		}, "the reader was unpaired"},
		"cancel at the acquirer": {func(w *fixture, ctx context.Context) error {
			_, err := w.acquirer.Cancel(ctx, "charge of c")
			return err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t).pairAndConfirm("p", "ABCD1234")
			w.mustOffer("c", "10")
			for range 2 {
				w.wantErrors(failing{name, func(ctx context.Context) error { return c.do(w, ctx) }, nil})
			}
			w.Advance(3 * time.Second)
			w.wantOutcome("c", stopped(c.reason))
			if n := w.countCaptures(); n != 0 {
				t.Errorf("got %d captures, want none", n)
			}
			w = newFixture(t).pairAndConfirm("p", "ABCD1234")
			w.mustOffer("c", "10")
			w.Advance(3 * time.Second)
			w.wantOutcome("c", charged)
			w.wantErrors(failing{"too late", func(ctx context.Context) error { return c.do(w, ctx) }, nil})
			w.wantOutcome("c", charged)
			w.wantDecision("c", payments.Approved)
		})
	}
}

// TestTerminate_RacesWithPayment checks that the terminal has either stopped or charged, but not both.
func TestTerminate_RacesWithPayment(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm("p", "ABCD1234")
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		w.mustOffer(id, "10")
		w.Advance(3 * time.Second)
		before := w.countCaptures()
		var group sync.WaitGroup
		group.Go(func() { _ = w.Terminate(t.Context(), id) })
		group.Go(func() { _, _ = w.Outcome(t.Context(), id) })
		group.Go(func() { _, _ = w.Heartbeat(t.Context(), "p") })
		group.Wait()
		got, err := w.Outcome(t.Context(), id)
		captures := w.countCaptures() - before
		if err != nil || got != charged && got != stopped("terminated") || (got == charged) != (captures == 1) ||
			captures > 1 {
			t.Errorf("%s: got %+v, %v and %d captures, want it stopped without one, or charged with one", id, got, err, captures)
		}
	}
}

// TestOffer_TwoConcurrently checks that one offer wins, and the other finds the terminal busy.
func TestOffer_TwoConcurrently(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm("p", "ABCD1234")
	errs := make([]error, 2)
	var group sync.WaitGroup
	for i, id := range []string{"a", "b"} {
		group.Go(func() { errs[i] = w.Offer(t.Context(), w.checkout(id, "p", "10")) })
	}
	group.Wait()
	if diff := cmp.Diff(1, count(errs, nil)+10*(1-count(errs, terminal.ErrBusy))); diff != "" {
		t.Errorf("got errors %v, want one nil and one ErrBusy", errs)
	}
}

func count(errs []error, want error) (n int) {
	for _, err := range errs {
		if errors.Is(err, want) {
			n++
		}
	}
	return n
}

// TestOutcome_AcquirerDoesNotAnswer checks that the terminal asks until the acquirer answers, even after the checkout
// was given up. The card is charged once.
func TestOutcome_AcquirerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for fault, after := range map[faults.Fault]payments.Decision{
		faults.FailBefore: "", faults.LoseReply: payments.Approved} {
		w := newFixture(t).pairAndConfirm("p", "ABCD1234")
		w.mustOffer("c", "10")
		w.Advance(3 * time.Second)
		w.line.Plan(1, fault)
		w.wantOutcome("c", waiting)
		w.wantDecision("c", after)
		w.line.Plan(1, fault)
		w.wantErrors(failing{"terminate", func(ctx context.Context) error { return w.Terminate(ctx, "c") }, nil},
			failing{"busy", w.offering(w.checkout("other", "p", "10")), terminal.ErrBusy})
		w.wantOutcome("c", charged)
		w.wantDecision("c", payments.Approved)
		w.wantCaptured("10.00")
	}
	w := newFixture(t).pairAndConfirm("p", "ABCD1234")
	w.mustOffer("c", "10")
	w.Advance(2 * time.Minute)
	w.line.Plan(1, faults.FailBefore)
	w.wantOutcome("c", waiting)
	if _, err := w.acquirer.Cancel(t.Context(), "charge of c"); err != nil {
		t.Fatal(err)
	}
	w.wantOutcome("c", stopped(""))
	w.wantErrors(failing{"the next", w.offering(w.checkout("next", "p", "10")), nil})
}
