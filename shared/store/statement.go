package store

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// StatementLine is a line of an acquirer's or a bank's statement. reconcile keeps it under the transaction, payout or
// settlement that the line is about. It is written once. Only a line with a Fault is replaced later.
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
	// Fault describes the rule of acquirer.Movement that the line broke when it was imported. Such a line counts nowhere.
	Fault string `dynamo:"fault,omitempty"`
	// ImportedAt is the time when the line was stored, and its entry written. ImportStatementLines sets it.
	ImportedAt time.Time `dynamo:"imported_at"`
}

func statementPartition(t identity.Tenant, subject string) string {
	return KindStatement.of(t, bounded(subject))
}

func statementKey(l StatementLine) key {
	return key{statementPartition(l.Tenant, l.Subject), bounded(l.Kind + "#" + bounded(l.LineID))}
}

// Bounded replaces text from a counterparty that is too long for a part of a key with the text's digest.
func Bounded(text string) string { return bounded(text) }

// importers is the number of lines that are written in parallel.
const importers = 16

// LineImport tells ImportStatementLines what belongs to lines.
type LineImport struct {
	// Note is called with lines before they are written, so that a repeat after an error notes them again.
	Note func(context.Context, []StatementLine) error
	// Entry returns the entry that a line posts, at its ImportedAt, or nil.
	Entry func(StatementLine) *ledger.Entry
}

// ImportStatementLines stores those of the lines that are not stored yet. A line without a Fault replaces the same line
// with a Fault. A line that posts an entry is stored in one transaction with the entry, and makes the next night prove
// its subject, as does each line that replaces another. A stored line whose entry is missing posts the entry again.
// Other writers may store the same lines at the same time. ImportStatementLines returns the latest ImportedAt of the
// lines as they are stored now. It may be later than now, because other writers have other clocks.
func (s *Store) ImportStatementLines(ctx context.Context, lines []StatementLine, with LineImport) (latest time.Time,
	err error) {
	writes, latest, err := s.lineWrites(ctx, lines, with)
	if err != nil || len(writes) == 0 {
		return latest, err
	}
	noted := make([]StatementLine, len(writes))
	for i, w := range writes {
		noted[i] = w.line
	}
	if err = with.Note(ctx, noted); err != nil {
		return latest, err
	}
	bySubject := map[key][]lineWrite{}
	for _, w := range writes {
		of := key{statementPartition(w.line.Tenant, w.line.Subject), ""}
		bySubject[of] = append(bySubject[of], w)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importers)
	var latestOf sync.Mutex
	for _, of := range slices.SortedFunc(maps.Keys(bySubject), key.compare) {
		group.Go(func() error {
			written, writeErr := s.writeLines(ctx, bySubject[of], with)
			latestOf.Lock()
			defer latestOf.Unlock()
			latest = later(latest, written)
			return writeErr
		})
	}
	err = group.Wait()
	return latest, err
}

