package reconcile

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// importedAtOnce is the number of lines of a statement that are stored, and kept in memory, at a time.
const importedAtOnce = 100

const (
	// lateMovements and lateBankLines are the times by which an acquirer and a bank may show a line late. Each import
	// reads the lines of this time again. A bank has only one line for a payout, and its weekends are long.
	lateMovements = 24 * time.Hour
	lateBankLines = 7 * 24 * time.Hour
)

// importLatest imports the lines that were booked since the last import, and those that may have been booked late. The
// next night proves each transaction and payout that has a new line, and that it would not find otherwise.
func (r *run) importLatest(ctx context.Context) error {
	last, err := r.Store.Imports(ctx)
	if err != nil {
		return err
	}
	var movements, bankLines time.Time
	if !last.At.IsZero() {
		movements, bankLines = last.At.Add(-lateMovements), last.At.Add(-lateBankLines)
	}
	if err := r.importStatements(ctx, movements, bankLines); err != nil {
		return err
	}
	return r.Store.SaveImports(ctx, store.Imports{At: r.began})
}

// reopen makes the next night prove the subjects of new lines. It leaves out transactions and payouts that were created
// since the Until of the latest run, because the next night proves these anyway. A missing subject is proven, too.
func (r *run) reopen(ctx context.Context, lines []store.StatementLine) error {
	nights, err := r.Store.Nights(ctx)
	if err != nil {
		return err
	}
	var latest store.ProofRun
	if nights.Latest != "" { // otherwise the first night proves everything that exists
		if latest, err = r.Store.Proof(ctx, nights.Latest); err != nil {
			return err
		}
	}
	keys := make([]store.ItemKey, len(lines))
	for i, l := range lines {
		keys[i] = subject{l.Tenant, l.Subject}.key()
	}
	items, err := store.Reads{View: r.Store.View}.MoneyByKey(ctx, keys)
	if err != nil {
		return err
	}
	isNew := map[store.ItemKey]bool{}
	for _, a := range items {
		isNew[a.Key] = a.Transaction != nil && !a.Transaction.CreatedAt.Before(latest.Until) ||
			a.Payout != nil && !a.Payout.CreatedAt.Before(latest.Until)
	}
	var tenants []identity.Tenant // may be unknown
	var subjects []subject
	for i, l := range lines {
		if isNew[keys[i]] {
			continue
		}
		tenants = append(tenants, l.Tenant)
		of := subject{l.Tenant, l.Subject}
		if newLineEntry(l) == nil && !slices.Contains(subjects, of) { // an entry's line reopens its subject itself
			subjects = append(subjects, of)
		}
	}
	if err := r.listTenants(ctx, tenants); err != nil {
		return err
	}
	return inParallel(ctx, subjects, func(ctx context.Context, s subject) error {
		return r.Store.Reopen(ctx, s.tenant, s.id)
	})
}

// importStatements stores the lines that acquirers have booked since one time, and banks since another. The zero time
// means all lines. It sets linesUntil, and reopens the subjects of lines that were not stored before. Lines are read
// before entries, so each stored line has its entry, unless its outcome is pending.
func (r *run) importStatements(ctx context.Context, movementsSince, bankLinesSince time.Time) error {
	i := importer{store: r.Store, with: store.LineImport{Note: r.reopen, Entry: newLineEntry}}
	movements := walkStatements(r.Acquirers,
		func(a acquirer.Acquirer) iter.Seq2[acquirer.Movement, error] { return a.Statement(ctx, movementsSince) },
		func(m acquirer.Movement) string { return m.Tenant })
	for m, err := range movements {
		if err == nil {
			err = i.add(ctx, newMovementLine(m.tenant, m.line))
		}
		if err != nil {
			return err
		}
	}
	payments := walkStatements(r.Banks,
		func(b bank.Bank) iter.Seq2[bank.StatementLine, error] { return b.Statement(ctx, bankLinesSince) },
		func(b bank.StatementLine) string { return b.Tenant })
	for b, err := range payments {
		if err == nil {
			kind := bankPayment
			if b.line.Return {
				kind = bankReturn
			}
			err = i.add(ctx, store.StatementLine{Tenant: b.tenant, Subject: b.line.ID, Kind: kind, LineID: b.line.LineID,
				ID: b.line.ID, Amount: b.line.Amount, At: b.line.At})
		}
		if err != nil {
			return err
		}
	}
	if err := i.flush(ctx); err != nil {
		return err
	}
	if r.linesUntil = r.Store.Now(); r.linesUntil.Before(i.latest) { // another run's clock is ahead
		r.linesUntil = i.latest
	}
	return nil
}

