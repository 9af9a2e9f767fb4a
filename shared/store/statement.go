package store

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// StatementLine is a line of an acquirer's or a bank's statement. reconcile keeps it under the transaction, payout or
// settlement that the line is about. It is written once, and never changed.
type StatementLine struct {
	Tenant  identity.Tenant `dynamo:"tenant"`  // as the counterparty names it, so there may be no such tenant
	Subject string          `dynamo:"subject"` // id of the transaction, payout or settlement
	Kind    string          `dynamo:"kind"`    // of the movement; a bank's payment or return
	LineID  string          `dynamo:"line_id"` // the counterparty's own id of the line
	ID      string          `dynamo:"id"`      // of the charge, refund, chargeback, transfer or settlement
	Amount  money.Amount    `dynamo:"amount"`  // as in acquirer.Movement; a bank's is greater than zero
	At      time.Time       `dynamo:"at"`
	// Fee, Reserve and AvailableOn are set only in lines of acquirers, as in acquirer.Movement.
	Fee         money.Amount `dynamo:"fee,omitempty"`
	Reserve     money.Amount `dynamo:"reserve,omitempty"`
	AvailableOn string       `dynamo:"available_on,omitempty"` // YYYY-MM-DD
	// ImportedAt is the time when the line was stored, and its entry written. ImportStatementLines sets it.
	ImportedAt time.Time `dynamo:"imported_at"`
}

func statementPartition(t identity.Tenant, subject string) string {
	return KindStatement.of(t, bounded(subject))
}

func statementKey(l StatementLine) key {
	return key{statementPartition(l.Tenant, l.Subject), l.Kind + "#" + bounded(l.LineID)}
}

// importers is the number of lines that are written in parallel.
const importers = 16

// LineImport tells ImportStatementLines what belongs to new lines.
type LineImport struct {
	// Note is called with new lines before they are stored, so that a repeat after an error notes them again.
	Note func(context.Context, []StatementLine) error
	// Entry returns the entry that a line posts, at its ImportedAt, or nil.
	Entry func(StatementLine) *ledger.Entry
}

// ImportStatementLines stores those of the lines that are not stored yet. A line that posts an entry is stored in one
// transaction with the entry, and makes the next night prove its subject. Other writers may store the same lines at the
// same time.
func (s *Store) ImportStatementLines(ctx context.Context, lines []StatementLine, with LineImport) error {
	wanted := make([]key, len(lines))
	for i, l := range lines {
		wanted[i] = statementKey(l)
	}
	known, err := readIndexed(ctx, s.View, wanted, false, func(k key) (key, bool) { return k, true })
	if err != nil {
		return err
	}
	var missing []StatementLine
	for i, l := range lines {
		if !known[wanted[i]] {
			known[wanted[i]] = true
			missing = append(missing, l)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := with.Note(ctx, missing); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importers)
	for _, l := range missing {
		group.Go(func() error {
			l.ImportedAt = s.now() // not the start of the import: a night that began meanwhile leaves the line to the next
			if e := with.Entry(l); e != nil {
				return s.postLine(ctx, l, *e)
			}
			return s.putLine(ctx, l)
		})
	}
	return group.Wait()
}

func (s *Store) linePut(l StatementLine) *dynamo.Put {
	return s.table.Put(storedItem{key: statementKey(l), value: l}).If("attribute_not_exists(pk)")
}

func (s *Store) putLine(ctx context.Context, l StatementLine) error {
	return ifRefused(s.linePut(l).Run(ctx), nil)
}

// postLine stores a line with its entry. If only the entry is stored, because the line was lost, it stores the line
// with the entry's time, so that closings that have the line do not get it again.
func (s *Store) postLine(ctx context.Context, l StatementLine, e ledger.Entry) error {
	err := s.db.WriteTx().Idempotent(true).Put(s.linePut(l)).Put(s.putEntry(l.Tenant, e)).
		Update(s.reopening(l.Tenant, l.Subject)).Run(ctx)
	if !dynamo.IsCondCheckFailed(err) {
		return err
	}
	entries, err := s.Entries(ctx, l.Tenant, e.About)
	if err != nil {
		return err
	}
	posted, ok := find(entries, func(known ledger.Entry) bool { return known.Kind == e.Kind && known.ID == e.ID })
	if ok && posted.At.Before(l.ImportedAt) {
		l.ImportedAt = posted.At
	}
	err = s.db.WriteTx().Idempotent(true).Put(s.linePut(l)).Update(s.reopening(l.Tenant, l.Subject)).Run(ctx)
	return ifRefused(err, nil)
}
