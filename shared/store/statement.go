package store

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
)

// StatementLine is a line of an acquirer's or a bank's statement. reconcile keeps it beside the transaction or payout
// that the line is about. It is written once, and never changed.
type StatementLine struct {
	Tenant  identity.Tenant `dynamo:"tenant"`  // as the counterparty names it, so there may be no such tenant
	Subject string          `dynamo:"subject"` // id of the charge or transfer, so of the transaction or payout
	Kind    string          `dynamo:"kind"`    // of the movement; a bank's payment or return
	LineID  string          `dynamo:"line_id"` // the counterparty's own id of the line
	ID      string          `dynamo:"id"`      // of what moved the money
	Amount  money.Amount    `dynamo:"amount"`  // greater than zero, except in a settlement (acquirer.Movement)
	At      time.Time       `dynamo:"at"`
	// Fee, Reserve and AvailableOn are set only in lines of acquirers, as in acquirer.Movement.
	Fee         money.Amount `dynamo:"fee,omitempty"`
	Reserve     money.Amount `dynamo:"reserve,omitempty"`
	AvailableOn string       `dynamo:"available_on,omitempty"` // YYYY-MM-DD
	// ImportedAt is the time of the run that found the line first.
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

// ImportStatementLines stores those of the lines that are not stored yet. It first calls note with them, so that a
// repeat after an error notes them again. Other writers may store the same lines at the same time.
func (s *Store) ImportStatementLines(ctx context.Context, lines []StatementLine,
	note func(context.Context, []StatementLine) error) error {
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
	if err := note(ctx, missing); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importers)
	for _, l := range missing {
		group.Go(func() error {
			put := s.table.Put(storedItem{key: statementKey(l), value: l}).If("attribute_not_exists(pk)")
			return ifRefused(put.Run(ctx), nil)
		})
	}
	return group.Wait()
}
