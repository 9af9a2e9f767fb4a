package reconcile

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// movements walks the acquirers' statements.
func (r *run) movements(ctx context.Context, note func(identity.Tenant, acquirer.Movement)) error {
	return statements(r.Acquirers,
		func(a acquirer.Acquirer) iter.Seq2[acquirer.Movement, error] { return a.Statement(ctx) },
		func(m acquirer.Movement) string { return m.Tenant }, note)
}

// bankLines walks the banks' statements.
func (r *run) bankLines(ctx context.Context, note func(identity.Tenant, bank.StatementLine)) error {
	return statements(r.Banks,
		func(b bank.Bank) iter.Seq2[bank.StatementLine, error] { return b.Statement(ctx) },
		func(b bank.StatementLine) string { return b.Tenant }, note)
}

// statements walks those of both modes. A line of a counterparty of both counts for the mode of its tenant.
func statements[Counterparty, Line any](of map[identity.Mode]Counterparty,
	statement func(Counterparty) iter.Seq2[Line, error], tenantOf func(Line) string,
	note func(identity.Tenant, Line)) error {
	for _, mode := range slices.Sorted(maps.Keys(of)) {
		for l, err := range statement(of[mode]) {
			if err != nil {
				return err
			}
			t, ok := identity.ParseTenant(tenantOf(l))
			if !ok {
				t = identity.Tenant{Mode: mode, Merchant: tenantOf(l)} // not a tenant of ours
			}
			if t.Mode == mode {
				note(t, l)
			}
		}
	}
	return nil
}

// movementsOf reads the acquirers' statements again, for the suspects whose movements do not match.
func (r *run) movementsOf(ctx context.Context, suspects []suspect) (map[string][]acquirer.Movement, error) {
	lines := linesOf[acquirer.Movement](suspects, func(s suspect) bool { return s.checkAcquirer })
	if len(lines) == 0 {
		return nil, nil
	}
	return lines, r.movements(ctx, func(t identity.Tenant, m acquirer.Movement) { addLine(lines, t, m.ChargeID, m) })
}

// bankLinesOf reads the banks' statements again, for the suspects whose bank lines do not match.
func (r *run) bankLinesOf(ctx context.Context, suspects []suspect) (map[string][]bank.StatementLine, error) {
	lines := linesOf[bank.StatementLine](suspects, func(s suspect) bool { return s.checkBank })
	if len(lines) == 0 {
		return nil, nil
	}
	return lines, r.bankLines(ctx, func(t identity.Tenant, b bank.StatementLine) { addLine(lines, t, b.ID, b) })
}

// linesOf has an empty list for each suspect that meets the condition.
func linesOf[Line any](suspects []suspect, condition func(suspect) bool) map[string][]Line {
	lines := map[string][]Line{}
	for _, s := range suspects {
		if condition(s) {
			lines[s.key()] = nil
		}
	}
	return lines
}

// addLine adds a line to its suspect's list, if it has one.
func addLine[Line any](lines map[string][]Line, t identity.Tenant, id string, line Line) {
	key := suspect{tenant: t, id: id}.key()
	if _, ok := lines[key]; ok {
		lines[key] = append(lines[key], line)
	}
}

// movementFor is the kind of movement that each kind of entry records.
var movementFor = map[ledger.Kind]acquirer.Kind{ledger.Payment: acquirer.CaptureMovement,
	ledger.Refund: acquirer.RefundMovement, ledger.Chargeback: acquirer.ChargebackMovement}

// expectedMovement returns the acquirer's movement that an entry leads us to expect; false for other entries.
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

// actualMovement returns a line of the acquirer's statement. An acquirer has its own ids for chargebacks.
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
	return line{movementKind, string(kind) + " " + id, minorText(minor, c)}
}
