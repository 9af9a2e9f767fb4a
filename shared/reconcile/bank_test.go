package reconcile_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// bankShop is a shop with three payouts: one was paid, one was rejected, and one was paid although the bank's answer
// was lost.
type bankShop struct {
	*shop
	out, rejected, unanswered string // ids of the payouts
}

func newBankShop(t *testing.T) *bankShop {
	t.Helper()
	s := &bankShop{shop: newShop(t)}
	s.PassMinute() // so that the outcome of the refund is known
	s.rejected = s.payOut("rejected", sandbox.ClosedIBAN)
	s.out = s.payOut("out", sandbox.PaidIBAN)
	s.Clock.Advance(time.Minute)
	s.run(s.out)
	s.Sell("50")
	s.Clock.Advance(time.Second)
	s.unanswered = s.payOut("unanswered", sandbox.LostAnswerIBAN)
	for id, want := range map[string]payout.Status{
		s.rejected: payout.Failed, s.out: payout.Paid, s.unanswered: payout.Sent,
	} {
		if p, err := s.App.Store.Payout(t.Context(), s.Tenant(), id); err != nil || p.Status != want {
			t.Fatalf("got the payout %s, %v, want %s", p.Status, err, want)
		}
	}
	s.Clock.Advance(time.Second)
	return s
}

// payOut pays out all payables to an account.
func (s *shop) payOut(operation, iban string) string {
	s.Helper()
	payer := banking.Open(s.App)
	_, err := payer.ChangeMerchant(s.Context(), byTest, s.Merchant.Code, func(m merchant.State) (merchant.State, error) {
		schedule := m.Schedule(identity.Test)
		schedule.To = merchant.BankAccount{ID: "a", Holder: "Shop", IBAN: iban, Status: merchant.BankAccountVerified}
		return m.WithSettings(identity.Test, merchant.Settings{OnDemand: true}).WithSchedule(identity.Test, schedule), nil
	})
	if err != nil {
		s.Fatal(err)
	}
	planned, due, err := payer.OpenOnDemand(s.Context(), s.Tenant(), operation)
	if err != nil || !due {
		s.Fatalf("%s: got due %t, %v, want it due", operation, due, err)
	}
	s.run(planned.ID)
	s.Clock.Advance(time.Second)
	return planned.ID
}

func (s *shop) run(payout string) {
	s.Helper()
	if _, err := banking.Open(s.App).Run(s.Context(), s.Tenant(), payout); err != nil {
		s.Fatal(err)
	}
}

// banks returns the platform's banks, with further lines on the statement of test mode.
func (s *shop) banks() map[identity.Mode]bank.Bank {
	banks := maps.Clone(banking.Banks(s.App))
	banks[identity.Test] = withLines{banks[identity.Test], s.more}
	return banks
}

type withLines struct {
	bank.Bank
	more []bank.StatementLine
}

func (b withLines) Statement(ctx context.Context, since time.Time) iter.Seq2[bank.StatementLine, error] {
	return func(yield func(bank.StatementLine, error) bool) {
		for line, err := range b.Bank.Statement(ctx, since) {
			if !yield(line, err) {
				return
			}
		}
		for _, line := range b.more {
			if !yield(line, nil) {
				return
			}
		}
	}
}

func (s *shop) addLine(id, of string, returned bool) {
	s.more = append(s.more, bank.StatementLine{LineID: fmt.Sprint("more ", len(s.more)), ID: id,
		Tenant: s.Tenant().String(),
		Amount: money.MustParse(of, "EUR"), Return: returned,
		At: s.Clock.Now().Add(-time.Second)})
}