// importer stores lines of statements in batches.
type importer struct {
	store  *store.Store
	lines  []store.StatementLine
	with   store.LineImport
	latest time.Time // ImportedAt of the lines so far
}

// errNoLineID reports a line of a bank that cannot be told apart from others. The lines of acquirers have ids: see
// newMovementLine.
var errNoLineID = errors.New("reconcile: a line of a statement has no id of its own")

func (i *importer) add(ctx context.Context, l store.StatementLine) error {
	if l.LineID == "" {
		return errNoLineID
	}
	if i.lines = append(i.lines, l); len(i.lines) < importedAtOnce {
		return nil
	}
	return i.flush(ctx)
}

func (i *importer) flush(ctx context.Context) error {
	latest, err := i.store.ImportStatementLines(ctx, i.lines, i.with)
	if i.latest.Before(latest) {
		i.latest = latest
	}
	i.lines = i.lines[:0]
	return err
}

// tenantLine is a line of a statement with its tenant.
type tenantLine[Line any] struct {
	tenant identity.Tenant
	line   Line
}

// noTenant begins the merchant code of lines whose counterparty names no tenant of a mode.
const noTenant = "?"

// walkStatements walks the statements of both modes. The statement of a counterparty that serves both modes has the
// lines of both. Each line is walked only in the mode of its tenant. A line without a tenant is walked in each mode,
// and must not post an entry.
func walkStatements[Counterparty, Line any](of map[identity.Mode]Counterparty,
	statement func(Counterparty) iter.Seq2[Line, error],
	tenantOf func(Line) string) iter.Seq2[tenantLine[Line], error] {
	return func(yield func(tenantLine[Line], error) bool) {
		for _, mode := range slices.Sorted(maps.Keys(of)) {
			for l, err := range statement(of[mode]) {
				text := tenantOf(l)
				t, ok := identity.ParseTenant(text)
				if known := store.Bounded(text); !ok || known != text { // no merchant has such a long code
					t = identity.Tenant{Mode: mode, Merchant: noTenant + strings.ReplaceAll(known, "#", "/")}
				}
				if (err != nil || t.Mode == mode) && !yield(tenantLine[Line]{t, l}, err) {
					return
				}
			}
		}
	}
}

// movementFor maps each kind of entry to the kind of movement that the entry records.
var movementFor = map[ledger.Kind]acquirer.Kind{ledger.Payment: acquirer.CaptureMovement,
	ledger.Refund: acquirer.RefundMovement, ledger.Chargeback: acquirer.ChargebackMovement}

// expectedMovement returns the acquirer's movement that an entry makes us expect. It returns false for entries without
// such a movement.
func expectedMovement(v ledger.Entry) (line, bool) {
	kind, ok := movementFor[v.Kind]
	if !ok {
		return line{}, false
	}
	for _, p := range v.Postings {
		if p.Account == ledger.AcquirerReceivable {
			amount := p.Amount.Minor()
			return movement(kind, v.ID, max(amount, -amount), p.Amount.Currency()), true
		}
	}
	return line{}, false
}

// actualMovement converts a line of the acquirer's statement to a line of the comparison. It returns false for a line
// of a bank's statement. For chargebacks an acquirer uses its own ids.
func actualMovement(m store.StatementLine) (line, bool) {
	id, kind := m.ID, acquirer.Kind(m.Kind)
	switch kind {
	case acquirer.CaptureMovement, acquirer.RefundMovement, acquirer.RefundFailedMovement:
	case acquirer.ChargebackMovement, acquirer.ChargebackReversedMovement:
		var t payments.Transaction
		t.ID = m.Subject
		id = t.ChargebackID(m.ID)
	default:
		return line{}, false
	}
	return movement(kind, id, m.Amount.Minor(), m.Amount.Currency()), true
}

func movement(kind acquirer.Kind, id string, minor int64, c money.Currency) line {
	return line{movementKind, string(kind) + " " + id, amountText(minor, c)}
}
