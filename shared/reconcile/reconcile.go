// Package reconcile compares every record of money with every other, for every tenant: transactions and their events,
// the journal, the payables, the payouts with their records, the reserves, and the statements of acquirers and banks.
// As it reads the whole table, it also looks for files without a way to their objects (file.go).
//
// A first pass reads the statements, then the whole table once, in parallel. For each transaction and payout it keeps
// three numbers: for our records, the acquirer's and the bank's statement. It adds each line that one record leads us
// to expect, and subtracts each that another has, so what matches cancels out (matcher.go). That takes about 100 bytes
// for each, 1 GB for ten million; pages are not kept. The pass is not atomic, so the rest is only suspected: those
// transactions and payouts are read again, consistently and in full, and what two readings agree on is a break
// (recheck.go).
//
// Time grows with the table, all of which a Scan reads.
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

// BreakKind says what does not match, and how. For lines that are missing, unexpected, different or duplicated it is
// the line's kind (entry, payable, record, movement of the acquirer, bank_line) with a suffix below, as in
// bank_line_missing.
type BreakKind string

// The kinds of breaks that are not of a single line.
const (
	Unreadable        BreakKind = "item_unreadable"    // an item of the table that cannot be read
	Misplaced         BreakKind = "item_misplaced"     // one stored under another transaction's code
	Unbalanced        BreakKind = "entry_unbalanced"   // an entry that does not sum to zero
	Orphan            BreakKind = "event_unexpected"   // an event without its transaction
	SumsDiffer        BreakKind = "sums_differ"        // a transaction against its events, payables and entries
	RefundStuck       BreakKind = "refund_stuck"       // pending for more than a day
	ReserveDiffers    BreakKind = "reserve_differs"    // a tenant's reserve against its pending refunds
	JournalUnbalanced BreakKind = "journal_unbalanced" // a tenant's journal does not sum to zero
	PayablesDiffer    BreakKind = "owed_differs"       // a tenant's merchant_payable against its payables
	TransitDiffers    BreakKind = "transit_differs"    // a tenant's payouts_in_transit against its sent payouts
	BankDiffers       BreakKind = "bank_differs"       // a tenant's bank account against the bank's statement
	Unchecked         BreakKind = "unchecked"          // more suspected breaks than can be checked
)

// The suffixes of a line's kind.
const (
	missing    = "_missing"    // expected, and not there
	unexpected = "_unexpected" // there, and not expected
	differs    = "_differs"    // there, and not as expected
	duplicate  = "_duplicate"  // there more than once
)

// Break is one thing that does not match.
type Break struct {
	Tenant string    `json:"tenant"`
	Kind   BreakKind `json:"kind"`
	ID     string    `json:"id"` // of the transaction, event, entry, payable, payout, record, movement or transfer
	Text   string    `json:"text"`
}

// Total is the sum of an account over all tenants, as the first pass read it.
type Total struct {
	Account  string         `json:"account"`
	Currency money.Currency `json:"currency"`
	Amount   string         `json:"amount"` // in major units
}

// Report is what a reconciliation found.
type Report struct {
	At           time.Time `json:"at"`
	Tenants      int       `json:"tenants"`
	Transactions int       `json:"transactions"`
	Entries      int       `json:"entries"`
	Payables     int       `json:"payables"`
	Payouts      int       `json:"payouts"`
	Files        int       `json:"files"`
	Movements    int       `json:"movements"`  // on the acquirers' statements
	BankLines    int       `json:"bank_lines"` // on the banks' statements
	Suspects     int       `json:"suspects"`   // read again, mostly because they changed during the first pass
	Open         int       `json:"open"`       // refunds, charges and payouts whose outcome is pending
	Totals       []Total   `json:"totals"`
	Found        int       `json:"found"`         // breaks
	FoundInTest  int       `json:"found_in_test"` // those of them in test mode
	Breaks       []Break   `json:"breaks"`        // the first maxBreaks of them
}

// maxBreaks keeps a report within what a function may answer: 6 MB.
const maxBreaks = 5000

// openFor is how long an outcome may be pending before that is a break.
const openFor = 24 * time.Hour

// Config is what is reconciled.
type Config struct {
	Store     *store.View
	Acquirers map[identity.Mode]acquirer.Acquirer
	Banks     map[identity.Mode]bank.Bank
}

// Run reconciles everything once. It changes nothing. An error means that
// something could not be read, so that nothing is known.
func Run(ctx context.Context, c Config) (Report, error) {
	r := &run{Config: c, began: c.Store.Now(), matcher: newMatcher()}
	r.report.At = r.began
	if err := r.pass(ctx); err != nil {
		return Report{}, err
	}
	suspects := r.matcher.suspects()
	r.report.Suspects = len(suspects)
	if err := r.recheck(ctx, suspects); err != nil {
		return Report{}, err
	}
	if err := r.checkReserves(ctx); err != nil {
		return Report{}, err
	}
	r.checkTenants()
	return r.finished(), nil
}

// items is a walk through some of the table.
type items = iter.Seq2[store.ReconciledItem, error]

// run is one reconciliation.
type run struct {
	Config
	began   time.Time
	matcher *matcher
	report  Report
}

// addBreak adds a break to the report.
func (r *run) addBreak(b Break) {
	r.report.Found++
	if t, ok := identity.ParseTenant(b.Tenant); ok && t.Mode == identity.Test {
		r.report.FoundInTest++
	}
	if len(r.report.Breaks) < maxBreaks {
		r.report.Breaks = append(r.report.Breaks, b)
	}
}
