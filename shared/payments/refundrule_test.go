package payments_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func parseRules(t *testing.T, text string) payments.RefundRules {
	t.Helper()
	read, err := payments.ParseRefundRules(text)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestParseRefundRules(t *testing.T) {
	t.Parallel()
	want := payments.RefundRules{{Country: "BR", Days: 90}, {Currency: "HUF", Minimum: money.MustParse("100", "HUF")},
		{Country: "CL", Currency: "CLP", Days: 180, Minimum: money.MustParse("500", "CLP")}, {Days: 365}}
	if got := parseRules(t, " BR:90  HUF::100 CL/CLP:180:500\n*:365 "); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := parseRules(t, " "); len(got) != 0 {
		t.Errorf("no rules: got %+v, want none", got)
	}
	for _, text := range []string{"BR", "BR:", "BR::", ":90", "br:90", "B1:90", "BRA:90", "XXX:90", "BR/:90", "/BRL:90",
		"BR/XXX:90", "BR/BRL/:90",
		"BR:0", "BR:-1", "BR:1.5", "BR:90d", "BR:36501", "BR:99999", "BR:90:", "BR:90:1", "*::1", "EUR::0", "EUR::-1",
		"EUR::0.001", "EUR::x", "EUR:1:2:3"} {
		if got, err := payments.ParseRefundRules("EUR:1 " + text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

// TestTerms checks the rules for the merchant's country or the currency. The strictest rule counts. Without a rule,
// refunds have no limit of age, and a minimum of one minor unit (contract §6.4).
func TestTerms(t *testing.T) {
	t.Parallel()
	paid := paidTransaction(t)
	for _, c := range []struct {
		rules, country, least string
		days                  int
	}{
		{"", "DE", "0.01", 0}, {"BR:90 HUF::100 BR/EUR:3:4 DE/USD:5:6", "DE", "0.01", 0},
		{"DE:90", "DE", "0.01", 90}, {"DE:90", "", "0.01", 0}, {"EUR:90:5", "", "5.00", 90},
		{"DE/EUR:7:0.50", "DE", "0.50", 7},
		{"*:365 DE:90 EUR:100:1 DE/EUR::2 EUR::1.50", "DE", "2.00", 90}, {"EUR::11", "DE", "10.10", 0},
	} {
		got, until := parseRules(t, c.rules).Terms(paid, c.country), time.Time{}
		if c.days > 0 {
			until = paid.CreatedAt.Add(time.Duration(c.days) * 24 * time.Hour)
		}
		if got.Minimum != eur(c.least) || !got.Until.Equal(until) {
			t.Errorf("%q in %q: got %s until %s, want %s until %s", c.rules, c.country, got.Minimum, got.Until, c.least,
				until)
		}
	}
}

func TestRefundTermsBegin(t *testing.T) {
	t.Parallel()
	paid := paidTransaction(t)
	rest := settleRefund(t, beginRefund(t, paid, "a", "9.60", false), payments.Approved, paid.CreatedAt).Transaction
	gone := settleRefund(t, beginRefund(t, paid, "a", "", false), payments.Approved, paid.CreatedAt).Transaction
	last := 90*24*time.Hour - time.Nanosecond
	for name, c := range map[string]struct {
		tx     payments.Transaction
		amount string
		age    time.Duration
		kind   failure.Kind // Internal: none
		below  bool
		above  bool
	}{
		"all":                         {paid, "", last, failure.KindInternal, false, false},
		"the least":                   {paid, "1", last, failure.KindInternal, false, false},
		"less":                        {paid, "0.99", last, failure.KindConflict, true, false},
		"more than there is":          {paid, "10.11", last, failure.KindConflict, false, true},
		"no amount":                   {paid, "0", last, failure.KindInvalid, false, false},
		"too late":                    {paid, "1", last + 1, failure.KindConflict, false, false},
		"too much, and too late":      {paid, "10.11", last + 1, failure.KindConflict, false, false},
		"what is left, though less":   {rest, "0.50", last, failure.KindInternal, false, false},
		"all that is left, likewise":  {rest, "", last, failure.KindInternal, false, false},
		"not even all that is left":   {rest, "0.49", last, failure.KindConflict, true, false},
		"of what is refunded already": {gone, "1", last, failure.KindConflict, false, false},
	} {
		var x *money.Amount
		if c.amount != "" {
			parsed := eur(c.amount)
			x = &parsed
		}
		terms := parseRules(t, "EUR:90:1").Terms(c.tx, "DE")
		change, err := terms.Begin(c.tx, "b", x, false, paid.CreatedAt.Add(c.age))
		if (c.kind == failure.KindInternal) != (err == nil) || (err != nil && !failure.Is(err, c.kind)) ||
			(err == nil) != (len(change.Events) == 1) {
			t.Errorf("%s: got %d events, error %v, want one event: %t, else an error of kind %s", name, len(change.Events),
				err, c.kind == failure.KindInternal, c.kind.Slug())
		}
		type limits struct{ Minimum, Refundable money.Amount }
		want := limits{terms.Minimum, c.tx.Refundable}
		var below *payments.AmountTooLowError
		if errors.As(err, &below) != c.below || (c.below && limits{below.Minimum, below.Refundable} != want) {
			t.Errorf("%s: got %+v, %v, want too low: %t, with %v", name, below, err, c.below, want)
		}
		var above *payments.AmountTooHighError
		if errors.As(err, &above) != c.above || (c.above && limits{above.Minimum, above.Refundable} != want) {
			t.Errorf("%s: got %+v, %v, want too high: %t, with %v", name, above, err, c.above, want)
		}
	}
}

// TestRefundTermsExpired checks that the time for refunds ends at Until, or never.
func TestRefundTermsExpired(t *testing.T) {
	t.Parallel()
	until := payments.RefundTerms{Until: start}
	if until.Expired(start.Add(-1)) || !until.Expired(start) || (payments.RefundTerms{}).Expired(start) {
		t.Errorf("got expired %t before the time, %t at it, %t without one, want false, true, false",
			until.Expired(start.Add(-1)), until.Expired(start), (payments.RefundTerms{}).Expired(start))
	}
	if longest := parseRules(t, "BR:36500"); longest[0].Days != 36500 {
		t.Errorf("the longest time: got %+v, want 36500 days", longest)
	}
}
