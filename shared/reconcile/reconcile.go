// Package reconcile proves that all books agree: transactions and their
// events, the journal, the rows that wait for payouts, the payouts with their
// records, what is held for refunds, and the statements of acquirers and banks,
// for every tenant.
//
// A first pass reads the statements, then the whole table once, in parallel,
// and keeps three numbers for each transaction and each payout, of the books
// and of either statement: what one book says must stand in another is added,
// what stands there is taken away, and where all agree nothing is left
// (leftovers.go). That is about 100 bytes for each, 1 GB for ten million; a
// statement's and a table's pages are not kept. The pass is
// not atomic, so whatever is left over is only a suspicion: those transactions
// are read again, consistently and in full, and only what two such looks find
// alike is a difference (recheck.go).
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

// Kind of a difference: of what, and what is wrong with it. Facts missing,
// unfounded or different are the fact's sort with one of the endings below: an
// entry, row or record of ours, an acquirer's movement or a bank's booking, as
// in booking_missing.
type Kind string

// The kinds.
const (
	Unreadable     Kind = "item_unreadable"  // an item of the books that cannot be read
	Misplaced      Kind = "item_misplaced"   // one that stands under another transaction's code
	Unbalanced     Kind = "entry_unbalanced" // an entry that does not sum to zero
	Orphan         Kind = "event_unfounded"  // an event without its transaction
	SumsDiffer     Kind = "sums_differ"      // a transaction against its events, rows and entries
	RefundStuck    Kind = "refund_stuck"     // in flight for more than a day
	HeldDiffers    Kind = "held_differs"     // what is held against the refunds in flight
	BooksDiffer    Kind = "books_differ"     // a tenant's journal does not sum to zero
	OwedDiffers    Kind = "owed_differs"     // a tenant's merchant_payable against its rows
	TransitDiffers Kind = "transit_differs"  // a tenant's payouts_in_transit against its payouts that are sent
	BankDiffers    Kind = "bank_differs"     // a tenant's bank against what the bank has booked
	Unchecked      Kind = "unchecked"        // more suspicions than can be looked into
)

// The endings.
const (
	missing   = "_missing"   // one book calls for it, and it is not there
	unfounded = "_unfounded" // it is there, and nothing calls for it
	differs   = "_differs"
	twice     = "_twice"
)

// Difference is one thing on which the books do not agree.
type Difference struct {
	Tenant string `json:"tenant"`
	Kind   Kind   `json:"kind"`
	ID     string `json:"id"` // of the transaction, event, entry, row, payout, record, movement or booking
	Text   string `json:"text"`
}

// Total is the sum of an account over all tenants, as the pass saw it.
type Total struct {
	Account  string         `json:"account"`
	Currency money.Currency `json:"currency"`
	Amount   string         `json:"amount"` // in major units
}

// Report is what a reconciliation found.
type Report struct {
	At           time.Time    `json:"at"`
	Tenants      int          `json:"tenants"`
	Transactions int          `json:"transactions"`
	Entries      int          `json:"entries"`
	Rows         int          `json:"rows"`
	Payouts      int          `json:"payouts"`
	Movements    int          `json:"movements"` // of the acquirers
	Bookings     int          `json:"bookings"`  // of the banks
	Suspects     int          `json:"suspects"`  // read again, because the pass saw them between two states
	Open         int          `json:"open"`      // refunds, charges and payouts whose outcome is under way
	Totals       []Total      `json:"totals"`
	Found        int          `json:"found"`       // differences
	Differences  []Difference `json:"differences"` // the first maxDifferences of them
}

// maxDifferences keeps a report within what a function may answer: 6 MB.
const maxDifferences = 5000

// openFor is how long an outcome may be under way before it is a difference.
const openFor = 24 * time.Hour

// Config is what is reconciled.
type Config struct {
	Store     *store.Reader
	Acquirers map[identity.Mode]acquirer.Acquirer
	Banks     map[identity.Mode]bank.Bank
}

// Run reconciles everything once. It changes nothing. An error means that the
// books could not be read, and nothing is known.
func Run(ctx context.Context, c Config) (Report, error) {
	r := &run{Config: c, began: c.Store.Now(), leftovers: newLeftovers()}
	r.report.At = r.began
	if err := r.pass(ctx); err != nil {
		return Report{}, err
	}
	suspects := r.leftovers.suspects()
	r.report.Suspects = len(suspects)
	if err := r.recheck(ctx, suspects); err != nil {
		return Report{}, err
	}
	if err := r.checkHeld(ctx); err != nil {
		return Report{}, err
	}
	r.checkTenants()
	return r.finished(), nil
}

// books is a walk through some of the table.
type books = iter.Seq2[store.Audited, error]

// run is one reconciliation.
type run struct {
	Config
	began     time.Time
	leftovers *leftovers
	report    Report
}

// find adds a difference to the report.
func (r *run) find(d Difference) {
	r.report.Found++
	if len(r.report.Differences) < maxDifferences {
		r.report.Differences = append(r.report.Differences, d)
	}
}