func TestRun_PayoutsAndBank(t *testing.T) {
	t.Parallel()
	s := newBankShop(t)
	// There are 5 captures, 3 refunds and a chargeback, and 3 payouts. Two payouts have an outcome. The payout without an
	// answer is open.
	want := reconcile.Report{At: s.Clock.Now(), Tenants: 1, Transactions: 6, Entries: 14, Payouts: 3, Movements: 9,
		BankLines: 2, Open: 1,
		Totals: []reconcile.Total{
			{Account: "acquirer_receivable", Currency: "EUR", Amount: "140.85"},
			{Account: "bank", Currency: "EUR", Amount: "-87.73"},
			{Account: "fee_income", Currency: "EUR", Amount: "-4.10"},
			{Account: "merchant_payable", Currency: "EUR", Amount: "0.00"},
			{Account: "payouts_in_transit", Currency: "EUR", Amount: "-49.02"},
			{Account: "the acquirer's statement", Currency: "EUR", Amount: "140.85"},
			{Account: "the bank's statement", Currency: "EUR", Amount: "-136.75"},
		}}
	if diff := cmp.Diff(want, s.reconcile()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// A payment that came back counts as never made.
	s.addLine(s.rejected, "87.73", false)
	s.addLine(s.rejected, "87.73", true)
	r := s.reconcile()
	if r.Found != 0 || r.BankLines != 4 {
		t.Errorf("got %+v, want no breaks and 4 bank lines", r)
	}
	// Once the bank has answered, nothing is open.
	s.Clock.Advance(time.Minute)
	s.run(s.unanswered)
	s.Clock.Advance(time.Second)
	if r = s.reconcile(); r.Found != 0 || r.Open != 0 || r.Suspects != 0 {
		t.Errorf("got %+v, want no breaks, nothing open and no suspects", r)
	}
}

// TestRun_CancelledTransfer checks a cancelled transfer, which has no line on the bank's statement. If it has a line,
// the line is a break.
func TestRun_CancelledTransfer(t *testing.T) {
	t.Parallel()
	s := newBankShop(t)
	s.Sell("30")
	s.Clock.Advance(time.Second)
	cancelled := s.payOut("cancelled", sandbox.NotTakenIBAN)
	if r := s.reconcile(); r.Found != 0 || r.Open != 1 {
		t.Errorf("waiting: got %+v, want no breaks and 1 open", r)
	}
	s.Clock.Advance(24 * time.Hour)
	s.run(cancelled)
	s.run(s.unanswered)
	s.Clock.Advance(time.Second)
	p, err := s.App.Store.Payout(t.Context(), s.Tenant(), cancelled)
	if err != nil || p.Status != payout.Failed || p.Reason != bank.Cancelled.Reason {
		t.Fatalf("got %+v, %v, want it failed with %s", p, err, bank.Cancelled.Reason)
	}
	if r := s.reconcile(); r.Found != 0 || r.Open != 0 || r.Payouts != 4 {
		t.Errorf("cancelled: got %+v, want no breaks, nothing open and 4 payouts", r)
	}
	s.addLine(cancelled, p.Total.String(), false)
	r := s.reconcile()
	if diff := cmp.Diff([]reconcile.BreakKind{reconcile.BankDiffers, "bank_line_unexpected"},
		sortedKinds(r)); diff != "" || !hasBreakAbout(r, cancelled) {
		t.Errorf("paid all the same: -want +got:\n%s\n%+v", diff, r.Breaks)
	}
}

// Partitions of a payout, its entries and its transfer.
func (s *shop) transferOf(payout string) string { return "SANDBOX#TRANSFER#" + payout }

func (s *shop) payoutJournal(payout string) string {
	return "JOURNAL#" + s.Tenant().String() + "#" + payout
}

func (s *shop) payout(id string) string { return "PAYOUT#" + s.Tenant().String() + "#" + id }

// TestRun_EachCorruptionOfPayoutsAndBank changes one record at a time and checks that the report has exactly the
// expected kinds of breaks.
func TestRun_EachCorruptionOfPayoutsAndBank(t *testing.T) {
	t.Parallel()
	const missing, unexpected, differs, duplicate = "bank_line_missing", "bank_line_unexpected", "bank_line_differs",
		"bank_line_duplicate"
	for name, test := range map[string]struct {
		corrupt func(*bankShop)
		want    []reconcile.BreakKind
		about   func(*bankShop) string // the id that a break must name; nil: any
	}{
		"a bank line is gone": {func(s *bankShop) { s.drop(s.readItem(s.transferOf(s.out), "STATEMENT_LINE#")) },
			[]reconcile.BreakKind{missing, reconcile.BankDiffers}, func(s *bankShop) string { return s.out }},
		"a bank line has another amount": {func(s *bankShop) {
			s.change(s.readItem(s.transferOf(s.out), "STATEMENT_LINE#"), "amount", amount("87.72"))
		},
			[]reconcile.BreakKind{differs, reconcile.BankDiffers}, func(s *bankShop) string { return s.out }},
		"the money left twice": {func(s *bankShop) { s.addLine(s.out, "87.73", false) },
			[]reconcile.BreakKind{duplicate, reconcile.BankDiffers}, func(s *bankShop) string { return s.out }},
		"the money of a payout that is paid came back": {func(s *bankShop) { s.addLine(s.out, "87.73", true) },
			[]reconcile.BreakKind{unexpected, reconcile.BankDiffers}, func(s *bankShop) string { return "return " + s.out }},
		"the bank has paid what it rejected": {func(s *bankShop) { s.addLine(s.rejected, "87.73", false) },
			[]reconcile.BreakKind{unexpected, reconcile.BankDiffers}, func(s *bankShop) string { return s.rejected }},
		"less came back than had left": {func(s *bankShop) {
			s.addLine(s.rejected, "87.73", false)
			s.addLine(s.rejected, "87.72", true)
		},
			[]reconcile.BreakKind{unexpected, unexpected, reconcile.BankDiffers}, nil},
		"a bank line of no payout": {func(s *bankShop) { s.addLine("0123456789abcdef0123456789abcdef", "1", false) },
			[]reconcile.BreakKind{unexpected, reconcile.BankDiffers}, func(*bankShop) string {
				return "0123456789abcdef0123456789abcdef"
			}},
		"a bank line of a transaction": {func(s *bankShop) { s.addLine(s.paid, "10.10", false) },
			[]reconcile.BreakKind{unexpected, reconcile.BankDiffers}, func(s *bankShop) string { return s.paid }},
		"a bank line under a name": {func(s *bankShop) { s.addLine("rent", "1000", false) },
			[]reconcile.BreakKind{unexpected, reconcile.BankDiffers}, func(*bankShop) string { return "rent" }},
		"a bank line of no tenant": {func(s *bankShop) {
			s.change(s.readItem(s.transferOf(s.out), "STATEMENT_LINE#"), "tenant", str(""))
		},
			[]reconcile.BreakKind{unexpected, missing, reconcile.BankDiffers, reconcile.BankDiffers}, nil},
		"another tenant's bank line": {func(s *bankShop) {
			s.change(s.readItem(s.transferOf(s.out), "STATEMENT_LINE#"), "tenant", str("T#"+s.Other.Code))
		}, []reconcile.BreakKind{unexpected, missing, reconcile.BankDiffers, reconcile.BankDiffers}, nil},
		"an unanswered payment is a day old": {func(s *bankShop) { s.Clock.Advance(25 * time.Hour) },
			[]reconcile.BreakKind{unexpected, reconcile.BankDiffers}, func(s *bankShop) string { return s.unanswered }},
		"an unanswered payment has another amount": {func(s *bankShop) {
			s.change(s.readItem(s.transferOf(s.unanswered), "STATEMENT_LINE#"), "amount", amount("49.03"))
		},
			[]reconcile.BreakKind{differs, reconcile.BankDiffers}, func(s *bankShop) string { return s.unanswered }},
		"an unanswered payment left twice": {func(s *bankShop) { s.addLine(s.unanswered, "49.02", false) },
			[]reconcile.BreakKind{duplicate, reconcile.BankDiffers}, func(s *bankShop) string { return s.unanswered }},
		"a sent payout's entry is gone": {func(s *bankShop) { s.drop(s.readItem(s.payoutJournal(s.unanswered), "payout#")) },
			[]reconcile.BreakKind{"entry_missing", reconcile.PayablesDiffer, reconcile.TransitDiffers},
			func(s *bankShop) string {
				return "payout " + s.unanswered
			}},
		"a paid payout's entry is gone": {func(s *bankShop) { s.drop(s.readItem(s.payoutJournal(s.out), "payout_paid#")) },
			[]reconcile.BreakKind{"entry_missing", reconcile.TransitDiffers, unexpected, reconcile.BankDiffers}, nil},
		"a paid payout's entry has another amount": {func(s *bankShop) {
			s.change(s.readItem(s.payoutJournal(s.out), "payout_paid#"), "postings",
				postings("payouts_in_transit", "87.70", "bank", "-87.70"))
		}, []reconcile.BreakKind{"entry_differs", reconcile.TransitDiffers, differs, reconcile.BankDiffers}, nil},
		"a paid payout's entry is of another account": {func(s *bankShop) {
			s.change(s.readItem(s.payoutJournal(s.out), "payout_paid#"), "postings",
				postings("payouts_in_transit", "87.73", "fee_income", "-87.73"))
		}, []reconcile.BreakKind{"entry_differs", unexpected, reconcile.BankDiffers}, nil},
		"a paid payout is recorded as sent": {func(s *bankShop) {
			s.change(s.readItem(s.payout(s.out), "PAYOUT"), "status", str("SENT"))
		},
			[]reconcile.BreakKind{"entry_unexpected", reconcile.TransitDiffers}, nil},
		"a sent payout is recorded as paid": {func(s *bankShop) {
			s.change(s.readItem(s.payout(s.unanswered), "PAYOUT"), "status", str("PAID"))
		},
			[]reconcile.BreakKind{"entry_missing", reconcile.TransitDiffers, unexpected, reconcile.BankDiffers}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newBankShop(t)
			test.corrupt(s)
			r := s.reconcile()
			for _, item := range s.before {
				s.put(item)
			}
			slices.Sort(test.want)
			if diff := cmp.Diff(test.want, sortedKinds(r)); diff != "" {
				t.Errorf("-want +got:\n%s\n%+v", diff, r.Breaks)
			}
			if test.about != nil && !hasBreakAbout(r, test.about(s)) {
				t.Errorf("got %+v, want one about %s", r.Breaks, test.about(s))
			}
		})
	}
}

