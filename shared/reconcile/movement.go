package reconcile

import (
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// movementFor is the kind of movement that each kind of entry records.
var movementFor = map[ledger.Kind]acquirer.Kind{ledger.Payment: acquirer.CaptureMovement,
	ledger.Refund: acquirer.RefundMovement, ledger.Chargeback: acquirer.ChargebackMovement}

// expectedMovement is the acquirer's movement that an entry leads us to expect;
// false when it is about something else.
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

// actualMovement is a line of the acquirer's statement. An acquirer has its own
// ids for chargebacks.
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
