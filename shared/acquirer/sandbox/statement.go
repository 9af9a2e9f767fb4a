package sandbox

import (
	"cmp"
	"context"
	"iter"
	"slices"
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
		Kind: m.Kind, Amount: m.Amount, At: m.MovedAt, Fee: feeOf(m), AvailableOn: dayAfter(m.MovedAt),
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

// dayAfter returns the day after the UTC day of a movement.
func dayAfter(at time.Time) time.Time { return at.UTC().Truncate(oneDay).Add(oneDay) }

// movements is the list of all movements in the table's index of lists.
const movements = "SANDBOX#MOVEMENTS"

// Statement walks the movements of money since the time, and then the settlements. A real acquirer sends a settlement
// file. For the zero time the sandbox scans the whole table instead, which is acceptable only in test mode. Movements
// that are stored during the walk may be missing. An error ends the walk.
//
// The sandbox settles the movements that are available on a UTC day at the end of that day. It stores no settlements:
// it computes them from the movements of the day before, which do not change any more.
func (a *Acquirer) Statement(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
	return func(yield func(acquirer.Movement, error) bool) {
		now, sums := a.records.Time(), settled{}
		for m, err := range a.walkMovements(ctx, firstMoved(since)) {
			if err != nil {
				yield(m, err)
				return
			}
			sums.add(m)
			if !m.At.Before(since) && !yield(m, nil) {
				return
			}
		}
		for _, m := range sums.settlements(since, now) {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// firstMoved returns the start of the first UTC day whose settlement is booked at the time since or later. The sandbox
// books the settlement of a day's movements 48 hours after the start of that day.
func firstMoved(since time.Time) time.Time {
	if since.IsZero() {
		return since
	}
	first := since.Add(-2 * oneDay)
	if day := first.UTC().Truncate(oneDay); day.Before(first) {
		return day.Add(oneDay)
	}
	return first
}

func (a *Acquirer) walkMovements(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
	if !since.IsZero() {
		return table.WalkBooked(ctx, a.records.Client, movements, since, movementItem.line)
	}
	return table.Walk(ctx, a.records.Table.Scan().Consistent(true).
		Filter("begins_with(pk, ?) AND sk <> ?", chargePrefix, chargeSort), movementItem.line)
}

// settledKey identifies a settlement.
type settledKey struct {
	availableOn time.Time
	tenant      string
	currency    money.Currency
}

// settledSums has the sums of a settlement, in minor units.
type settledSums struct{ gross, fee int64 }

// settled has the sums of settlements.
type settled map[settledKey]settledSums

// add adds a movement to its settlement.
func (s settled) add(m acquirer.Movement) {
	k := settledKey{m.AvailableOn, m.Tenant, m.Amount.Currency()}
	sums := s[k]
	s[k] = settledSums{sums.gross + m.Kind.Sign()*m.Amount.Minor(), sums.fee + m.Fee.Minor()}
}

// settlements returns the settlements that were booked from since until now, sorted by LineID. It skips empty
// settlements.
func (s settled) settlements(since, now time.Time) []acquirer.Movement {
	var all []acquirer.Movement
	for k, sums := range s {
		at := k.availableOn.Add(oneDay)
		if at.Before(since) || at.After(now) || sums == (settledSums{}) {
			continue
		}
		id := "sbx-" + k.availableOn.Format(time.DateOnly)
		all = append(all, acquirer.Movement{
			LineID: id + "-" + k.tenant + "-" + string(k.currency), SettlementID: id, Tenant: k.tenant,
			Kind: acquirer.SettlementMovement, Amount: money.FromMinor(sums.gross-sums.fee, k.currency),
			Fee: money.FromMinor(sums.fee, k.currency), AvailableOn: k.availableOn, At: at,
		})
	}
	slices.SortFunc(all, func(a, b acquirer.Movement) int { return cmp.Compare(a.LineID, b.LineID) })
	return all
}
