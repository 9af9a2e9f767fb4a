package payments

import (
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// PayableKind is the origin of a payable.
type PayableKind string

// The kinds. The record of a payable in its payout has the same kind (contract §6.7).
const (
	PayablePart                PayableKind = "PAYOUT"
	PayableRefundDeduction     PayableKind = "REFUND_DEDUCTION"
	PayableChargebackDeduction PayableKind = "CHARGE_BACK_DEDUCTION"
	PayableBalanceDeduction    PayableKind = "BALANCE_DEDUCTION" // the negative balance of an earlier payout
)

// Payable is an amount that waits for the merchant's next payout. Each part of a transaction is a credit. A refund or
// chargeback that other transactions must cover is a debit. The sum of a merchant's payables is the merchant's balance.
type Payable struct {
	ID            string       `dynamo:"id"` // of the part, <transaction id>#<seq>, or of the deduction event
	Kind          PayableKind  `dynamo:"kind"`
	TransactionID string       `dynamo:"transaction_id"`
	Code          string       `dynamo:"transaction_code"`
	Shard         int          `dynamo:"shard,omitempty"` // the transaction's; 0 for a balance that is carried forward
	Seq           int          `dynamo:"seq,omitempty"`   // of the part
	Amount        money.Amount `dynamo:"amount"`          // added to the payout; negative for a debit
	Fee           money.Amount `dynamo:"fee"`
	EligibleAt    time.Time    `dynamo:"eligible_at"`
}

func (t Transaction) payableOf(p PayoutPart) Payable {
	return Payable{ID: t.ID + "#" + strconv.Itoa(p.Seq), Kind: PayablePart, TransactionID: t.ID, Code: t.Code,
		Shard: t.Shard, Seq: p.Seq, Amount: p.Net(), Fee: p.Fee, EligibleAt: p.EligibleAt}
}
