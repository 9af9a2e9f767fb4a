package payments

import (
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// UnpaidKind says what an unpaid row comes from.
type UnpaidKind string

// The kinds; the values are those of the payout records they become (contract
// §6.7).
const (
	UnpaidPart       UnpaidKind = "PAYOUT"
	UnpaidRefund     UnpaidKind = "REFUND_DEDUCTION"
	UnpaidChargeBack UnpaidKind = "CHARGE_BACK_DEDUCTION"
	UnpaidBalance    UnpaidKind = "BALANCE_DEDUCTION" // what an earlier payout lacked
)

// Unpaid is a row that waits for the merchant's next payout: a credit for each
// part of a transaction, a debit for what a refund or charge-back has to take
// from other transactions. The sum of a merchant's rows is what is owed to it.
type Unpaid struct {
	ID            string       `dynamo:"id"` // of the part, <transaction id>#<seq>, or of the deduction event
	Kind          UnpaidKind   `dynamo:"kind"`
	TransactionID string       `dynamo:"transaction_id"`
	Code          string       `dynamo:"transaction_code"`
	Seq           int          `dynamo:"seq,omitempty"` // of the part
	Amount        money.Amount `dynamo:"amount"`        // what it adds to the payout: debits are negative
	Fee           money.Amount `dynamo:"fee"`
	EligibleAt    time.Time    `dynamo:"eligible_at"`
}

// unpaid is the part's row.
func (t Transaction) unpaid(p PayoutPart) Unpaid {
	return Unpaid{ID: t.ID + "#" + strconv.Itoa(p.Seq), Kind: UnpaidPart, TransactionID: t.ID, Code: t.Code,
		Seq: p.Seq, Amount: p.Net(), Fee: p.Fee, EligibleAt: p.EligibleAt}
}
