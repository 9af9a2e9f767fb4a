package reconcile

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// bookingFor is the bank's booking that an entry calls for; false when it is
// none of its business. What was returned calls for none, and so the bank has
// none, or two that cancel out.
func bookingFor(v ledger.Entry) (fact, bool) {
	if v.Kind != ledger.PayoutPaid {
		return fact{}, false
	}
	for _, l := range v.Postings {
		if l.Account == ledger.Bank {
			return booking(v.ID, -l.Amount.Minor(), l.Amount.Currency()), true
		}
	}
	return fact{}, false
}

// evidenceFor the bank is what an entry says of our money there.
func evidenceFor(v ledger.Entry) evidence {
	var e evidence
	if f, ok := bookingFor(v); ok {
		e.calls = []fact{f}
	}
	e.sums[bankSum] = atBank(v)
	return e
}

// evidenceOfBooking: what came back takes away what had left.
func evidenceOfBooking(b bank.Booking) evidence {
	left := []fact{booking(b.ID, b.Amount.Minor(), b.Amount.Currency())}
	e := evidence{is: left}
	if b.Return {
		e = evidence{calls: left}
	}
	e.sums[bankSum] = leaves(b)
	return e
}

// bookingIs the bank's.
func bookingIs(b bank.Booking) fact {
	id := b.ID
	if b.Return {
		id = "return " + id
	}
	return booking(id, b.Amount.Minor(), b.Amount.Currency())
}

func booking(id string, minor int64, c money.Currency) fact {
	return fact{bookingFact, id, minorText(minor, c)}
}

// atBank is what an entry adds to our money at the bank, in minor units.
func atBank(v ledger.Entry) int64 {
	var sum int64
	for _, l := range v.Postings {
		if l.Account == ledger.Bank {
			sum += l.Amount.Minor()
		}
	}
	return sum
}

// leaves is what a booking takes from the bank, in minor units.
func leaves(b bank.Booking) int64 {
	if b.Return {
		return -b.Amount.Minor()
	}
	return b.Amount.Minor()
}

// noteBooking takes a line of the bank's statement into the leftovers.
func (r *run) noteBooking(t identity.Tenant, b bank.Booking) {
	l := r.leftovers
	r.report.Bookings++
	amount := b.Amount
	if !b.Return {
		amount = amount.Neg()
	}
	l.total(bankTotal, amount)
	if b.At.Before(r.began) { // as with movements
		l.add(l.subject(t, b.ID), evidenceOfBooking(b), ofBank)
	}
}

// judgeBookings compares the entries with the bank's statement, as
// judgeMovements does with the acquirer's. The bank may have paid what is
// ordered there before its answer is heard: that is open for a day. A booking
// for anything else is unfounded at once, because no order leaves before it is
// on the books.
func (r *run) judgeBookings(v *verdict, d *dossier) {
	var calls []fact
	ahead := map[fact]bool{}
	for _, e := range d.entries {
		if f, ok := bookingFor(e); ok {
			calls = append(calls, f)
			ahead[f] = !e.At.Before(d.statementAt)
		}
	}
	lines := d.bookings
	if len(calls) == 0 {
		lines = withoutReturned(lines)
	}
	is := make([]fact, len(lines))
	for i, b := range lines {
		is[i] = bookingIs(b)
		v.apart[bankSum] += leaves(b)
	}
	if p := d.payout; p != nil && p.Status == payout.Sent && r.fresh(lines) {
		ordered := booking(p.ID, p.Total.Minor(), p.Currency)
		calls, ahead[ordered] = append(calls, ordered), true
		if slices.Contains(is, ordered) {
			v.open++
			v.apart[bankSum] -= p.Total.Minor()
		}
	}
	for _, e := range d.entries {
		if f, ok := bookingFor(e); !ok || !ahead[f] || slices.Contains(is, f) {
			v.apart[bankSum] += atBank(e)
		}
	}
	v.compare(d, calls, is, func(f fact) bool { return ahead[f] }, func(fact) bool { return false })
}

// fresh says all was booked within the time in which an answer may be under
// way.
func (r *run) fresh(lines []bank.Booking) bool {
	return !slices.ContainsFunc(lines, func(b bank.Booking) bool { return r.began.Sub(b.At) > openFor })
}

// withoutReturned are the bookings without those that left and came back.
func withoutReturned(lines []bank.Booking) []bank.Booking {
	rest := slices.DeleteFunc(slices.Clone(lines), func(b bank.Booking) bool { return b.Return })
	for _, back := range lines {
		if !back.Return {
			continue
		}
		left := slices.IndexFunc(rest, func(b bank.Booking) bool { return !b.Return && b.Amount == back.Amount })
		if left < 0 {
			rest = append(rest, back)
		} else {
			rest = slices.Delete(rest, left, left+1)
		}
	}
	return rest
}
