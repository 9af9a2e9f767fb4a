package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// judge finds what is wrong with a suspect.
func (r *run) judge(d *dossier) {
	var calls, is []fact
	var total sums
	for _, e := range d.evidence {
		calls, is = append(calls, e.calls...), append(is, e.is...)
		for i, minor := range e.sums {
			total[i] += minor
		}
	}
	r.compare(d, calls, is, func(fact) bool { return false }, func(fact) bool { return false })
	r.judgeAlone(d)
	for i, minor := range total {
		if minor != 0 && i != owedSum && d.transaction != nil {
			r.find(d.tenant, SumsDiffer, d.id, sumNames[i]+": "+minorText(minor, d.currency())+" apart")
		}
	}
	if owed := total[owedSum]; owed != 0 {
		r.ledger.owed[purse{d.tenant, d.currency()}] += owed
	}
	if d.moves {
		r.judgeMovements(d)
	}
}

// judgeAlone looks at each item by itself.
func (r *run) judgeAlone(d *dossier) {
	if d.transaction != nil {
		if why := impossible(*d.transaction); why != "" {
			r.find(d.tenant, SumsDiffer, d.id, why)
		}
	}
	for _, e := range d.events {
		if d.transaction == nil {
			r.find(d.tenant, Orphan, e.ID, fmt.Sprintf("%s of the transaction %s, which does not exist", e.Type, d.id))
		}
		if stuck(&e, r.began) {
			r.find(d.tenant, RefundStuck, e.ID, fmt.Sprintf("%s %s since %s", e.Amount, e.Amount.Currency(), e.CreatedAt.Format(time.RFC3339)))
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
	case captured != 0 && t.Status != payments.Successful:
		return "captured, and yet " + string(t.Status)
	case captured != 0 && captured != t.Amount.Minor():
		return "captured " + t.Captured.String() + " of " + t.Amount.String()
	case t.Refundable.Sign() < 0, t.Refunded.Sign() < 0, t.ChargedBack.Sign() < 0:
		return "refundable " + t.Refundable.String() + ", refunded " + t.Refunded.String() + ", charged back " + t.ChargedBack.String()
	default:
		return ""
	}
}

// judgeMovements compares the entries with the statement. An entry that was
// written since the statement was asked for may be ahead of it; and what moved
// a while ago may be about to be recorded.
func (r *run) judgeMovements(d *dossier) {
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
	r.compare(d, calls, is, func(f fact) bool { return ahead[f] }, func(f fact) bool {
		fresh := r.began.Sub(moved[f]) <= openFor
		if fresh {
			r.report.Open++
		}
		return fresh
	})
}

// compare finds facts that are called for and missing, unless they may be yet
// to come, and those that nothing calls for, unless what does may be.
func (r *run) compare(d *dossier, calls, is []fact, toCome, tooEarly func(fact) bool) {
	wanted := map[string]fact{}
	for _, f := range calls {
		wanted[f.sort+" "+f.id] = f
	}
	found := map[string]bool{}
	for _, f := range is {
		key := f.sort + " " + f.id
		call, called := wanted[key]
		switch {
		case found[key]:
			r.find(d.tenant, Kind(f.sort+twice), f.id, f.text+", once more"+r.of(d))
		case !called && !tooEarly(f):
			r.find(d.tenant, Kind(f.sort+unfounded), f.id, f.text+r.of(d))
		case called && call.text != f.text:
			r.find(d.tenant, Kind(f.sort+differs), f.id, f.text+" instead of "+call.text+r.of(d))
		}
		found[key] = true
	}
	for _, f := range calls {
		if key := f.sort + " " + f.id; !found[key] && !toCome(f) {
			found[key] = true
			r.find(d.tenant, Kind(f.sort+missing), f.id, f.text+r.of(d))
		}
	}
}

// of names the dossier's transaction.
func (r *run) of(d *dossier) string { return "; transaction " + payments.CodeOfID(d.id) + " " + d.id }

// currency of the dossier's money.
func (d *dossier) currency() money.Currency {
	switch {
	case d.transaction != nil:
		return d.transaction.Amount.Currency()
	case len(d.rows) > 0:
		return d.rows[0].Amount.Currency()
	case len(d.entries) > 0 && len(d.entries[0].Legs) > 0:
		return d.entries[0].Legs[0].Amount.Currency()
	default:
		return ""
	}
}

// checkTenants looks at the sums of whole tenants.
func (r *run) checkTenants() {
	for _, p := range purses(r.ledger.journals) {
		r.find(p.tenant, BooksDiffer, p.tenant.Merchant, "the journal is off by "+minorText(r.ledger.journals[p], p.currency))
	}
	for _, p := range purses(r.ledger.owed) {
		if off := r.ledger.owed[p]; off != 0 {
			r.find(p.tenant, OwedDiffers, p.tenant.Merchant, "merchant_payable and the rows that wait are "+minorText(off, p.currency)+" apart")
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
	l := r.ledger
	r.report.Tenants = len(l.tenants)
	for key, minor := range l.totals {
		r.report.Totals = append(r.report.Totals, Total{key.account, key.currency, digits(minor, key.currency)})
	}
	slices.SortFunc(r.report.Totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Account, b.Account))
	})
	return r.report
}
