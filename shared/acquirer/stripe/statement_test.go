package stripe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestStatement_SeveralPages checks that a statement has the lines of all pages. TestHints_SeveralPages walks pages
// with faults.
func TestStatement_SeveralPages(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		w.mustCharge(t, cardCharge(id, plainCard, "10"))
	}
	w.api.Page = 2
	if got := w.statement(t, w.Now()); len(got) != 5 {
		t.Errorf("got %v, want five lines", got)
	}
}

// TestStatement_ChargeUnreadable checks that a statement without the charge of a line ends with an error.
func TestStatement_ChargeUnreadable(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "10"))
	w.api.Dispute("du_1", w.api.Objects[w.api.Find("attempt", "c", "succeeded")["latest_charge"].(string)], 1000, -1000)
	w.Wire.Inject(faults.Times(1, "GET charges", faults.FailBefore))
	lines, failures := 0, 0
	for _, err := range w.Statement(t.Context(), time.Time{}) {
		if err != nil {
			failures++
		} else {
			lines++
		}
	}
	if lines != 0 || failures != 1 {
		t.Errorf("got %d lines and %d errors, want only an error at the newest line", lines, failures)
	}
}

// line is a movement in short: its kind, tenant, id, amount and fee.
type line struct {
	kind              acquirer.Kind
	tenant, id        string
	amount, fee       string
	settlement, until string
}

// platform is the tenant of the platform's own money.
const platform = "L#PLATFORM"

// statement returns the lines since a time.
func (w *fixture) statement(t *testing.T, since time.Time) map[line]bool {
	t.Helper()
	found := map[line]bool{}
	for m, err := range w.Statement(t.Context(), since) {
		if err != nil {
			t.Fatal(err)
		}
		l := line{m.Kind, m.Tenant, m.ID, m.Amount.String(), m.Fee.String(), m.SettlementID, ""}
		if m.SettlementID != "" {
			l.until = m.AvailableOn.Format(time.DateOnly)
		}
		if found[l] {
			t.Errorf("got %+v twice, want once", l)
		}
		found[l] = true
	}
	return found
}

// wantLines checks the lines of the kinds in the whole statement.
func (w *fixture) wantLines(t *testing.T, when string, kinds []acquirer.Kind, want ...line) {
	t.Helper()
	wanted, got := map[line]bool{}, map[line]bool{}
	for _, l := range want {
		wanted[l] = true
	}
	for l := range w.statement(t, time.Time{}) {
		if slices.Contains(kinds, l.kind) {
			got[l] = true
		}
	}
	if diff := cmp.Diff(wanted, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Errorf("%s: got other lines (-want +got):\n%s", when, diff)
	}
}

// ours returns Stripe's charge of our charge.
func (w *fixture) ours(id string) object {
	return w.api.Objects[w.api.Find("attempt", id, "succeeded")["latest_charge"].(string)]
}

// TestStatement_Kinds checks the line of each kind that is about a single charge. A line about no charge of the
// platform is a fee of the platform. A refund in Stripe's dashboard has Stripe's id.
func TestStatement_Kinds(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "10"))
	ours := w.ours("c")
	foreign := w.api.NewObject("ch", "charge", object{"amount": int64(500), "currency": "eur", "metadata": object{}})
	w.api.Book("charge", foreign, 500)
	w.api.Dispute("du_lost", ours, 1000, -1000)
	w.api.Lines[len(w.api.Lines)-1]["fee"] = int64(1500)
	w.api.Dispute("du_lost", ours, 1000, 1000)
	w.api.Dispute("du_foreign", foreign, 500, -500)
	w.api.Dispute("du_alone", object{"currency": "eur"}, 500, -300)
	w.api.Book("stripe_fee", object{"currency": "eur"}, -25)
	byHand := w.api.NewObject("re", "refund", object{"amount": int64(100), "currency": "eur", "charge": ours["id"],
		"metadata": object{}})
	w.api.Book("refund", byHand, -100)
	w.api.Book("refund_failure", byHand, 100)
	id := byHand["id"].(string)
	w.wantLines(t, "all", []acquirer.Kind{acquirer.CaptureMovement, acquirer.ChargebackMovement, acquirer.RefundMovement,
		acquirer.ChargebackReversedMovement, acquirer.RefundFailedMovement, acquirer.FeeMovement},
		line{kind: acquirer.CaptureMovement, tenant: "T#MC1", id: "c", amount: "10.00", fee: "0.20"},
		line{kind: acquirer.ChargebackMovement, tenant: "T#MC1", id: "du_lost", amount: "10.00", fee: "15.00"},
		line{kind: acquirer.ChargebackReversedMovement, tenant: "T#MC1", id: "du_lost", amount: "10.00", fee: "0.00"},
		line{kind: acquirer.RefundMovement, tenant: "T#MC1", id: id, amount: "1.00", fee: "0.00"},
		line{kind: acquirer.RefundFailedMovement, tenant: "T#MC1", id: id, amount: "1.00", fee: "0.00"},
		line{kind: acquirer.FeeMovement, tenant: platform, amount: "-4.90", fee: "0"}, // the foreign charge, less its fee
		line{kind: acquirer.FeeMovement, tenant: platform, amount: "5.00", fee: "0"},
		line{kind: acquirer.FeeMovement, tenant: platform, amount: "3.00", fee: "0"},
		line{kind: acquirer.FeeMovement, tenant: platform, amount: "0.25", fee: "0"})
}

// settlementKinds are the kinds of lines about payouts.
var settlementKinds = []acquirer.Kind{acquirer.SettlementMovement, acquirer.SettlementReturnedMovement}