// TestRun_ShortfallCarriedForward checks that a payout may carry its shortfall forward in one of its steps. Older
// payouts did so once they were complete.
func TestRun_ShortfallCarriedForward(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.PassMinute() // so that the outcome of the refund is known
	s.payOut("out", sandbox.PaidIBAN)
	s.refund(s.paid, "10.10")
	s.Clock.Advance(time.Second)
	payout := "carried#" + s.payOut("shortfall", sandbox.PaidIBAN)
	debit := s.readItem(s.payables(), "DEBIT#")
	s.drop(debit)
	for name, c := range map[string]struct {
		carried []string
		want    []reconcile.BreakKind
	}{
		"by a step":     {[]string{payout + "#1"}, []reconcile.BreakKind{}},
		"by the payout": {[]string{payout}, []reconcile.BreakKind{}},
		"nowhere":       {nil, []reconcile.BreakKind{"owed_differs", "payable_missing"}},
		"twice":         {[]string{payout + "#1", payout + "#2"}, []reconcile.BreakKind{"owed_differs", "payable_duplicate"}},
	} {
		var stored []map[string]types.AttributeValue
		for _, id := range c.carried {
			carried := maps.Clone(debit)
			carried["id"], carried["sk"] = str(id), str("DEBIT#"+id)
			s.put(carried)
			stored = append(stored, carried)
		}
		r := s.reconcile()
		if diff := cmp.Diff(c.want, sortedKinds(r)); diff != "" {
			t.Errorf("%s: -want +got:\n%s\n%+v", name, diff, r.Breaks)
		}
		for _, carried := range stored {
			s.drop(carried)
		}
	}
}