// writeLines writes the lines of one subject one after another, so that no line is stored after a line with a later
// ImportedAt. Nights remember only the latest ImportedAt of a subject. writeLines returns this time.
func (s *Store) writeLines(ctx context.Context, writes []lineWrite, with LineImport) (latest time.Time, err error) {
	for _, w := range writes {
		if w.onlyEntry {
			err = s.postAgain(ctx, w.line, *with.Entry(w.line))
		} else {
			w.line.ImportedAt = s.now() // not the start of the import: a night that began meanwhile leaves it to the next
			w.line.ImportedAt, err = s.writeLine(ctx, w, with.Entry(w.line))
		}
		if err != nil {
			return latest, err
		}
		latest = later(latest, w.line.ImportedAt)
	}
	return latest, nil
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// lineWrite is a line that an import writes.
type lineWrite struct {
	line      StatementLine
	replaced  time.Time // ImportedAt of the stored line that the line replaces; zero: none
	onlyEntry bool      // the line is stored, but its entry is missing
}

// lineWrites reads the stored lines and their entries. It returns what is to be written, and the latest ImportedAt of
// the other lines.
func (s *Store) lineWrites(ctx context.Context, lines []StatementLine, with LineImport) (writes []lineWrite,
	latest time.Time, err error) {
	var wanted []key
	entries := map[key]key{} // by the line
	for _, l := range lines {
		wanted = append(wanted, statementKey(l))
		if e := with.Entry(l); e != nil {
			entries[statementKey(l)] = journalKey(l.Tenant, *e)
			wanted = append(wanted, journalKey(l.Tenant, *e))
		}
	}
	found, err := s.linesByKey(ctx, wanted, false)
	seen := map[key]bool{}
	for _, l := range lines {
		k := statementKey(l)
		if seen[k] {
			continue
		}
		seen[k] = true
		stored, isStored := found[k]
		_, isPosted := found[entries[k]]
		switch {
		case !isStored, stored.Fault != "" && l.Fault == "":
			writes = append(writes, lineWrite{line: l, replaced: stored.ImportedAt})
		case entries[k] != (key{}) && !isPosted && with.Entry(stored) != nil:
			writes = append(writes, lineWrite{line: stored, onlyEntry: true})
		default:
			latest = later(latest, stored.ImportedAt)
		}
	}
	return writes, latest, err
}

// linesByKey reads lines by their keys. It returns the zero line for an item that is no line, or cannot be read.
func (s *Store) linesByKey(ctx context.Context, wanted []key, consistent bool) (map[key]StatementLine, error) {
	return readIndexed(ctx, s.View, wanted, consistent, func(item dynamo.Item) (k key, l StatementLine) {
		_ = dynamo.UnmarshalItem(item, &k)
		if dynamo.UnmarshalItem(item, &l) != nil { // a proof reports it
			l = StatementLine{}
		}
		return k, l
	})
}

func (s *Store) linePut(w lineWrite) *dynamo.Put {
	put := s.table.Put(storedItem{key: statementKey(w.line), value: w.line})
	if w.replaced.IsZero() {
		return put.If("attribute_not_exists(pk)")
	}
	return put.If("imported_at = ?", w.replaced)
}

// writeLine stores a line with its entry, if the line posts one. If only the entry is stored, because the line was
// lost, writeLine stores the line with the entry's time, so that closings that have the line do not get it again.
// writeLine returns the line's ImportedAt. If another writer has stored the line, that is the other writer's.
func (s *Store) writeLine(ctx context.Context, w lineWrite, e *ledger.Entry) (importedAt time.Time, err error) {
	if e == nil && w.replaced.IsZero() {
		return s.importedAt(ctx, w.line, s.linePut(w).Run(ctx))
	}
	reopening := s.reopening(w.line.Tenant, w.line.Subject)
	if e != nil {
		err := s.db.WriteTx().Idempotent(true).Put(s.linePut(w)).Put(s.putEntry(w.line.Tenant, *e)).Update(reopening).Run(ctx)
		if !dynamo.IsCondCheckFailed(err) {
			return w.line.ImportedAt, err
		}
		entries, err := s.Entries(ctx, w.line.Tenant, e.About)
		if err != nil {
			return time.Time{}, err
		}
		posted, ok := find(entries, func(known ledger.Entry) bool { return known.Kind == e.Kind && known.ID == e.ID })
		if ok && posted.At.Before(w.line.ImportedAt) {
			w.line.ImportedAt = posted.At
		}
	}
	return s.importedAt(ctx, w.line, s.db.WriteTx().Idempotent(true).Put(s.linePut(w)).Update(reopening).Run(ctx))
}

// importedAt returns the ImportedAt of a line after a write of the line that returned err.
func (s *Store) importedAt(ctx context.Context, l StatementLine, err error) (time.Time, error) {
	if !dynamo.IsCondCheckFailed(err) {
		return l.ImportedAt, err
	}
	stored, err := s.linesByKey(ctx, []key{statementKey(l)}, true)
	return stored[statementKey(l)].ImportedAt, err
}

// postAgain posts the missing entry of a stored line.
func (s *Store) postAgain(ctx context.Context, l StatementLine, e ledger.Entry) error {
	tx := s.db.WriteTx().Idempotent(true).Put(s.putEntry(l.Tenant, e)).Update(s.reopening(l.Tenant, l.Subject))
	return ifRefused(tx.Run(ctx), nil)
}
