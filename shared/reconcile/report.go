package reconcile

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

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
	Suspects     int       `json:"suspects"`   // transactions and payouts read again, mostly because they were changing
	Open         int       `json:"open"`       // number of refunds, charges and payouts with a pending outcome
	Totals       []Total   `json:"totals"`
	Found        int       `json:"found"`         // number of breaks
	FoundInTest  int       `json:"found_in_test"` // number of breaks in test mode
	Breaks       []Break   `json:"breaks"`        // the first maxBreaks
}

// Total is the sum of an account over all tenants.
type Total struct {
	Account  string         `json:"account"`
	Currency money.Currency `json:"currency"`
	Amount   string         `json:"amount"` // in major units
}

// Names of the totals that are not ledger accounts.
const (
	payablesTotal = "payables"
	acquirerTotal = "the acquirer's statement"
	bankTotal     = "the bank's statement"
)

// maxBreaks keeps a report below the 6 MB that a function may return.
const maxBreaks = 5000

// book counts what the parallel proofs of a run find.
type book struct {
	mu      sync.Mutex
	report  Report
	tenants map[identity.Tenant]bool
	totals  map[totalKey]int64
	found   map[Break]bool // the breaks that were counted, without their differences

	reserves map[balanceKey]bool // reserves to compare with pending refunds
}

type totalKey struct {
	account  string
	currency money.Currency
}

func newBook(at time.Time) *book {
	return &book{report: Report{At: at}, tenants: map[identity.Tenant]bool{}, totals: map[totalKey]int64{},
		found: map[Break]bool{}, reserves: map[balanceKey]bool{}}
}

// count adds an item to the totals, and notes the reserve that the item is a part of.
func (r *run) count(a store.ReconciledItem) {
	b := r.book
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.File == nil && a.Reserve == nil {
		b.tenants[a.Tenant] = true
	}
	switch {
	case a.Transaction != nil:
		b.report.Transactions++
	case a.Payable != nil:
		b.report.Payables++
		b.addTotal(payablesTotal, a.Payable.Amount)
	case a.Payout != nil:
		b.report.Payouts++
	case a.Entry != nil:
		b.report.Entries++
		for _, posting := range a.Entry.Postings {
			b.addTotal(string(posting.Account), posting.Amount)
		}
	case a.Event != nil && a.Event.InReserve && isPending(*a.Event):
		b.reserves[balanceKey{a.Tenant, a.Event.Amount.Currency()}] = true
	case a.Reserve != nil && !a.Reserve.Amount.IsZero():
		b.reserves[balanceKey{a.Tenant, a.Reserve.Amount.Currency()}] = true
	case a.File != nil:
		b.report.Files++
	case a.Line != nil:
		b.countLine(*a.Line)
	}
}

// countLine adds a line of a statement to the totals. All but payments to us have a negative amount.
func (b *book) countLine(l store.StatementLine) {
	amount := l.Amount
	if _, ok := actualMovement(l); ok {
		b.report.Movements++
		if l.Kind != string(acquirer.CaptureMovement) {
			amount = amount.Neg()
		}
		b.addTotal(acquirerTotal, amount)
		return
	}
	b.report.BankLines++
	if l.Kind != bankReturn {
		amount = amount.Neg()
	}
	b.addTotal(bankTotal, amount)
}

func (b *book) addTotal(account string, a money.Amount) {
	b.totals[totalKey{account, a.Currency()}] += a.Minor()
}

// addResult adds the result of a proof to the report.
func (r *run) addResult(t task, found result) {
	r.addBreaks(found.breaks)
	r.book.mu.Lock()
	defer r.book.mu.Unlock()
	if found.readings > 1 {
		r.book.report.Suspects++
	}
	if t.primary {
		r.book.report.Open += found.open
	}
}

// addBreaks adds breaks to the report. Several proofs may find the same break: those of a subject, and those of items
// that its own proof does not read. Without their transaction or payout, these proofs may find different differences.
func (r *run) addBreaks(breaks []Break) {
	r.book.mu.Lock()
	defer r.book.mu.Unlock()
	for _, b := range breaks {
		same := b
		same.Text, _, _ = strings.Cut(b.Text, ": off by ")
		if r.book.found[same] {
			continue
		}
		r.book.found[same] = true
		r.book.report.Found++
		if t, ok := identity.ParseTenant(b.Tenant); ok && t.Mode == identity.Test {
			r.book.report.FoundInTest++
		}
		if len(r.book.report.Breaks) < maxBreaks {
			r.book.report.Breaks = append(r.book.report.Breaks, b)
		}
	}
}

// finish completes the report with its totals, and orders its breaks.
func (b *book) finish() Report {
	b.report.Tenants = len(b.tenants)
	for key, minor := range b.totals {
		b.report.Totals = append(b.report.Totals, Total{key.account, key.currency, decimalText(minor, key.currency)})
	}
	slices.SortFunc(b.report.Totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Account, b.Account))
	})
	slices.SortFunc(b.report.Breaks, Break.compare)
	return b.report
}

// compare orders breaks by tenant. Breaks of balances come last, because they follow from others.
func (b Break) compare(other Break) int {
	rank := func(k BreakKind) int {
		if k == PayablesDiffer || k == TransitDiffers || k == BankDiffers {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(b.Tenant, other.Tenant), cmp.Compare(rank(b.Kind), rank(other.Kind)),
		cmp.Compare(b.ID, other.ID), cmp.Compare(b.Kind, other.Kind), cmp.Compare(b.Text, other.Text))
}
