// Package reconcile compares all records of money for every tenant: transactions and their events, the journal, the
// payables, the payouts with their records, the reserves, and the statements of acquirers and banks. Call Run, which
// returns a Report of all breaks. Because Run reads the whole table, it also finds files whose objects have no entry
// (file.go).
//
// A proof is about one transaction, payout or settlement (proof.go). It reads everything about this subject by key: its
// events, its journal, its lines of statements, and the payables and records that these expect. Each item makes us
// expect lines of other items, and has lines that others expect (sides.go). The items are not read at one moment, so a
// difference is a break only if two readings agree on it. A proof does not depend on the size of the table.
//
// Lines of statements are stored in the table when they are imported (statement.go). So a proof needs no statement in
// memory. The line of a settlement posts its entry then (settlement.go). Nights and Run also check that settlements
// settle all movements (settled.go, package settlement).
//
// Run scans the table in segments (segment.go), and proves each transaction and payout that it finds. An item that no
// proof reads is not expected where it is, and is proven itself.
package reconcile

import (
	"context"
	"iter"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// BreakKind tells which records do not match, and how. A line may be missing, unexpected, different or duplicated. The
// kind of such a break is the line's kind (entry, payable, record, movement of the acquirer, bank_line) with a suffix,
// as in bank_line_missing.
type BreakKind string

// Kinds of breaks that are not about a single line.
const (
	Unreadable     BreakKind = "item_unreadable"  // an item of the table that cannot be read
	Misplaced      BreakKind = "item_misplaced"   // an item stored under another transaction's code
	Unbalanced     BreakKind = "entry_unbalanced" // an entry that does not sum to zero
	Orphan         BreakKind = "event_unexpected" // an event without its transaction
	SumsDiffer     BreakKind = "sums_differ"      // sums of a transaction differ from its events, payables or entries
	RefundStuck    BreakKind = "refund_stuck"     // a refund pending for more than a day
	ReserveDiffers BreakKind = "reserve_differs"  // a tenant's reserve differs from its pending refunds
	PayablesDiffer BreakKind = "owed_differs"     // a subject's merchant_payable differs from its payables
	TransitDiffers BreakKind = "transit_differs"  // a payout's payouts_in_transit differs from its state
	BankDiffers    BreakKind = "bank_differs"     // a payout's bank account differs from the bank's statement

	SettlementDiffers BreakKind = "settlement_differs" // a settlement differs from the movements until its day
	SettlementMissing BreakKind = "settlement_missing" // no settlement of a day's movements has come in time
)

// Suffixes of a line's kind.
const (
	missing    = "_missing"    // the line is expected, but does not exist
	unexpected = "_unexpected" // the line exists, but is not expected
	differs    = "_differs"    // the line exists, but is not as expected
	duplicate  = "_duplicate"  // the line exists more than once
)

// Break is one difference between records.
type Break struct {
	Tenant string    `json:"tenant"`
	Kind   BreakKind `json:"kind"`
	ID     string    `json:"id"` // of the record that the break is about, such as a transaction, entry or settlement
	Text   string    `json:"text"`
}

// openFor is the longest time that an outcome may be pending. An outcome that is pending for longer is a break.
const openFor = 24 * time.Hour

// Config has the sources of the records to reconcile.
type Config struct {
	Store     *store.Store
	Acquirers map[identity.Mode]acquirer.Acquirer
	Banks     map[identity.Mode]bank.Bank
}

// Run reconciles all records once. It writes only lines of statements with the entries of settlements, the directory of
// tenants, and subjects that the next night has to prove. If a read fails, Run returns an error and no result.
func Run(ctx context.Context, c Config) (Report, error) {
	r := newRun(c)
	r.book.acquirer = map[dayKey]store.Closing{}
	if err := r.importStatements(ctx, time.Time{}, time.Time{}); err != nil {
		return Report{}, err
	}
	group, parts := errgroup.WithContext(ctx)
	for segment := range segments {
		group.Go(func() error {
			_, _, err := r.proveSegment(parts, parts, segment, segments, store.ItemKey{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Report{}, err
	}
	if err := r.checkReserves(ctx); err != nil {
		return Report{}, err
	}
	r.checkSettled()
	report := newReport(r.began, r.book.counts, maps.Values(r.book.breaks))
	report.Tenants = len(r.book.tenants)
	return report, nil
}

// segments is the number of parts of the table that Run proves at the same time.
const segments = 8

// items walks a part of the table.
type items = iter.Seq2[store.ReconciledItem, error]

// run is one reconciliation.
type run struct {
	Config
	began      time.Time
	importedAt time.Time // the statements have all lines from before this time
	linesUntil time.Time // all imported lines have an ImportedAt until this time; set by importStatements
	book       *book
	listed     sync.Map // tenants that are in the directory
}

func newRun(c Config) *run {
	now := c.Store.Now()
	return &run{Config: c, began: now, importedAt: now, book: newBook()}
}
