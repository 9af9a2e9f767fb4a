package reconcile

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// epoch is a time before all entries.
var epoch = time.Unix(0, 0).UTC()

// provenCandidate is what a night has proven about a candidate.
type provenCandidate struct {
	candidate
	result
	from      time.Time                // closings had its entries from before this time
	linesFrom time.Time                // and its lines that were imported until then
	closings  map[dayKey]store.Closing // what it adds to them
	learned   store.ProvenSubject      // what the next nights must know about it; without an ID nothing
}

// proveCandidates proves candidates, several in parallel. It returns them in their order.
func (n *night) proveCandidates(ctx context.Context, chunk []candidate) ([]provenCandidate, error) {
	chunk, err := n.withoutFitting(ctx, chunk)
	if err == nil {
		chunk, err = n.identify(ctx, chunk)
	}
	if err != nil {
		return nil, err
	}
	all := make([]provenCandidate, len(chunk))
	group, parallel := errgroup.WithContext(ctx)
	group.SetLimit(provers)
	for i, c := range chunk {
		group.Go(func() error {
			found, err := n.prove(parallel, task{subject: subject{n.tenant, c.id}, primary: true,
				consistent: c.kind == openBefore})
			all[i] = provenCandidate{candidate: c, result: found}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := range all {
		n.conclude(&all[i])
	}
	return all, nil
}

// withoutFitting leaves out the parts of payouts whose transaction and record agree: a payout changes nothing else of a
// transaction. So most of them need one read instead of a proof.
func (n *night) withoutFitting(ctx context.Context, chunk []candidate) ([]candidate, error) {
	var keys []store.ItemKey
	for _, c := range chunk {
		if c.kind == partOfPayout {
			keys = append(keys, c.key)
		}
	}
	items, err := store.Reads{View: n.Store.View}.MoneyByKey(ctx, keys)
	expected := map[line]bool{}
	for _, a := range items {
		if a.Transaction != nil {
			for _, l := range transactionSides(*a.Transaction).expected {
				expected[l] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(chunk), func(c candidate) bool {
		if c.kind != partOfPayout || c.record.Status != payout.RecordSuccessful { // a failed part has become another one
			return false
		}
		return !slices.ContainsFunc(recordSides(*c.record)[1].actual, func(l line) bool { return !expected[l] })
	}), err
}

// identify finds the transactions of refunds and chargebacks, and what earlier nights remember. It drops candidates
// that come twice, but keeps each candidate of a transaction's creation, because only this candidate adds to the
// closings.
func (n *night) identify(ctx context.Context, chunk []candidate) ([]candidate, error) {
	var keys []store.ItemKey
	var ids []string
	for _, c := range chunk {
		if c.id == "" && c.key != (store.ItemKey{}) {
			keys = append(keys, c.key)
		}
	}
	events, err := store.Reads{View: n.Store.View}.MoneyByKey(ctx, keys)
	if err != nil {
		return nil, err
	}
	of := map[store.ItemKey]string{}
	for _, a := range events {
		if a.Event != nil {
			of[a.Key] = a.Event.TransactionID
		}
	}
	seen := map[string]bool{}
	var kept []candidate
	for _, c := range chunk {
		if c.id = cmp.Or(c.id, of[c.key]); c.id == "" || seen[c.id] && c.kind != createdSince {
			continue
		}
		seen[c.id] = true
		kept = append(kept, c)
		if c.kind != openBefore && c.kind != createdSince {
			ids = append(ids, c.id)
		}
	}
	remembered, err := n.Store.ProvenSubjects(ctx, n.tenant, ids)
	for i, c := range kept {
		if known, ok := n.subjects[subject{n.tenant, c.id}]; ok {
			kept[i].memory = known
		} else if c.kind != openBefore {
			kept[i].memory = remembered[c.id]
		}
	}
	return kept, err
}

// conclude decides what a proven candidate adds to the closings, and what is remembered about it. A subject with a
// break adds only its lines of statements until the break is mended. A line with a fault holds back no entry.
// Another run may store a line after the reading that it has stamped before linesUntil. So the night remembers the time
// of the last line that it has read.
func (n *night) conclude(p *provenCandidate) {
	until, linesUntil := n.proof.Until, n.proof.At
	isOpen := n.staysOpen(p)
	p.from, p.linesFrom = n.addedUntil(p)
	added := n.newAdds()
	switch {
	case n.isAddedElsewhere(p):
		if p.kind == openBefore {
			n.subtractLines(p)
		}
		return
	case p.isBroken():
		linesTo := added.addLines(p.reading, p.linesFrom, linesUntil)
		p.learned = n.remember(p.candidate, true, p.from, linesTo)
	case p.kind == partOfPayout:
		if isOpen {
			p.learned = n.remember(p.candidate, true, p.from, p.linesFrom)
		}
	default:
		added.addEntries(p.reading, p.from, until)
		linesTo := added.addLines(p.reading, p.linesFrom, linesUntil)
		if p.kind != createdSince || isOpen {
			p.learned = n.remember(p.candidate, isOpen, until, linesTo)
		}
	}
	p.closings = added.days
}

// isBroken returns true if the candidate has a break, or may have one.
func (p *provenCandidate) isBroken() bool { return p.changing || len(p.breaks) > 0 }

// staysOpen returns true if the next night must prove the candidate again.
func (n *night) staysOpen(p *provenCandidate) bool {
	s, until := p.reading, n.proof.Until
	switch {
	case p.isBroken(), p.open > 0, isYoung(s, until, n.proof.At):
		return true
	case !p.memory.ReopenedAt.Before(until): // its line may not be stored yet
		return true
	case p.kind == createdSince && mayLackLine(s, until):
		return true
	case slices.ContainsFunc(s.lines, isFaulty): // each night reports the line until it is replaced
		return true
	default:
		return s.payout != nil && !endedBefore(*s.payout, until)
	}
}

// mayLackLine returns true if the first reading of a new transaction may lack a line without a break. The reading may
// lag behind the import, which does not reopen new transactions. A pending transaction expects no line yet, and neither
// does an entry of the time until or later.
func mayLackLine(s *reading, until time.Time) bool {
	return s.transaction != nil && s.transaction.Status == payments.TransactionPending ||
		slices.ContainsFunc(s.entries, func(e ledger.Entry) bool { return !e.At.Before(until) })
}

// isFaulty returns true if the line counts nowhere.
func isFaulty(l store.StatementLine) bool { return faultOf(l) != "" }

// subtractLines subtracts a new transaction's lines, which earlier nights added before the transaction was recorded.
// The candidate of its creation adds lines and entries together. If that candidate belongs to the next night,
// subtractLines leaves the closings alone and keeps the subject open.
func (n *night) subtractLines(p *provenCandidate) {
	if p.memory.LinesTo.IsZero() {
		p.learned = n.remember(p.candidate, false, time.Time{}, time.Time{})
		return
	}
	if !p.reading.transaction.CreatedAt.Before(n.proof.Until) {
		p.learned = n.remember(p.candidate, true, p.memory.Closed, p.memory.LinesTo)
		return
	}
	added := n.newAdds()
	added.addLines(p.reading, epoch, p.memory.LinesTo)
	p.closings = map[dayKey]store.Closing{}
	for day, closing := range added.days {
		p.closings[day] = closing.Neg()
	}
	p.learned = n.remember(p.candidate, false, time.Time{}, time.Time{})
}

// isAddedElsewhere returns true if the candidate has nothing to add. Only the candidate of its creation adds a new
// transaction. A payout that had ended before this night, and about which nothing is remembered any more, was added by
// earlier nights.
func (n *night) isAddedElsewhere(p *provenCandidate) bool {
	switch s := p.reading; {
	case s.transaction != nil:
		return p.kind != createdSince && !s.transaction.CreatedAt.Before(n.since)
	case s.payout != nil:
		return p.memory.ID == "" && endedBefore(*s.payout, n.since)
	default:
		return false
	}
}

// addedUntil returns the times until which the closings have the entries and the lines of a candidate. A settlement is
// remembered while it is open, and for store.ProvenKept after a night has closed it. So if nothing is remembered at its
// reopening, an entry or line of this time before was never added, and an older one was added and forgotten.
func (n *night) addedUntil(p *provenCandidate) (entries, lines time.Time) {
	switch {
	case p.kind == createdSince:
		return epoch, epoch
	case !p.memory.Closed.IsZero():
		return p.memory.Closed, p.memory.LinesTo
	case !n.begun, p.reading.payout != nil && !endedBefore(*p.reading.payout, n.since):
		return epoch, epoch
	case p.kind == partOfPayout: // nothing but the payout has changed it
		return n.proof.Until, n.proof.At
	case p.reading.transaction == nil && p.reading.isSettlement(): // a payment may have an odd line of a settlement
		forgotten := p.memory.ReopenedAt.Add(-store.ProvenKept)
		return forgotten, forgotten
	default:
		return n.since, n.proof.LinesSince
	}
}

func (n *night) remember(c candidate, open bool, closed, linesTo time.Time) store.ProvenSubject {
	return store.ProvenSubject{Tenant: n.tenant, ID: c.id, Open: open, Closed: closed, LinesTo: linesTo,
		Reopened: c.memory.Reopened}
}

// adds collects what a subject adds to closings.
type adds struct {
	*night
	days map[dayKey]store.Closing
}

func (n *night) newAdds() adds { return adds{n, map[dayKey]store.Closing{}} }

// addEntries adds the entries of a subject from one time on and before another, and counts a transaction that failed in
// this time.
func (a adds) addEntries(s *reading, from, until time.Time) {
	within := func(at time.Time) bool { return !at.Before(from) && at.Before(until) }
	for _, e := range s.entries {
		if within(e.At) {
			a.entry(s, e)
			addCorrection(a.days, a.tenant, e)
		}
	}
	if t := s.transaction; t != nil && unsuccessful[t.Status] {
		if at := cmp.Or(t.ChangedAt, t.CreatedAt); within(at) {
			a.tally(at, t.Amount, t.PaymentType+" "+string(t.Status))
		}
	}
}

// addLines adds the lines of a subject that were imported after one time and until another. It returns the time of the
// last of these imports, or the first time if there is no line.
func (a adds) addLines(s *reading, after, until time.Time) (last time.Time) {
	last = after
	for _, l := range s.lines {
		if !l.ImportedAt.After(after) || l.ImportedAt.After(until) {
			continue
		}
		if !isFaulty(l) {
			a.tally(l.At, l.Amount, "statement "+l.Kind)
		}
		addMovement(a.days, l)
		if l.ImportedAt.After(last) {
			last = l.ImportedAt
		}
	}
	return last
}

// unsuccessful has the final statuses of transactions that move no money.
var unsuccessful = map[payments.TransactionStatus]bool{payments.TransactionFailed: true,
	payments.TransactionCancelled: true}

// entry adds the postings of an entry, and counts it under its method and kind: a payment as "card SUCCESSFUL", a
// payout as "payout payout_paid".
func (a adds) entry(s *reading, e ledger.Entry) {
	var moved money.Amount
	for i, p := range e.Postings {
		k := a.dayOf(e.At, p.Amount.Currency())
		a.days[k] = a.days[k].Add(store.Closing{Sums: map[string]int64{string(p.Account): p.Amount.Minor()}})
		if i == 0 || p.Account == ledger.AcquirerReceivable {
			moved = p.Amount
		}
	}
	if moved.Sign() < 0 {
		moved = moved.Neg()
	}
	name := string(e.Kind)
	if s.payout != nil {
		name = "payout " + name
	}
	if s.transaction != nil {
		name = s.transaction.PaymentType + " " + string(e.Kind)
		if e.Kind == ledger.Payment {
			name = s.transaction.PaymentType + " " + string(payments.TransactionSuccessful)
		}
	}
	a.tally(e.At, moved, name)
}

func (a adds) tally(at time.Time, amount money.Amount, name string) {
	k := a.dayOf(at, amount.Currency())
	a.days[k] = a.days[k].Add(store.Closing{Tallies: map[string]store.Tally{name: {Count: 1, Amount: amount.Minor()}}})
}

func (n *night) dayOf(at time.Time, c money.Currency) dayKey {
	k := dayKey{store.Series{Tenant: n.tenant, Currency: c}, n.day(at)}
	if !n.begun && at.Before(n.proof.Since) {
		k.day = store.OpeningDay
	}
	return k
}

// day returns the day of a time in the merchant's time zone.
func (n *night) day(at time.Time) string { return at.In(n.where).Format(time.DateOnly) }
