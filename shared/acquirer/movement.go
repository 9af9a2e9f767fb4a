package acquirer

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// Kind is the kind of a movement of money.
type Kind string

// The kinds. The acquirer owes us more after a movement of a kind in the first group, and less after one in the second.
const (
	CaptureMovement            Kind = "capture"             // from a payer
	ChargebackReversedMovement Kind = "chargeback_reversed" // the issuer gave back a chargeback
	RefundFailedMovement       Kind = "refund_failed"       // a refund came back from the payer's bank
	SettlementReturnedMovement Kind = "settlement_returned" // a settlement came back from our bank

	RefundMovement     Kind = "refund"     // back to a payer
	ChargebackMovement Kind = "chargeback" // back to a payer, by the issuer
	FeeMovement        Kind = "fee"        // a fee for no single charge, such as a monthly fee
	SettlementMovement Kind = "settlement" // to our bank
)

// Sign returns 1 for a kind after which the acquirer owes us more, -1 for a kind after which it owes us less, and 0 for
// any other text.
func (k Kind) Sign() int64 {
	switch k {
	case CaptureMovement, ChargebackReversedMovement, RefundFailedMovement, SettlementReturnedMovement:
		return 1
	case RefundMovement, ChargebackMovement, FeeMovement, SettlementMovement:
		return -1
	default:
		return 0
	}
}

// OfCharge returns true if movements of the kind move money of a single charge.
func (k Kind) OfCharge() bool {
	switch k {
	case FeeMovement, SettlementMovement, SettlementReturnedMovement:
		return false
	default:
		return k.Sign() != 0
	}
}

// Movement is one line of the acquirer's statement. A settlement has a line for each tenant and currency. Every
// movement must be settled within SettledWithin: reconcile reports the days that no settlement covers.
type Movement struct {
	LineID   string // the acquirer's own id of the line, the same at each reading; money that moved twice has two lines
	ID       string // our id of the charge or refund; the acquirer's id of a chargeback; "" if the kind has no charge
	ChargeID string // "" if the kind has no charge
	// Tenant is the tenant in the charge's Reference. Money of the platform itself, such as a fee for the whole account,
	// has identity.PlatformTenant of its mode.
	Tenant string
	Kind   Kind
	// Amount is more than zero if the Kind has a charge, and the Kind tells its direction. The Amount of a settlement is
	// what our bank gets; it is negative if we owe the acquirer. The Amount of a fee or returned settlement is not zero. A
	// negative fee is given back. A negative returned settlement is the debit of a negative settlement that our bank
	// refused.
	Amount money.Amount
	At     time.Time // when the acquirer booked the line

	// Fee is what the acquirer charges us for this movement, and withholds from the settlement. The Fee of a settlement is
	// the sum that it withholds. A negative Fee is given back. The zero Amount means no fee. Returned settlements and fees
	// have none.
	Fee money.Amount
	// Reserve is the part of a settlement that the acquirer keeps as security. Negative: it pays an earlier part out.
	// Other kinds have none.
	Reserve      money.Amount
	SettlementID string // the acquirer's id of the settlement; set for settlements and returned settlements
	// AvailableOn has the first UTC date whose settlement may contain the movement. For a settlement it is the last such
	// date that the settlement covers: it settles all movements until then that no settlement has settled. Only the date
	// counts. The zero time means the date of At. A movement is available at the earliest AvailableBefore the date of At,
	// and at the latest AvailableAfter that date. A settlement is available at the latest on the date of At.
	AvailableOn time.Time
}

// LateSettlements is the time by which a statement may show a settlement, a returned settlement or a fee after it was
// booked.
const LateSettlements = 7 * 24 * time.Hour

// AvailableBefore and AvailableAfter bound AvailableOn. The last of twelve monthly instalments is available more than a
// year after its booking.
const (
	AvailableBefore = 24 * time.Hour
	AvailableAfter  = 400 * 24 * time.Hour
)

// SettledWithin is the longest time from AvailableOn to the settlement of a movement.
const SettledWithin = 14 * 24 * time.Hour
