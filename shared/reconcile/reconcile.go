// Package reconcile compares all records of money for every tenant: transactions and their events, the journal, the
// payables, the payouts with their records, the reserves, and the statements of acquirers and banks. Call Run, which
// returns a Report of all breaks. Because Run reads the whole table, it also finds files whose objects have no entry
// (file.go).
//
// A first pass reads the statements, and then the whole table once, in parallel. For each transaction and payout it
// keeps three numbers: one for our own records, one for the acquirer's statement and one for the bank's statement. When
// one record makes us expect a line, the line is added. When another record has the line, it is subtracted. So matching
// lines cancel out (matcher.go). This takes about 100 bytes for each transaction or payout, or 1 GB for ten million.
// Pages are not kept. The first pass does not read everything at one moment, so a number that does not cancel out is
// only suspected. The suspects are read again, consistently and in full. A difference that two readings agree on is a
// break (recheck.go).
//
// The larger the table is, the longer a run takes, because a Scan reads the whole table.
package reconcile

import (
	"context"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// BreakKind tells which records do not match, and how. A line may be missing, unexpected, different or duplicated. The
// kind of such a break is the line's kind (entry, payable, record, movement of the acquirer, bank_line) with a suffix,
// as in bank_line_missing.
type BreakKind string

// Kinds of breaks that are not about a single line.
const (
	Unreadable        BreakKind = "item_unreadable"    // an item of the table that cannot be read
	Misplaced         BreakKind = "item_misplaced"     // an item stored under another transaction's code
	Unbalanced        BreakKind = "entry_unbalanced"   // an entry that does not sum to zero
	Orphan            BreakKind = "event_unexpected"   // an event without its transaction
	SumsDiffer        BreakKind = "sums_differ"        // sums of a transaction differ from its events, payables or entries
	RefundStuck       BreakKind = "refund_stuck"       // a refund pending for more than a day
	ReserveDiffers    BreakKind = "reserve_differs"    // a tenant's reserve differs from its pending refunds
	JournalUnbalanced BreakKind = "journal_unbalanced" // a tenant's journal does not sum to zero
	PayablesDiffer    BreakKind = "owed_differs"       // a tenant's merchant_payable differs from its payables
	TransitDiffers    BreakKind = "transit_differs"    // a tenant's payouts_in_transit differs from its sent payouts
	BankDiffers       BreakKind = "bank_differs"       // a tenant's bank account differs from the bank's statement
	Unchecked         BreakKind = "unchecked"          // more suspected breaks than can be checked
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
	ID     string    `json:"id"` // id of the transaction, event, entry, payable, payout, record, movement or transfer
	Text   string    `json:"text"`
}

// Total is the sum of an account over all tenants, as the first pass read it.
type Total struct {
	Account  string         `json:"account"`
	Currency money.Currency `json:"currency"`
	Amount   string         `json:"amount"` // in major units
}

// Report is the result of a reconciliation.
type Report struct {
	At           time.Time `json:"at"`
	Tenants      int       `json:"tenants"`
	Transactions int       `json:"transactions"`
	Entries      int       `json:"entries"`
	Payables     int       `json:"payables"`
	Payouts      int       `json:"payouts"`
	Files        int       `json:"files"`
	Movements    int       `json:"movements"`  // number of lines on the acquirers' statements
	BankLines    int       `json:"bank_lines"` // number of lines on the banks' statements
	Suspects     int       `json:"suspects"`   // subjects read again, mostly because they changed during the first pass
	Open         int       `json:"open"`       // number of refunds, charges and payouts with a pending outcome
	Totals       []Total   `json:"totals"`
	Found        int       `json:"found"`         // number of breaks
	FoundInTest  int       `json:"found_in_test"` // number of breaks in test mode
	Breaks       []Break   `json:"breaks"`        // the first maxBreaks
}

// maxBreaks keeps a report below the 6 MB that a function may return.
const maxBreaks = 5000

// openFor is the longest time that an outcome may be pending. An outcome that is pending for longer is a break.
const openFor = 24 * time.Hour

// Config has the sources of the records to reconcile.
type Config struct {
	Store     *store.View
	Acquirers map[identity.Mode]acquirer.Acquirer
	Banks     map[identity.Mode]bank.Bank
}

// Run reconciles all records once. It changes nothing. If a read fails, Run returns an error and no result.
func Run(ctx context.Context, c Config) (Report, error) {
	r := &run{Config: c, began: c.Store.Now(), matcher: newMatcher()}
	r.report.At = r.began
	if err := r.readAll(ctx); err != nil {
		return Report{}, err
	}
	suspects := r.matcher.collectSuspects()
	r.report.Suspects = len(suspects)
	if err := r.recheck(ctx, suspects); err != nil {
		return Report{}, err
	}
	if err := r.checkReserves(ctx); err != nil {
		return Report{}, err
	}
	r.checkTenants()
	return r.finish(), nil
}

// items walks a part of the table.
type items = iter.Seq2[store.ReconciledItem, error]

// run is one reconciliation.
type run struct {
	Config
	began   time.Time
	matcher *matcher
	report  Report
}

func (r *run) addBreak(b Break) {
	r.report.Found++
	if t, ok := identity.ParseTenant(b.Tenant); ok && t.Mode == identity.Test {
		r.report.FoundInTest++
	}
	if len(r.report.Breaks) < maxBreaks {
		r.report.Breaks = append(r.report.Breaks, b)
	}
}
