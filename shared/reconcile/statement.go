package reconcile

import (
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// walkMovements walks the acquirers' statements.
func (r *run) walkMovements(ctx context.Context, note func(identity.Tenant, acquirer.Movement)) error {
	return walkStatements(r.Acquirers,
		func(a acquirer.Acquirer) iter.Seq2[acquirer.Movement, error] { return a.Statement(ctx, time.Time{}) },
		func(m acquirer.Movement) string { return m.Tenant }, note)
}

// walkBankLines walks the banks' statements.
func (r *run) walkBankLines(ctx context.Context, note func(identity.Tenant, bank.StatementLine)) error {
	return walkStatements(r.Banks,
		func(b bank.Bank) iter.Seq2[bank.StatementLine, error] { return b.Statement(ctx, time.Time{}) },
		func(b bank.StatementLine) string { return b.Tenant }, note)
}

// walkStatements walks the statements of both modes. The statement of a counterparty that serves both modes has the
// lines of both. Each line is walked only in the mode of its tenant.
func walkStatements[Counterparty, Line any](of map[identity.Mode]Counterparty,
	statement func(Counterparty) iter.Seq2[Line, error], tenantOf func(Line) string,
	note func(identity.Tenant, Line)) error {
	for _, mode := range slices.Sorted(maps.Keys(of)) {
		for l, err := range statement(of[mode]) {
			if err != nil {
				return err
			}
			t, ok := identity.ParseTenant(tenantOf(l))
			if !ok {
				t = identity.Tenant{Mode: mode, Merchant: tenantOf(l)} // a tenant that we do not know
			}
			if t.Mode == mode {
				note(t, l)
			}
		}
	}
	return nil
}

// readMovements reads the acquirers' statements again. It returns the movements of those suspects whose movements do
// not match.
func (r *run) readMovements(ctx context.Context, suspects []suspect) (map[string][]acquirer.Movement, error) {
	lines := emptyLists[acquirer.Movement](suspects, func(s suspect) bool { return s.checkAcquirer })
	if len(lines) == 0 {
		return nil, nil
	}
	return lines, r.walkMovements(ctx, func(t identity.Tenant, m acquirer.Movement) { addLine(lines, t, m.ChargeID, m) })
}

// readBankLines reads the banks' statements again. It returns the lines of those suspects whose bank lines do not
// match.
func (r *run) readBankLines(ctx context.Context, suspects []suspect) (map[string][]bank.StatementLine, error) {
	lines := emptyLists[bank.StatementLine](suspects, func(s suspect) bool { return s.checkBank })
	if len(lines) == 0 {
		return nil, nil
	}
	return lines, r.walkBankLines(ctx, func(t identity.Tenant, b bank.StatementLine) { addLine(lines, t, b.ID, b) })
}

// emptyLists returns an empty list for each suspect for which the condition returns true.
func emptyLists[Line any](suspects []suspect, condition func(suspect) bool) map[string][]Line {
	lines := map[string][]Line{}
	for _, s := range suspects {
		if condition(s) {
			lines[s.key()] = nil
		}
	}
	return lines
}

// addLine adds a line to its suspect's list. It ignores a line whose suspect has no list.
func addLine[Line any](lines map[string][]Line, t identity.Tenant, id string, line Line) {
	key := suspect{tenant: t, id: id}.key()
	if _, ok := lines[key]; ok {
		lines[key] = append(lines[key], line)
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

// actualMovement converts a line of the acquirer's statement to a line of the comparison. For chargebacks an acquirer
// uses its own ids.
func actualMovement(m acquirer.Movement) line {
	id := m.ID
	if m.Kind == acquirer.ChargebackMovement {
		var t payments.Transaction
		t.ID = m.ChargeID
		id = t.ChargebackID(m.ID)
	}
	return movement(m.Kind, id, m.Amount.Minor(), m.Amount.Currency())
}

func movement(kind acquirer.Kind, id string, minor int64, c money.Currency) line {
	return line{movementKind, string(kind) + " " + id, amountText(minor, c)}
}
