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

// segments is the number of parts of the table that are read at the same time.
const segments = 8

// Names of the totals that are not ledger accounts.
const (
	payablesTotal = "payables"
	acquirerTotal = "the acquirer's statement"
	bankTotal     = "the bank's statement"
)

// readAll reads all statements and the whole table once. It reads the statements first. So when it reads the table,
// every line of a statement has its record, except a line whose outcome is pending.
func (r *run) readAll(ctx context.Context) error {
	if err := r.walkMovements(ctx, r.noteMovement); err != nil {
		return err
	}
	if err := r.walkBankLines(ctx, r.noteBankLine); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for segment := range segments {
		group.Go(func() error {
			return r.noteSegment(ctx, r.Store.ScanReconciled(ctx, segment, segments))
		})
	}
	return group.Wait()
}

// noteMovement adds a line of an acquirer's statement to the matcher.
func (r *run) noteMovement(t identity.Tenant, m acquirer.Movement) {
	l := r.matcher
	r.report.Movements++
	amount := m.Amount
	if m.Kind != acquirer.CaptureMovement {
		amount = amount.Neg()
	}
	l.addTotal(acquirerTotal, amount)
	if m.At.Before(r.began) { // later movements and their entries are left to the next run
		l.add(l.internSubject(t, m.ChargeID), sides{actual: []line{actualMovement(m)}}, acquirerComparison)
	}
}

// note adds an item of the table to the matcher.
func (r *run) note(a store.ReconciledItem) {
	r.matcher.mu.Lock()
	defer r.matcher.mu.Unlock()
	switch {
	case a.Broken != "":
		r.addBreak(Break{a.Tenant.String(), Unreadable, a.Name, a.Broken})
		return
	case a.Reserve != nil:
		r.noteReserve(a.Tenant, *a.Reserve)
		return
	}
	r.countAndCheck(a)
	if id := transactionOf(a); id != "" && (a.Name != payments.CodeOfID(id) ||
		a.Transaction != nil && a.Transaction.Code != a.Name) {
		r.addBreak(Break{a.Tenant.String(), Misplaced, id, "is stored under the code " + a.Name + ", not " +
			payments.CodeOfID(id)})
		return
	}
	for _, item := range sidesOf(a) {
		s := r.matcher.internSubject(a.Tenant, item.about)
		r.matcher.add(s, item, internalComparison)
		if a.Entry != nil && a.Entry.At.Before(r.began) {
			if l, ok := expectedMovement(*a.Entry); ok {
				r.matcher.add(s, sides{expected: []line{l}}, acquirerComparison)
			}
			r.matcher.add(s, bankSides(*a.Entry), bankComparison)
		}
		if isStuck(a.Event, r.began) || (a.Transaction != nil && contradiction(*a.Transaction) != "") {
			r.matcher.marked[s] = true
		}
	}
}

// transactionOf returns the id of the transaction under whose code the item must be stored, or "" for other items.
func transactionOf(a store.ReconciledItem) string {
	switch {
	case a.Transaction != nil:
		return a.Transaction.ID
	case a.Event != nil:
		return a.Event.TransactionID
	case a.Entry != nil && a.Entry.About.Subject == ledger.SubjectTransaction:
		return a.Entry.About.ID
	default:
		return ""
	}
}

// countAndCheck adds the item to the totals. It also makes the checks that need no other item. An entry never changes,
// so a bad entry need not be read again.
func (r *run) countAndCheck(a store.ReconciledItem) {
	switch {
	case a.Transaction != nil:
		r.report.Transactions++
	case a.Event != nil && isPending(*a.Event):
		r.report.Open++
		r.noteOpen(a.Tenant, *a.Event)
	case a.Payable != nil:
		r.report.Payables++
		r.matcher.addTotal(payablesTotal, a.Payable.Amount)
		r.matcher.currencies[balanceKey{a.Tenant, a.Payable.Amount.Currency()}] = true
	case a.Payout != nil:
		r.report.Payouts++
	case a.Entry != nil:
		r.report.Entries++
		if err := a.Entry.Check(); err != nil {
			kind := Unbalanced
			if errors.Is(err, ledger.ErrSubject) {
				kind = Misplaced
			}
			r.addBreak(Break{a.Tenant.String(), kind, a.Entry.ID, err.Error()})
		}
		for _, posting := range a.Entry.Postings {
			r.matcher.addTotal(string(posting.Account), posting.Amount)
			key := balanceKey{a.Tenant, posting.Amount.Currency()}
			if r.matcher.journals[key] += posting.Amount.Minor(); r.matcher.journals[key] == 0 {
				delete(r.matcher.journals, key)
			}
		}
	}
}
