package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// verdict is what one look at a suspect found.
type verdict struct {
	differences []Difference
	apart       sums // of those that are judged of whole tenants
	open        int  // movements and bookings that may be yet to be recorded
}

func (v *verdict) find(d *dossier, kind Kind, id, text string) {
	v.differences = append(v.differences, Difference{d.tenant.String(), kind, id, text})
}

// final says nothing is wrong, or the same as in the look before.
func (v verdict) final(before *verdict) bool {
	if len(v.differences) == 0 && v.apart == (sums{}) {
		return true
	}
	return before != nil && slices.Equal(v.differences, before.differences) && v.apart == before.apart
}

// pronounce takes a verdict into the report.
func (r *run) pronounce(d *dossier, v verdict) {
	for _, difference := range v.differences {
		r.find(difference)
	}
	r.report.Open += v.open
	if v.apart != (sums{}) {
		p := purse{d.tenant, d.currency()}
		of := r.leftovers.apart[p]
		for i, minor := range v.apart {
			of[i] += minor
		}
		r.leftovers.apart[p] = of
	}
}

// judge finds what is wrong with a suspect.
func (r *run) judge(d *dossier) verdict {
	var v verdict
	var calls, is []fact
	var total sums
	for _, e := range d.evidence {
		calls, is = append(calls, e.calls...), append(is, e.is...)
		for i, minor := range e.sums {
			total[i] += minor
		}
	}
	never := func(fact) bool { return false }
	v.compare(d, calls, is, never, never)
	r.judgeAlone(&v, d)
	for i, minor := range total {
		switch {
		case minor == 0:
		case i >= ofTenants:
			v.apart[i] = minor
		case i == countSum:
			v.find(d, SumsDiffer, d.id, fmt.Sprintf("%s: %d apart", sumNames[i], minor))
		case d.exists:
			v.find(d, SumsDiffer, d.id, sumNames[i]+": "+minorText(minor, d.currency())+" apart")
		}
	}
	if d.moves {
		r.judgeMovements(&v, d)
	}
	if d.booked {
		r.judgeBookings(&v, d)
	}
	return v
}

// judgeAlone looks at each item by itself.
func (r *run) judgeAlone(v *verdict, d *dossier) {
	if d.transaction != nil {
		if why := impossible(*d.transaction); why != "" {
			v.find(d, SumsDiffer, d.id, why)
		}
	}
	for _, e := range d.events {
		if !d.exists {
			v.find(d, Orphan, e.ID, fmt.Sprintf("%s of the transaction %s, which does not exist", e.Type, d.id))
		}
		if stuck(&e, r.began) {
			v.find(d, RefundStuck, e.ID, fmt.Sprintf("%s %s since %s", e.Amount, e.Amount.Currency(),
				e.CreatedAt.Format(time.RFC3339)))
		}
	}
}

// inFlight says a refund's outcome is not known; a deduction waits for no
// acquirer.
func inFlight(e payments.Event) bool { return e.Type == payments.RefundEvent && e.Open() }

// stuck says a refund has been in flight for too long.
func stuck(e *payments.Event, now time.Time) bool {
	return e != nil && inFlight(*e) && now.Sub(e.CreatedAt) > openFor
}

// impossible says what is wrong with a transaction by itself; "": nothing.
func impossible(t payments.Transaction) string {
	captured := t.Captured.Minor()
	switch {
	case captured != 0 && t.Status != payments.TransactionSuccessful:
		return "captured, and yet " + string(t.Status)
	case captured != 0 && captured != t.Amount.Minor():
		return "captured " + t.Captured.String() + " of " + t.Amount.String()
	case t.Refundable.Sign() < 0, t.Refunded.Sign() < 0, t.ChargedBack.Sign() < 0:
		return "refundable " + t.Refundable.String() + ", refunded " + t.Refunded.String() + ", charged back " +
			t.ChargedBack.String()
	default:
		return ""
	}
}

