package sandbox

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/table"
)

// captureFee is the sandbox's fee for a capture, as a share of the amount. Other movements cost nothing.
const captureFee = "0.01"

const oneDay = 24 * time.Hour

func (m movementItem) line() acquirer.Movement {
	return acquirer.Movement{
		LineID: m.SK, ID: m.ID, ChargeID: strings.TrimPrefix(m.PK, chargePrefix), Tenant: m.Tenant,
		Kind: m.Kind, Amount: m.Amount, At: m.MovedAt, Fee: feeOf(m), AvailableOn: availableOn(m.MovedAt),
	}
}

// feeOf returns the fee of a movement.
func feeOf(m movementItem) money.Amount {
	if m.Kind != acquirer.CaptureMovement {
		return money.Zero(m.Amount.Currency())
	}
	fee, err := m.Amount.Times(captureFee)
	if err != nil { // the rate is valid, and a fee is smaller than its amount
		panic(err)
	}
	return fee
}

// availableOn returns the day after the UTC day of a movement.
func availableOn(at time.Time) time.Time { return at.UTC().Truncate(oneDay).Add(oneDay) }

// movements is the list of all movements in the table's index of lists.
const movements = "SANDBOX#MOVEMENTS"

// Statement walks the movements of money since the time. A real acquirer sends a settlement file. For the zero time the
// sandbox scans the whole table instead, which is acceptable only in test mode. Movements that are stored during the
// walk may be missing. An error ends the walk.
func (a *Acquirer) Statement(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
	if !since.IsZero() {
		return table.WalkBooked(ctx, a.records.Client, movements, since, movementItem.line)
	}
	return table.Walk(ctx, a.records.Table.Scan().Consistent(true).
		Filter("begins_with(pk, ?) AND sk <> ?", chargePrefix, chargeSort), movementItem.line)
}
