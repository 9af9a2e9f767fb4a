package reconcile

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// addAll adds the items of a walk to the reading.
func (s *reading) addAll(all items) error {
	for a, err := range all {
		if err != nil {
			return err
		}
		s.add(a)
	}
	return nil
}

// addDebits adds the debits of a walk that are about the subject, and their ids to the given set.
func (s *reading) addDebits(all items, ids map[string]bool) error {
	for a, err := range all {
		switch {
		case err != nil:
			return err
		case a.Payable != nil && aboutPayable(*a.Payable) == s.id:
			ids[a.Payable.ID] = true
			s.add(a)
		}
	}
	return nil
}

// addRecords adds the records of payables to the reading, given their ids, in payouts from a day on. It looks for a
// payable until found returns true for one of its records.
func (s *reading) addRecords(ctx context.Context, from string, ids map[string]bool,
	found func(payout.Record) bool) error {
	if len(ids) == 0 {
		return nil
	}
	for a, err := range s.store.MoneyOfPayables(ctx, s.tenant, from, ids) {
		if err != nil {
			return err
		}
		s.add(a)
		if a.Record != nil && found(*a.Record) {
			delete(ids, a.Record.ID)
		}
	}
	return nil
}

// add adds an item to the reading if the item is about the subject, and the breaks of the item alone.
func (s *reading) add(a store.ReconciledItem) {
	if read, isExtra := s.extrasRead[a.Key]; isExtra {
		if read {
			return
		}
		s.extrasRead[a.Key] = true
	}
	var fits bool
	if s.breaks, fits = appendItemBreaks(s.breaks, a); !fits {
		return
	}
	if a.Line != nil && a.Line.Subject == s.id {
		s.lines = append(s.lines, *a.Line)
	}
	for _, item := range sidesOf(a) {
		if item.about != s.id {
			continue
		}
		s.expected, s.actual = append(s.expected, item.expected...), append(s.actual, item.actual...)
		for i, minor := range item.sums {
			s.sums[i] += minor
		}
		switch {
		case a.Transaction != nil:
			s.exists, s.transaction = true, a.Transaction
		case a.Payout != nil:
			s.exists, s.payout = true, a.Payout
		case a.Event != nil:
			s.events = append(s.events, *a.Event)
		case a.Entry != nil:
			s.entries = append(s.entries, *a.Entry)
		case a.Payable != nil:
			s.payablesIn = a.Payable.Amount.Currency()
		}
	}
}

// appendItemBreaks makes the checks that need no other item. It returns false if the item can be used for nothing else.
func appendItemBreaks(breaks []Break, a store.ReconciledItem) ([]Break, bool) {
	tenant := a.Tenant.String()
	if a.Broken != "" {
		return append(breaks, Break{tenant, Unreadable, a.Name, a.Broken}), false
	}
	if a.Entry != nil {
		if err := a.Entry.Check(); err != nil {
			kind := Unbalanced
			if errors.Is(err, ledger.ErrSubject) {
				kind = Misplaced
			}
			breaks = append(breaks, Break{tenant, kind, a.Entry.ID, err.Error()})
		}
	}
	if id := transactionOf(a); id != "" && (a.Name != payments.CodeOfID(id) ||
		a.Transaction != nil && a.Transaction.Code != a.Name) {
		return append(breaks, Break{tenant, Misplaced, id, "is stored under the code " + a.Name + ", not " +
			payments.CodeOfID(id)}), false
	}
	return breaks, true
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
