package reconcile

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// segments of the table are read at the same time.
const segments = 8

// Names of totals that are no accounts.
const (
	rowsTotal     = "rows that wait for payouts"
	acquirerTotal = "the acquirer's statement"
	bankTotal     = "the bank's statement"
)

// pass reads all books once. The statements come first, so that what they tell
// was recorded by the time the table is read, unless it is under way.
func (r *run) pass(ctx context.Context) error {
	if err := r.movements(ctx, r.noteMovement); err != nil {
		return err
	}
	if err := r.bookings(ctx, r.noteBooking); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for segment := range segments {
		group.Go(func() error {
			for a, err := range r.Store.Audit(ctx, segment, segments) {
				if err != nil {
					return err
				}
				r.note(a)
			}
			return nil
		})
	}
	return group.Wait()
}

// noteMovement takes a line of a statement into the leftovers.
func (r *run) noteMovement(t identity.Tenant, m acquirer.Movement) {
	l := r.leftovers
	r.report.Movements++
	amount := m.Amount
	if m.Kind != acquirer.Capture {
		amount = amount.Neg()
	}
	l.total(acquirerTotal, amount)
	if m.At.Before(r.began) { // later ones are for the next time, as their entries are
		l.add(l.subject(t, m.ChargeID), evidence{is: []fact{movementIs(m)}}, ofAcquirer)
	}
}

// note takes an item of the table into the leftovers.
func (r *run) note(a store.Audited) {
	r.leftovers.mu.Lock()
	defer r.leftovers.mu.Unlock()
	switch {
	case a.Broken != "":
		r.find(Difference{a.Tenant.String(), Unreadable, a.Name, a.Broken})
		return
	case a.Held != nil:
		r.noteHeld(a.Tenant, *a.Held)
		return
	}
	r.count(a)
	if id := transactionOf(a); id != "" && (a.Name != payments.CodeOfID(id) ||
		a.Transaction != nil && a.Transaction.Code != a.Name) {
		r.find(Difference{a.Tenant.String(), Misplaced, id, "stands under the code " + a.Name + ", not " +
			payments.CodeOfID(id)})
		return
	}
	for _, e := range evidenceOf(a) {
		s := r.leftovers.subject(a.Tenant, e.about)
		r.leftovers.add(s, e, ofBooks)
		if a.Entry != nil && a.Entry.At.Before(r.began) {
			if f, ok := movementFor(*a.Entry); ok {
				r.leftovers.add(s, evidence{calls: []fact{f}}, ofAcquirer)
			}
			r.leftovers.add(s, evidenceFor(*a.Entry), ofBank)
		}
		if stuck(a.Event, r.began) || (a.Transaction != nil && impossible(*a.Transaction) != "") {
			r.leftovers.marked[s] = true
		}
	}
}

// transactionOf is the id of the transaction under whose code the item must
// stand; "": it stands elsewhere.
func transactionOf(a store.Audited) string {
	switch {
	case a.Transaction != nil:
		return a.Transaction.ID
	case a.Event != nil:
		return a.Event.TransactionID
	case a.Entry != nil && a.Entry.About.Subject == ledger.Transactions:
		return a.Entry.About.ID
	default:
		return ""
	}
}

// count adds the item to the totals, and checks what needs no other item.
// Entries are never changed, so a bad one needs no second look.
func (r *run) count(a store.Audited) {
	switch {
	case a.Transaction != nil:
		r.report.Transactions++
	case a.Event != nil && inFlight(*a.Event):
		r.report.Open++
		r.noteOpen(a.Tenant, *a.Event)
	case a.Payable != nil:
		r.report.Rows++
		r.leftovers.total(rowsTotal, a.Payable.Amount)
		r.leftovers.currencies[purse{a.Tenant, a.Payable.Amount.Currency()}] = true
	case a.Payout != nil:
		r.report.Payouts++
	case a.Entry != nil:
		r.report.Entries++
		if err := a.Entry.Check(); err != nil {
			kind := Unbalanced
			if errors.Is(err, ledger.ErrSubject) {
				kind = Misplaced
			}
			r.find(Difference{a.Tenant.String(), kind, a.Entry.ID, err.Error()})
		}
		for _, posting := range a.Entry.Postings {
			r.leftovers.total(string(posting.Account), posting.Amount)
			p := purse{a.Tenant, posting.Amount.Currency()}
			if r.leftovers.journals[p] += posting.Amount.Minor(); r.leftovers.journals[p] == 0 {
				delete(r.leftovers.journals, p)
			}
		}
	}
}
