package reconcile_test

import (
	"context"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// bankShop is a shop with a payout that was paid, one that was rejected, and one that the bank has paid without a word.
type bankShop struct {
	*shop
	out, rejected, silent string // their ids
}

func newBankShop(t *testing.T) *bankShop {
	t.Helper()
	s := &bankShop{shop: newShop(t)}
	s.Minute() // the refund is decided
	s.rejected = s.payOut("rejected", sandbox.ClosedIBAN)
	s.out = s.payOut("out", sandbox.PaidIBAN)
	s.Clock.Advance(time.Minute)
	s.run(s.out)
	s.pay("late", 50)
	s.Clock.Advance(time.Second)
	s.silent = s.payOut("silent", sandbox.SilentIBAN)
	for id, want := range map[string]payout.Status{
		s.rejected: payout.Failed, s.out: payout.Paid, s.silent: payout.Sent,
	} {
		if p, err := s.App.Store.Payout(t.Context(), s.tenant, id); err != nil || p.Status != want {
			t.Fatalf("the payout is %s, %v, want %s", p.Status, err, want)
		}
	}
	s.Clock.Advance(time.Second)
	return s
}

// payOut pays all that waits to an account.
func (s *shop) payOut(operation, iban string) string {
	s.Helper()
	payer := banking.Open(s.App)
	_, err := payer.ChangeMerchant(s.Context(), s.tenant.Merchant, func(m merchant.State) (merchant.State, error) {
		_, schedule := m.Payouts(s.tenant.Mode)
		schedule.To = merchant.BankAccount{ID: "a", Holder: "Shop", IBAN: iban, Status: merchant.BankAccountVerified}
		return m.WithPayouts(s.tenant.Mode, merchant.PayoutSettings{Period: merchant.Daily, OnDemand: true}, schedule), nil
	})
	if err != nil {
		s.Fatal(err)
	}
	planned, due, err := payer.OnDemand(s.Context(), s.tenant, operation)
	if err != nil || !due {
		s.Fatalf("%s: %t, %v", operation, due, err)
	}
	s.run(planned.ID)
	s.Clock.Advance(time.Second)
	return planned.ID
}

func (s *shop) run(payout string) {
	s.Helper()
	if _, err := banking.Open(s.App).Run(s.Context(), s.tenant, payout); err != nil {
		s.Fatal(err)
	}
}

// banks are the platform's, and what the test says was booked beside.
func (s *shop) banks() map[identity.Mode]bank.Bank {
	banks := maps.Clone(banking.Banks(s.App))
	banks[identity.Test] = also{banks[identity.Test], s.more}
	return banks
}

type also struct {
	bank.Bank
	more []bank.Booking
}

func (b also) Statement(ctx context.Context) iter.Seq2[bank.Booking, error] {
	return func(yield func(bank.Booking, error) bool) {
		for line, err := range b.Bank.Statement(ctx) {
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

// book adds a line to the bank's statement.
func (s *shop) book(id, of string, back bool) {
	s.more = append(s.more, bank.Booking{ID: id, Tenant: s.tenant.String(),
		Amount: money.MustParse(of, "EUR"), Return: back,
		At: s.Clock.Now().Add(-time.Second)})
}

func TestPayoutsAndTheBankAgree(t *testing.T) {
	t.Parallel()
	s := newBankShop(t)
	r := s.reconcile()
	// Silently booked: open.
	if r.Found != 0 || r.Payouts != 3 || r.Bookings != 2 || r.Open != 1 || r.Suspects != 1 {
		t.Fatalf("%+v", r)
	}
	for _, want := range []reconcile.Total{
		{Account: "bank", Currency: "EUR", Amount: "-87.73"}, {Account: "payouts_in_transit",
			Currency: "EUR", Amount: "-49.02"},
		{Account: "the bank's statement", Currency: "EUR", Amount: "-136.75"},
	} {
		if !slices.Contains(r.Totals, want) {
			t.Errorf("no %+v in %+v", want, r.Totals)
		}
	}
	// What left and came back is as good as never executed.
	s.book(s.rejected, "87.73", false)
	s.book(s.rejected, "87.73", true)
	if r = s.reconcile(); r.Found != 0 || r.Suspects != 1 || r.Bookings != 4 {
		t.Errorf("%+v", r)
	}
	// Once the bank has answered, nothing is open.
	s.Clock.Advance(time.Minute)
	s.run(s.silent)
	s.Clock.Advance(time.Second)
	if r = s.reconcile(); r.Found != 0 || r.Open != 0 || r.Suspects != 0 {
		t.Errorf("%+v", r)
	}
}

// TestACancelledOrderIsNoDifference: it leaves no line on the bank's statement; one that is there all the same is a difference.
func TestACancelledOrderIsNoDifference(t *testing.T) {
	t.Parallel()
	s := newBankShop(t)
	s.pay("untaken", 30)
	s.Clock.Advance(time.Second)
	cancelled := s.payOut("cancelled", sandbox.NotTakenIBAN)
	if r := s.reconcile(); r.Found != 0 || r.Open != 1 {
		t.Errorf("waiting: %+v", r)
	}
	s.Clock.Advance(24 * time.Hour)
	s.run(cancelled)
	s.run(s.silent)
	s.Clock.Advance(time.Second)
	p, err := s.App.Store.Payout(t.Context(), s.tenant, cancelled)
	if err != nil || p.Status != payout.Failed || p.Reason != bank.Cancelled.Reason {
		t.Fatalf("%+v, %v", p, err)
	}
	if r := s.reconcile(); r.Found != 0 || r.Open != 0 || r.Payouts != 4 {
		t.Errorf("cancelled: %+v", r)
	}
	s.book(cancelled, p.Total.String(), false)
	if r := s.reconcile(); r.Found != 2 || !slices.ContainsFunc(r.Differences, func(d reconcile.Difference) bool {
		return d.Kind == "booking_unfounded" && d.ID == cancelled
	}) {
		t.Errorf("paid all the same: %+v", r)
	}
}

// Where the books of a payout are.
func (s *shop) bookingsOf(payout string) string { return "SANDBOX#TRANSFER#" + payout }

func (s *shop) payoutJournal(payout string) string {
	return s.tenant.String() + "#JOURNAL#" + payout
}

func (s *shop) payout(id string) string { return s.tenant.String() + "#PAYOUT#" + id }

// TestEveryCorruptionOfPayoutsAndTheBankIsFoundAndNamed: the report has exactly these kinds.
func TestEveryCorruptionOfPayoutsAndTheBankIsFoundAndNamed(t *testing.T) {
	t.Parallel()
	const missing, unfounded, differs, twice = "booking_missing", "booking_unfounded", "booking_differs", "booking_twice"
	for name, test := range map[string]struct {
		corrupt func(*bankShop)
		want    []reconcile.Kind
		about   func(*bankShop) string // the id that some difference names; nil: any
	}{
		"a booking is gone": {func(s *bankShop) { s.drop(s.item(s.bookingsOf(s.out), "BOOKING#")) },
			[]reconcile.Kind{missing, reconcile.BankDiffers}, func(s *bankShop) string { return s.out }},
		"a booking has another amount": {func(s *bankShop) {
			s.change(s.item(s.bookingsOf(s.out), "BOOKING#"), "amount", amount("87.72"))
		},
			[]reconcile.Kind{differs, reconcile.BankDiffers}, func(s *bankShop) string { return s.out }},
		"the money left twice": {func(s *bankShop) { s.book(s.out, "87.73", false) },
			[]reconcile.Kind{twice, reconcile.BankDiffers}, func(s *bankShop) string { return s.out }},
		"the money of a payout that is paid came back": {func(s *bankShop) { s.book(s.out, "87.73", true) },
			[]reconcile.Kind{unfounded, reconcile.BankDiffers}, func(s *bankShop) string { return "return " + s.out }},
		"the bank has paid what it rejected": {func(s *bankShop) { s.book(s.rejected, "87.73", false) },
			[]reconcile.Kind{unfounded, reconcile.BankDiffers}, func(s *bankShop) string { return s.rejected }},
		"less came back than had left": {func(s *bankShop) {
			s.book(s.rejected, "87.73", false)
			s.book(s.rejected, "87.72", true)
		},
			[]reconcile.Kind{unfounded, unfounded, reconcile.BankDiffers}, nil},
		"a booking of no payout": {func(s *bankShop) { s.book("0123456789abcdef0123456789abcdef", "1", false) },
			[]reconcile.Kind{unfounded, reconcile.BankDiffers}, func(*bankShop) string {
				return "0123456789abcdef0123456789abcdef"
			}},
		"a booking of a transaction": {func(s *bankShop) { s.book(s.paid, "10.10", false) },
			[]reconcile.Kind{unfounded, reconcile.BankDiffers}, func(s *bankShop) string { return s.paid }},
		"a booking under a name": {func(s *bankShop) { s.book("rent", "1000", false) },
			[]reconcile.Kind{unfounded, reconcile.BankDiffers}, func(*bankShop) string { return "rent" }},
		"a booking of nobody": {func(s *bankShop) { s.change(s.item(s.bookingsOf(s.out), "BOOKING#"), "tenant", str("")) },
			[]reconcile.Kind{unfounded, missing, reconcile.BankDiffers, reconcile.BankDiffers}, nil},
		"another tenant's booking": {func(s *bankShop) {
			s.change(s.item(s.bookingsOf(s.out), "BOOKING#"), "tenant", str("T#"+s.Other.Code))
		}, []reconcile.Kind{unfounded, missing, reconcile.BankDiffers, reconcile.BankDiffers}, nil},
		"an unheard payment is a day old": {func(s *bankShop) { s.Clock.Advance(25 * time.Hour) },
			[]reconcile.Kind{unfounded, reconcile.BankDiffers}, func(s *bankShop) string { return s.silent }},
		"an unheard payment has another amount": {func(s *bankShop) {
			s.change(s.item(s.bookingsOf(s.silent), "BOOKING#"), "amount", amount("49.03"))
		},
			[]reconcile.Kind{differs, reconcile.BankDiffers}, func(s *bankShop) string { return s.silent }},
		"an unheard payment left twice": {func(s *bankShop) { s.book(s.silent, "49.02", false) },
			[]reconcile.Kind{twice, reconcile.BankDiffers}, func(s *bankShop) string { return s.silent }},
		"an order's entry is gone": {func(s *bankShop) { s.drop(s.item(s.payoutJournal(s.silent), "payout#")) },
			[]reconcile.Kind{"entry_missing", reconcile.OwedDiffers, reconcile.TransitDiffers}, func(s *bankShop) string {
				return "payout " + s.silent
			}},
		"a paid payout's entry is gone": {func(s *bankShop) { s.drop(s.item(s.payoutJournal(s.out), "payout_paid#")) },
			[]reconcile.Kind{"entry_missing", reconcile.TransitDiffers, unfounded, reconcile.BankDiffers}, nil},
		"a paid payout's entry has another amount": {func(s *bankShop) {
			s.change(s.item(s.payoutJournal(s.out), "payout_paid#"), "postings",
				postings("payouts_in_transit", "87.70", "bank", "-87.70"))
		}, []reconcile.Kind{"entry_differs", reconcile.TransitDiffers, differs, reconcile.BankDiffers}, nil},
		"a paid payout's entry is of another account": {func(s *bankShop) {
			s.change(s.item(s.payoutJournal(s.out), "payout_paid#"), "postings",
				postings("payouts_in_transit", "87.73", "fee_income", "-87.73"))
		}, []reconcile.Kind{"entry_differs", unfounded, reconcile.BankDiffers}, nil},
		"a paid payout stands as sent": {func(s *bankShop) {
			s.change(s.item(s.payout(s.out), "PAYOUT"), "status", str("SENT"))
		},
			[]reconcile.Kind{"entry_unfounded", reconcile.TransitDiffers}, nil},
		"a sent payout stands as paid": {func(s *bankShop) {
			s.change(s.item(s.payout(s.silent), "PAYOUT"), "status", str("PAID"))
		},
			[]reconcile.Kind{"entry_missing", reconcile.TransitDiffers, unfounded, reconcile.BankDiffers}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newBankShop(t)
			test.corrupt(s)
			r := s.reconcile()
			for _, item := range s.before {
				s.put(item)
			}
			var kinds []reconcile.Kind
			for _, d := range r.Differences {
				kinds = append(kinds, d.Kind)
			}
			slices.Sort(kinds)
			slices.Sort(test.want)
			if !slices.Equal(kinds, test.want) {
				t.Errorf("%v, want %v: %+v", kinds, test.want, r.Differences)
			}
			if test.about != nil && !slices.ContainsFunc(r.Differences, func(d reconcile.Difference) bool {
				return d.ID == test.about(s)
			}) {
				t.Errorf("none about %s: %+v", test.about(s), r.Differences)
			}
		})
	}
}

// TestWhatAPayoutLacksIsCarriedForwardOnce, by the last of its steps; older payouts did it when they were complete.
func TestWhatAPayoutLacksIsCarriedForwardOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Minute() // the refund is decided
	s.payOut("out", sandbox.PaidIBAN)
	s.refund(s.paid, "10.10")
	s.Clock.Advance(time.Second)
	payout := "carried#" + s.payOut("lacking", sandbox.PaidIBAN)
	row := s.item(s.rows(), "DEBIT#")
	s.drop(row)
	for name, c := range map[string]struct {
		waiting []string
		found   []reconcile.Kind
	}{
		"by a step":     {[]string{payout + "#1"}, nil},
		"by the payout": {[]string{payout}, nil},
		"nowhere":       {nil, []reconcile.Kind{"owed_differs", "row_missing"}},
		"twice":         {[]string{payout + "#1", payout + "#2"}, []reconcile.Kind{"owed_differs", "row_twice"}},
	} {
		var waiting []map[string]types.AttributeValue
		for _, id := range c.waiting {
			carried := maps.Clone(row)
			carried["id"], carried["sk"] = str(id), str("DEBIT#"+id)
			s.put(carried)
			waiting = append(waiting, carried)
		}
		var found []reconcile.Kind
		r := s.reconcile()
		for _, d := range r.Differences {
			found = append(found, d.Kind)
		}
		if slices.Sort(found); !slices.Equal(found, c.found) {
			t.Errorf("%s: %+v", name, r.Differences)
		}
		for _, carried := range waiting {
			s.drop(carried)
		}
	}
}