// payouts returns Stripe's ids of all payouts, the oldest first.
func (w *fixture) payouts() []string {
	var ids []string
	for id := range w.api.Objects {
		if strings.HasPrefix(id, "po_") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// TestStatement_Settlements checks that a payout has a settlement for each tenant, a day after its arrival, and that
// the money of a payout that came back is settled again for the same tenants. What is booked after a payout, but before
// its arrival, is available for the next payout.
func TestStatement_Settlements(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	other := cardCharge("d", plainCard, "20")
	other.Reference.Tenant = "L#MC2"
	w.mustCharge(t, cardCharge("c", plainCard, "10"))
	w.mustCharge(t, other)
	w.api.Book("stripe_fee", object{"currency": "eur"}, -25)
	day := func(days int) string { return w.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	w.Advance(time.Second)
	w.api.PayOut()
	first, arrival := w.payouts()[0], day(2)
	w.Advance(time.Second)
	r := acquirer.Refund{ID: "r", ChargeID: "c", Amount: money.MustParse("1", "EUR")}
	if o, err := w.Refund(t.Context(), r); err != nil || o.Decision != payments.Approved {
		t.Fatalf("got %+v, error %v, want approved", o, err)
	}
	for m, err := range w.Statement(t.Context(), time.Time{}) {
		if want := day(3); err != nil || m.Kind == acquirer.RefundMovement && m.AvailableOn.Format(time.DateOnly) != want {
			t.Errorf("got %+v, error %v; want a refund after the payout available on %s", m, err, want)
		}
	}
	w.Advance(48 * time.Hour)
	w.wantLines(t, "before the lines are listed", settlementKinds)
	w.Advance(24 * time.Hour)
	settled := func(id, tenant, amount, fee, until string) line {
		return line{acquirer.SettlementMovement, tenant, "", amount, fee, id, until}
	}
	want := []line{settled(first, "T#MC1", "9.80", "0.20", arrival), settled(first, "L#MC2", "19.60", "0.40", arrival),
		settled(first, platform, "-0.25", "0.00", arrival)}
	w.wantLines(t, "listed", settlementKinds, want...)

	w.api.Book("payout_failure", w.api.Objects[first], 2915)
	returned := day(0)
	w.Advance(time.Second)
	w.api.PayOut()
	second, arrival := w.payouts()[1], day(2)
	w.Advance(72 * time.Hour)
	for tenant, amount := range map[string]string{"T#MC1": "9.80", "L#MC2": "19.60", platform: "-0.25"} {
		want = append(want, line{acquirer.SettlementReturnedMovement, tenant, "", amount, "0", first, returned})
	}
	want = append(want, settled(second, "T#MC1", "8.80", "0.00", arrival),
		settled(second, "L#MC2", "19.60", "0.00", arrival), settled(second, platform, "-0.25", "0.00", arrival))
	w.wantLines(t, "returned and paid again", settlementKinds, want...)
	if got := w.statement(t, w.Now().Add(-12*time.Hour)); len(got) != 3 {
		t.Errorf("since twelve hours ago: got %v, want the lines of the last payout", got)
	}
	w.api.Objects[second]["reconciliation_status"] = "in_progress"
	failures := 0
	for _, err := range w.Statement(t.Context(), time.Time{}) {
		if err != nil {
			failures++
		}
	}
	if failures != 1 {
		t.Errorf("not listed: got %d errors, want one", failures)
	}
}

// settledAfter is the time until a payout by hand is booked as a settlement.
const settledAfter = 24 * time.Hour

// TestStatement_ByHand checks that a payout whose lines Stripe does not list is the platform's.
func TestStatement_ByHand(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	today := w.Now().UTC().Format(time.DateOnly)
	w.api.Book("payout", w.api.NewObject("po", "payout", object{"currency": "eur"}), -500)
	w.Advance(settledAfter)
	w.wantLines(t, "by hand", settlementKinds, line{acquirer.SettlementMovement, platform, "", "5.00", "0.00",
		w.payouts()[0], today})
}

// TestStatement_OtherCurrency checks that a movement that Stripe settles in another currency has no fee, and its
// settlement the other currency. An amount that the platform cannot have is left out, and a fee is rounded.
func TestStatement_OtherCurrency(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for id, currency := range map[string]money.Currency{"c": "EUR", "d": "HUF", "e": "HUF"} {
		charge := cardCharge(id, plainCard, "10")
		charge.Amount = money.MustParse("10", currency)
		w.mustCharge(t, charge)
	}
	for _, l := range w.api.Lines {
		switch source := w.api.Objects[l["source"].(string)]; source["metadata"].(object)["attempt"] {
		case "c":
			l["currency"], l["amount"], l["fee"] = "usd", int64(1100), int64(33)
		case "d":
			l["fee"] = int64(150)
		default:
			source["amount"], l["amount"] = int64(1050), int64(1050)
		}
	}
	until := w.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	w.api.PayOut()
	w.Advance(72 * time.Hour)
	ids := map[any]string{}
	for _, id := range w.payouts() {
		ids[w.api.Objects[id]["currency"]] = id
	}
	w.wantLines(t, "all", append(settlementKinds, acquirer.CaptureMovement),
		line{acquirer.CaptureMovement, "T#MC1", "c", "10.00", "0", "", ""},
		line{acquirer.CaptureMovement, "T#MC1", "d", "10", "2", "", ""},
		line{acquirer.CaptureMovement, "T#MC1", "e", "0", "0", "", ""},
		line{acquirer.SettlementMovement, "T#MC1", "", "10.67", "0.33", ids["usd"], until},
		line{acquirer.SettlementMovement, "T#MC1", "", "19", "2", ids["huf"], until})
}
