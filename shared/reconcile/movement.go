package reconcile

import (
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// moves is which movement an entry stands for.
var moves = map[ledger.Kind]acquirer.Kind{ledger.Payment: acquirer.Capture,
	ledger.Refund: acquirer.Refunded, ledger.ChargeBack: acquirer.ChargeBack}

// movementFor is the acquirer's movement that an entry calls for; false when
// it is none of its business.
func movementFor(v ledger.Entry) (fact, bool) {
	kind, ok := moves[v.Kind]
	if !ok {
		return fact{}, false
	}
	for _, l := range v.Postings {
		if l.Account == ledger.AcquirerReceivable {
			amount := l.Amount.Minor()
			return movement(kind, v.ID, max(amount, -amount), l.Amount.Currency()), true
		}
	}
	return fact{}, false
}

// movementIs the acquirer's. It knows charge-backs by ids of its own.
func movementIs(m acquirer.Movement) fact {
	id := m.ID
	if m.Kind == acquirer.ChargeBack {
		var t payments.Transaction
		t.ID = m.ChargeID
		id = t.ChargeBackID(m.ID)
	}
	return movement(m.Kind, id, m.Amount.Minor(), m.Amount.Currency())
}

func movement(kind acquirer.Kind, id string, minor int64, c money.Currency) fact {
	return fact{movementFact, string(kind) + " " + id, minorText(minor, c)}
}
