package stripe

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
)

const (
	oneDay = 24 * time.Hour
	// settledAfter is the time after a payout's arrival until it is booked as a settlement. By then Stripe should have
	// listed the payout's lines.
	settledAfter = oneDay
	// stillListing is the payout's reconciliation_status before that.
	stillListing = "in_progress"
	// payoutsKnown is the time before a walk whose payouts it reads. It is longer than the time from one payout to the
	// arrival of the next, even if Stripe pays out once a month.
	payoutsKnown = 45 * oneDay
	// maxReturns bounds the number of payouts in a row that came back from our bank, each with the money of the one
	// before.
	maxReturns = 8
)

// errReturns reports more than maxReturns such payouts.
var errReturns = errors.New("stripe: too many payouts in a row have come back")

// returnTypes lists the types of lines about payouts that came back.
var returnTypes = []string{"payout_failure", "payout_cancel"}

// readPayouts reads the lines of the payouts that a walk since the time needs, by their currency, in order.
func (s *statement) readPayouts(ctx context.Context, since time.Time) error {
	for l, err := range s.lines(ctx, withType(createdSince(before(since, payoutsKnown)), "payout")) {
		if err != nil {
			return err
		}
		s.payouts[l.Currency] = append(s.payouts[l.Currency], l)
	}
	for _, lines := range s.payouts {
		slices.SortStableFunc(lines, func(a, b bookedLine) int { return a.at().Compare(b.at()) })
	}
	return nil
}

// availableOn returns the first day whose payout may contain the line. A payout contains the lines that were booked
// before it and are available until it arrives. So a line that was booked after a payout, but is available before its
// arrival, belongs to a later payout.
func (s *statement) availableOn(l bookedLine) time.Time {
	on := l.availableAt().Truncate(oneDay)
	for _, p := range s.payouts[l.Currency] {
		if next := p.availableAt().Truncate(oneDay).Add(oneDay); p.Created < l.Created && next.After(on) {
			on = next
		}
	}
	return on
}

// settledAt returns the time when the payout that the line is about is booked as a settlement.
func (l bookedLine) settledAt() time.Time {
	at := l.at()
	if arrival := l.availableAt(); arrival.After(at) {
		at = arrival
	}
	return at.Add(settledAfter)
}

// errListing reports a payout whose lines Stripe has not listed a day after its arrival. The next walk begins where
// this one began.
var errListing = errors.New("stripe: the lines of a payout are not listed yet")

// settlements walks the settlements and returned settlements that were booked since the time.
func (s *statement) settlements(ctx context.Context, since, now time.Time) iter.Seq2[acquirer.Movement, error] {
	return func(yield func(acquirer.Movement, error) bool) {
		for line, err := range s.aboutPayouts(ctx, since) {
			isDue := err == nil && !line.settledAt().Before(since) && !line.settledAt().After(now)
			var all []acquirer.Movement
			if isDue && line.Source.ReconciliationStatus == stillListing {
				err = errListing
			} else if isDue {
				all, err = s.settlementsOf(ctx, line)
			}
			if err != nil {
				yield(acquirer.Movement{}, err)
				return
			}
			for _, m := range all {
				if !yield(m, nil) {
					return
				}
			}
		}
	}
}

// aboutPayouts walks the lines about payouts, and about payouts that came back.
func (s *statement) aboutPayouts(ctx context.Context, since time.Time) iter.Seq2[bookedLine, error] {
	return func(yield func(bookedLine, error) bool) {
		for _, currency := range slices.Sorted(maps.Keys(s.payouts)) {
			for _, l := range s.payouts[currency] {
				if !yield(l, nil) {
					return
				}
			}
		}
		for _, kind := range returnTypes {
			for l, err := range s.lines(ctx, withType(createdSince(before(since, payoutsKnown)), kind)) {
				if !yield(l, err) {
					return
				}
			}
		}
	}
}

// share is a tenant's part of a payout, in minor units of the platform.
type share struct{ net, fee int64 }

// settlementsOf returns a settlement, or a returned settlement, for each tenant of the payout that the line is about.
// The platform gets what is left of the payout. That is all of a payout that is made by hand, because Stripe lists no
// lines of it. Reconciliation then reports that the platform's settlement differs.
func (s *statement) settlementsOf(ctx context.Context, l bookedLine) ([]acquirer.Movement, error) {
	shares, err := s.readShares(ctx, l.Source.ID, maxReturns)
	if err != nil {
		return nil, err
	}
	total, kind, on := roundedFrom(l.Fee-l.Amount, l.Currency), l.kind(), l.availableAt() // a payout's line is negative
	if kind == acquirer.SettlementReturnedMovement {
		total, on = total.Neg(), s.availableOn(l)
	}
	parts, left := maps.Clone(shares), total.Minor()
	for _, part := range parts {
		left -= part.net
	}
	parts[platform] = share{parts[platform].net + left, parts[platform].fee}
	var all []acquirer.Movement
	for _, tenant := range slices.Sorted(maps.Keys(parts)) {
		m := acquirer.Movement{LineID: l.ID + "-" + tenant, Tenant: tenant, Kind: kind, SettlementID: l.Source.ID,
			Amount: money.FromMinor(parts[tenant].net, total.Currency()), At: l.settledAt(), AvailableOn: on}
		if kind == acquirer.SettlementMovement {
			m.Fee = money.FromMinor(parts[tenant].fee, total.Currency())
		}
		if !m.Amount.IsZero() || !m.Fee.IsZero() {
			all = append(all, m)
		}
	}
	return all, nil
}

// readShares reads the parts of a payout, by tenant. A later payout pays the money of a returned payout again, to the
// same tenants.
func (s *statement) readShares(ctx context.Context, payoutID string, returns int) (map[string]share, error) {
	if known, ok := s.shares[payoutID]; ok {
		return known, nil
	}
	parts := map[string]share{}
	for l, err := range s.lines(ctx, url.Values{"payout": {payoutID}}) {
		if err == nil {
			err = s.addTo(ctx, parts, l, returns)
		}
		if err != nil {
			return nil, err
		}
	}
	s.shares[payoutID] = parts
	return parts, nil
}

// addTo adds a line of a payout to the parts of its tenants.
func (s *statement) addTo(ctx context.Context, parts map[string]share, l bookedLine, returns int) error {
	switch l.kind() {
	case acquirer.SettlementMovement: // the payout itself
		return nil
	case acquirer.SettlementReturnedMovement:
		if returns == 0 {
			return errReturns
		}
		returned, err := s.readShares(ctx, l.Source.ID, returns-1)
		for tenant, part := range returned {
			parts[tenant] = share{parts[tenant].net + part.net, parts[tenant].fee}
		}
		return err
	}
	m, err := s.movement(ctx, l)
	if err != nil {
		return err
	}
	amount, fee := roundedFrom(l.Amount, l.Currency).Minor(), roundedFrom(l.Fee, l.Currency).Minor()
	if m.Kind == acquirer.FeeMovement { // its fee is in its amount
		amount, fee = -m.Amount.Minor(), 0
	}
	part := parts[m.Tenant]
	parts[m.Tenant] = share{part.net + amount - fee, part.fee + fee}
	return nil
}
