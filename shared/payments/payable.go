package payments

import (
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// PayableKind is what a payable comes from.
type PayableKind string

// The kinds; the values are those of the payout records they become (contract §6.7).
const (
	PayablePart                PayableKind = "PAYOUT"
	PayableRefundDeduction     PayableKind = "REFUND_DEDUCTION"
	PayableChargebackDeduction PayableKind = "CHARGE_BACK_DEDUCTION"
	PayableBalanceDeduction    PayableKind = "BALANCE_DEDUCTION" // the negative balance of an earlier payout
)

// Payable is an amount that waits for the merchant's next payout: a credit for each part of a transaction, a debit for
// a refund or chargeback for which other transactions must pay. Their sum is the merchant's balance.
type Payable struct {
	ID            string       `dynamo:"id"` // of the part, <transaction id>#<seq>, or of the deduction event
	Kind          PayableKind  `dynamo:"kind"`
	TransactionID string       `dynamo:"transaction_id"`
	Code          string       `dynamo:"transaction_code"`
	Shard         int          `dynamo:"shard,omitempty"` // the transaction's; 0 of a balance that is carried forward
	Seq           int          `dynamo:"seq,omitempty"`   // of the part
	Amount        money.Amount `dynamo:"amount"`          // what it adds to the payout: debits are negative
	Fee           money.Amount `dynamo:"fee"`
	EligibleAt    time.Time    `dynamo:"eligible_at"`
}

func (t Transaction) payable(p PayoutPart) Payable {
	return Payable{ID: t.ID + "#" + strconv.Itoa(p.Seq), Kind: PayablePart, TransactionID: t.ID, Code: t.Code,
		Shard: t.Shard, Seq: p.Seq, Amount: p.Net(), Fee: p.Fee, EligibleAt: p.EligibleAt}
}