// judgeMovements compares the entries with the statement. An entry that was
// written since the statement was asked for may be ahead of it; and what moved
// a while ago may be about to be recorded.
func (r *run) judgeMovements(v *verdict, d *dossier) {
	var calls, is []fact
	ahead, moved := map[fact]bool{}, map[fact]time.Time{}
	for _, e := range d.entries {
		if f, ok := movementFor(e); ok {
			calls = append(calls, f)
			ahead[f] = !e.At.Before(d.statementAt)
		}
	}
	for _, m := range d.movements {
		f := movementIs(m)
		is = append(is, f)
		moved[f] = m.At
	}
	v.compare(d, calls, is, func(f fact) bool { return ahead[f] }, func(f fact) bool {
		fresh := r.began.Sub(moved[f]) <= openFor
		if fresh {
			v.open++
		}
		return fresh
	})
}

// compare finds facts that are called for and missing, unless they may be yet
// to come, and those that nothing calls for, unless what does may be.
func (v *verdict) compare(d *dossier, calls, is []fact, toCome, tooEarly func(fact) bool) {
	of := "; transaction " + payments.CodeOfID(d.id) + " " + d.id
	if d.odd {
		of = "; " + d.id
	}
	wanted, found := map[string]fact{}, map[string]bool{}
	for _, f := range calls {
		wanted[f.sort+" "+f.id] = f
	}
	for _, f := range is {
		key := f.sort + " " + f.id
		call, called := wanted[key]
		switch {
		case found[key]:
			v.find(d, Kind(f.sort+twice), f.id, f.text+", once more"+of)
		case !called && !tooEarly(f):
			v.find(d, Kind(f.sort+unfounded), f.id, f.text+of)
		case called && call.text != f.text:
			v.find(d, Kind(f.sort+differs), f.id, f.text+" instead of "+call.text+of)
		}
		found[key] = true
	}
	for _, f := range calls {
		if key := f.sort + " " + f.id; !found[key] && !toCome(f) {
			found[key] = true
			v.find(d, Kind(f.sort+missing), f.id, f.text+of)
		}
	}
}

// currency of the dossier's money; "": it has none.
func (d *dossier) currency() money.Currency {
	switch {
	case d.transaction != nil:
		return d.transaction.Amount.Currency()
	case d.payout != nil:
		return d.payout.Currency
	case len(d.entries) > 0 && len(d.entries[0].Postings) > 0:
		return d.entries[0].Postings[0].Amount.Currency()
	case len(d.bookings) > 0:
		return d.bookings[0].Amount.Currency()
	default:
		return d.waits
	}
}

// apartKinds are those of the sums that are judged of whole tenants.
var apartKinds = map[int]Kind{owedSum: OwedDiffers, transitSum: TransitDiffers, bankSum: BankDiffers}

// checkTenants looks at the sums of whole tenants.
func (r *run) checkTenants() {
	for _, p := range purses(r.leftovers.journals) {
		r.find(Difference{p.tenant.String(), BooksDiffer, p.tenant.Merchant,
			"the journal is off by " + minorText(r.leftovers.journals[p], p.currency)})
	}
	for _, p := range purses(r.leftovers.apart) {
		for i, off := range r.leftovers.apart[p] {
			if off != 0 {
				r.find(Difference{p.tenant.String(), apartKinds[i], p.tenant.Merchant,
					sumNames[i] + " are " + minorText(off, p.currency) + " apart"})
			}
		}
	}
}

// purses are those of a map, in order.
func purses[V any](of map[purse]V) []purse {
	var all []purse
	for p := range of {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b purse) int {
		return cmp.Or(cmp.Compare(a.tenant.String(), b.tenant.String()), cmp.Compare(a.currency, b.currency))
	})
	return all
}

// finished is the report with its totals.
func (r *run) finished() Report {
	l := r.leftovers
	r.report.Tenants = len(l.tenants)
	for key, minor := range l.totals {
		r.report.Totals = append(r.report.Totals, Total{key.account, key.currency, digits(minor, key.currency)})
	}
	slices.SortFunc(r.report.Totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Account, b.Account))
	})
	return r.report
}
