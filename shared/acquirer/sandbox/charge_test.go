package sandbox_test

import (
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// series returns card numbers that share a prefix, as contract §12 lists them.
func series(prefix string, endings ...string) []string {
	var numbers []string
	for _, ending := range endings {
		numbers = append(numbers, prefix+ending)
	}
	return numbers
}

func TestCharge_CardsOfTheContract(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	visa, mastercard := "4200000000000", "5200000000000"
	for _, group := range []struct {
		name       string
		numbers    []string
		attended   payments.Decision
		unattended payments.Decision
		code       string
	}{
		{"frictionless", append(append(series(visa, "091", "109", "026", "059"),
			series(mastercard, "007", "023", "056", "106")...), "374500262001008"),
			payments.Approved, payments.Approved, "00"},
		{"challenged", append(append(series(visa, "042", "067", "018", "075"),
			series(mastercard, "015", "049", "064", "072")...), "343434343434343"),
			payments.Challenge, payments.Approved, ""},
		{"technical", []string{"4012001037461114", "5434580000000006"}, payments.Declined, payments.Declined, "96"},
		{"not enrolled", []string{"4012001037141112", "5457350076543210"}, payments.Declined, payments.Declined, "57"},
		{"not participating", []string{"4532497088771651", "5497260847316287"}, payments.Declined, payments.Declined, "92"},
		{"not listed", []string{plainCard, "5555555555554444", "6011111111111117"}, payments.Approved,
			payments.Approved, "00"},
	} {
		for i, number := range group.numbers {
			if faults := validate.Fields(card(number), w.Now()); faults != nil {
				t.Errorf("%s %d: got faults %v of the card, want none", group.name, i, faults)
			}
			id := fmt.Sprintf("%s %d", group.name, i)
			o := w.mustCharge(t, cardCharge(id, number, "10.10"))
			if o.Decision != group.attended || o.ReturnCode != group.code {
				t.Errorf("%s: got %s %s, want %s %s", id, o.Decision, o.ReturnCode, group.attended, group.code)
			}
			mandated := cardCharge(id+" mandated", number, "10.10")
			mandated.Agreement = new(acquirer.Agreement)
			if o := w.mustCharge(t, mandated); o.Decision != group.unattended {
				t.Errorf("%s: got %s, want %s", mandated.ID, o.Decision, group.unattended)
			}
		}
	}
}

func TestCharge_DeclinedAmounts(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	codes := map[string]string{}
	for _, amount := range []string{"11.00", "42.01", "42.76", "42.91"} {
		for _, number := range []string{plainCard, askingCard, silentCard} {
			id := amount + " " + number
			o := w.mustCharge(t, cardCharge(id, number, amount))
			if o.Decision != payments.Declined || o.AuthCode != "" || w.countCaptures(t, id) != 0 {
				t.Errorf("%s: got %+v and %d captures, want declined without an auth code, and none", id, o, w.countCaptures(t, id))
			}
			codes[o.ReturnCode] = amount
		}
		wallet := methodCharge("wallet "+amount, payments.GooglePay, amount, "CHF")
		if o := w.mustCharge(t, wallet); o.Decision != payments.Declined {
			t.Errorf("google_pay of %s: got %s, want declined", amount, o.Decision)
		}
	}
	if len(codes) != 4 {
		t.Errorf("got return codes %v, want 4 that differ by reason", codes)
	}
}

func TestCharge_MinorUnitsDecideInEveryCurrency(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, c := range []struct {
		amount   string
		currency money.Currency
		want     payments.Decision
	}{
		{"1100", "HUF", payments.Declined}, {"11", "HUF", payments.Approved},
		{"4201", "CLP", payments.Declined}, {"4276", "COP", payments.Declined}, {"42.91", "BRL", payments.Declined},
	} {
		charge := cardCharge(c.amount+string(c.currency), plainCard, "1")
		charge.Amount = money.MustParse(c.amount, c.currency)
		if o := w.mustCharge(t, charge); o.Decision != c.want {
			t.Errorf("%s %s: got %s, want %s", c.amount, c.currency, o.Decision, c.want)
		}
	}
}

func TestCharge_ApprovalHasReceiptFields(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	o := w.mustCharge(t, cardCharge("c", plainCard, "10.10"))
	if !regexp.MustCompile(`^[0-9]{6}$`).MatchString(o.AuthCode) || o.TerminalID == "" {
		t.Errorf("got auth code %q, terminal %q, want six digits and a terminal", o.AuthCode, o.TerminalID)
	}
	// By contract §8.4, the expiry of a card that may be real is not kept.
	want := payments.CardSummary{Brand: "VISA", LastFour: "1111"}
	if o.Card == nil || *o.Card != want {
		t.Errorf("got card %+v, want %+v", o.Card, want)
	}
	listed := w.mustCharge(t, cardCharge("listed", "4200000000000091", "10.10")).Card
	want = payments.CardSummary{Brand: "VISA", LastFour: "0091", ExpiryMonth: 12, ExpiryYear: 2030}
	if listed == nil || *listed != want {
		t.Errorf("listed: got card %+v, want %+v", listed, want)
	}
	if w.countCaptures(t, "c") != 1 {
		t.Errorf("got %d captures, want 1", w.countCaptures(t, "c"))
	}
}

func TestCharge_NotTakenAmount(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for range 2 {
		if _, err := w.Charge(t.Context(), cardCharge("c", plainCard, "42.24")); !errors.Is(err, acquirer.ErrNotTaken) {
			t.Fatalf("got error %v, want ErrNotTaken", err)
		}
	}
	if _, err := w.LookUp(t.Context(), "c"); !errors.Is(err, acquirer.ErrUnknownCharge) {
		t.Errorf("got error %v, want ErrUnknownCharge", err)
	}
	if items := w.scan(t); len(items) != 0 {
		t.Errorf("got items %v, want none", items)
	}
}

func TestCharge_UnknownOutcome(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, number := range []string{plainCard, askingCard} {
		wantUnknown(t)(w.Charge(t.Context(), cardCharge(number, number, "42.25")))
		w.Advance(30*time.Second - time.Nanosecond)
		for name, ask := range map[string]func() (payments.Outcome, error){
			"look up": func() (payments.Outcome, error) { return w.LookUp(t.Context(), number) },
			"cancel":  func() (payments.Outcome, error) { return w.Cancel(t.Context(), number) },
			"charge":  func() (payments.Outcome, error) { return w.Charge(t.Context(), cardCharge(number, number, "42.25")) },
		} {
			if o := must(t)(ask()); o.Decision != payments.OutcomeUnknown || w.countCaptures(t, number) != 0 {
				t.Errorf("%s before 30 s: got %s and %d captures, want an unknown outcome and none", name, o.Decision,
					w.countCaptures(t, number))
			}
		}
		w.Advance(time.Nanosecond)
		first := must(t)(w.Cancel(t.Context(), number))
		again := must(t)(w.LookUp(t.Context(), number))
		if first.Decision != payments.Approved || again.AuthCode != first.AuthCode || w.countCaptures(t, number) != 1 {
			t.Errorf("after 30 s: got %+v, then %+v, and %d captures, want approved with one auth code, and 1", first, again,
				w.countCaptures(t, number))
		}
	}
}

func TestCharge_Verification(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, amount := range []string{"0", "1.00"} {
		charge := cardCharge(amount, plainCard, amount)
		charge.Verification = true
		if o := w.mustCharge(t, charge); o.Decision != payments.Approved || w.countCaptures(t, amount) != 0 {
			t.Errorf("%s: got %s and %d captures, want approved and none", amount, o.Decision, w.countCaptures(t, amount))
		}
	}
}

func TestCharge_Wallet(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	o := w.mustCharge(t, methodCharge("c", payments.GooglePay, "10", "EUR"))
	if o.Decision != payments.Approved || o.Step != nil || w.countCaptures(t, "c") != 1 {
		t.Errorf("got %+v and %d captures, want approved without a step, and 1", o, w.countCaptures(t, "c"))
	}
}

func TestCharge_CardMethodWithoutCard(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	if _, err := w.Charge(t.Context(), methodCharge("c", payments.CardMethod, "10", "EUR")); !errors.Is(err,
		acquirer.ErrNotTaken) {
		t.Errorf("got error %v, want ErrNotTaken", err)
	}
}
