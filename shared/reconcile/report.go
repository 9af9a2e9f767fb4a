package reconcile

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Report is the result of a reconciliation.
type Report struct {
	At           time.Time `json:"at"`
	Tenants      int       `json:"tenants"` // 0 in the report of a run over the queue
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

// book counts what the parallel proofs of a run, or of a part of a run, find.
type book struct {
	mu       sync.Mutex
	counts   map[string]int64 // by the names below, and totals by totalName
	tenants  map[identity.Tenant]bool
	breaks   map[Break]Break          // without and with their differences
	reserves map[balanceKey]bool      // reserves to compare with pending refunds
	acquirer map[dayKey]store.Closing // what acquirers are to settle; nil unless the run reads all items in one process
}

// Names of counts.
const (
	transactionCount = "transactions"
	entryCount       = "entries"
	payableCount     = "payables"
	payoutCount      = "payouts"
	fileCount        = "files"
	movementCount    = "movements"
	bankLineCount    = "bank_lines"
	suspectCount     = "suspects"
	openCount        = "open"

	totalPrefix = "total "
)

// totalName returns the name of the count that has the total of an account, in minor units.
func totalName(account string, c money.Currency) string {
	return totalPrefix + string(c) + " " + account
}

func newBook() *book {
	return &book{counts: map[string]int64{}, tenants: map[identity.Tenant]bool{}, breaks: map[Break]Break{},
		reserves: map[balanceKey]bool{}}
}

// count adds an item to the totals, and notes the reserve that the item is a part of.
func (r *run) count(a store.ReconciledItem) {
	b := r.book
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.File == nil && a.Reserve == nil {
		b.tenants[a.Tenant] = true
	}
	r.countSettled(a)
	switch {
	case a.Transaction != nil:
		b.counts[transactionCount]++
	case a.Payable != nil:
		b.counts[payableCount]++
		b.addTotal(payablesTotal, a.Payable.Amount)
	case a.Payout != nil:
		b.counts[payoutCount]++
	case a.Entry != nil:
		b.counts[entryCount]++
		for _, posting := range a.Entry.Postings {
			b.addTotal(string(posting.Account), posting.Amount)
		}
	case a.Event != nil && a.Event.InReserve && isPending(*a.Event):
		b.reserves[balanceKey{a.Tenant, a.Event.Amount.Currency()}] = true
	case a.Reserve != nil && !a.Reserve.Amount.IsZero():
		b.reserves[balanceKey{a.Tenant, a.Reserve.Amount.Currency()}] = true
	case a.File != nil:
		b.counts[fileCount]++
	case a.Line != nil:
		b.countLine(*a.Line)
	}
}

// countLine adds a line of a statement to the totals: to our claim on the acquirer, or to our balance at the bank.
func (b *book) countLine(l store.StatementLine) {
	amount := l.Amount
	if !isBankLine(l) {
		b.counts[movementCount]++
		if sign := acquirer.Kind(l.Kind).Sign(); faultOf(l) == "" {
			b.counts[totalName(acquirerTotal, amount.Currency())] += sign * grossOf(l)
		}
		return
	}
	b.counts[bankLineCount]++
	if l.Kind != bankReturn {
		amount = amount.Neg()
	}
	b.addTotal(bankTotal, amount)
}

func (b *book) addTotal(account string, a money.Amount) {
	b.counts[totalName(account, a.Currency())] += a.Minor()
}

// addResult adds the result of a proof to the report.
func (r *run) addResult(t task, found result) {
	r.addBreaks(found.allBreaks())
	r.book.mu.Lock()
	defer r.book.mu.Unlock()
	if found.readings > 1 {
		r.book.counts[suspectCount]++
	}
	if t.primary {
		r.book.counts[openCount] += int64(found.open)
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
		if _, known := r.book.breaks[same]; !known {
			r.book.breaks[same] = b
		}
	}
}

// Write logs the breaks and a summary of the report, and writes the metric of breaks in both modes.
func (r Report) Write(ctx context.Context, log *slog.Logger, metrics metric.Log) {
	for _, b := range r.Breaks {
		log.ErrorContext(ctx, "reconciliation break", "tenant", b.Tenant, "kind", b.Kind, "id", b.ID, "what", b.Text)
	}
	log.InfoContext(ctx, "reconciled", "breaks", r.Found, "tenants", r.Tenants, "transactions", r.Transactions, "entries",
		r.Entries, "payables", r.Payables, "payouts", r.Payouts, "files", r.Files, "movements", r.Movements, "bank_lines",
		r.BankLines, "read_again", r.Suspects, "open", r.Open)
	found := map[identity.Mode]int{identity.Live: r.Found - r.FoundInTest, identity.Test: r.FoundInTest}
	for _, mode := range identity.Modes {
		metrics.Write(ctx, r.At, mode.Name(), metric.ReconciliationBreaks.Of(int64(found[mode])))
	}
}

// newReport returns the report of counts and breaks.
func newReport(at time.Time, counts map[string]int64, breaks iter.Seq[Break]) Report {
	n := func(name string) int { return int(counts[name]) }
	r := Report{At: at, Transactions: n(transactionCount), Entries: n(entryCount), Payables: n(payableCount),
		Payouts: n(payoutCount), Files: n(fileCount), Movements: n(movementCount), BankLines: n(bankLineCount),
		Suspects: n(suspectCount), Open: n(openCount)}
	for name, minor := range counts {
		if total, ok := strings.CutPrefix(name, totalPrefix); ok {
			currency, account, _ := strings.Cut(total, " ")
			c := money.Currency(currency)
			r.Totals = append(r.Totals, Total{account, c, decimalText(minor, c)})
		}
	}
	slices.SortFunc(r.Totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Account, b.Account))
	})
	for b := range breaks {
		r.Found++
		if t, ok := identity.ParseTenant(b.Tenant); ok && t.Mode == identity.Test {
			r.FoundInTest++
		}
		if len(r.Breaks) < maxBreaks {
			r.Breaks = append(r.Breaks, b)
		}
	}
	slices.SortFunc(r.Breaks, Break.compare)
	return r
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
