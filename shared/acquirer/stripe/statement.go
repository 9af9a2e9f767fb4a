package stripe

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// overlap is the time before the start of a statement whose lines the statement has, too. A line may become visible
// later than its time.
const overlap = 2 * time.Hour

// bookedLine is a line of the account's balance (a balance transaction). Its amounts are in the currency in which
// Stripe settles, which should be the payment's: see movement.
type bookedLine struct {
	ID          string        `json:"id"`
	Type        string        `json:"type"`
	Amount      int64         `json:"amount"`
	Fee         int64         `json:"fee"` // the amount less the fee is the change of the balance
	Currency    string        `json:"currency"`
	Created     int64         `json:"created"`
	AvailableOn int64         `json:"available_on"`
	Source      *sourceObject `json:"source"`
}

func (l bookedLine) stripeID() string { return l.ID }

func (l bookedLine) at() time.Time          { return time.Unix(l.Created, 0).UTC() }
func (l bookedLine) availableAt() time.Time { return time.Unix(l.AvailableOn, 0).UTC() }

// sourceObject is the object that a line is about: a charge, refund, dispute or payout. Other lines have other sources,
// or none.
type sourceObject struct {
	ID       string            `json:"id"`
	Object   string            `json:"object"`
	Amount   int64             `json:"amount"`
	Currency string            `json:"currency"`
	Charge   string            `json:"charge"` // id of the charge of a refund or dispute
	Metadata map[string]string `json:"metadata"`

	ReconciliationStatus string `json:"reconciliation_status"` // of a payout
}

// UnmarshalJSON reads the object, or only its id if Stripe has not expanded it.
func (s *sourceObject) UnmarshalJSON(b []byte) error {
	type plain sourceObject
	return unmarshalExpandable(b, &s.ID, (*plain)(s))
}

// kind returns the kind of the line's movement. A line that moves no money of a charge is a fee, unless it is a payout.
func (l bookedLine) kind() acquirer.Kind {
	var object string
	if l.Source != nil {
		object = l.Source.Object
	}
	switch {
	case object == "charge" && (l.Type == "charge" || l.Type == "payment"):
		return acquirer.CaptureMovement
	case object == "refund" && (l.Type == "refund" || l.Type == "payment_refund"):
		return acquirer.RefundMovement
	case object == "refund" && l.Type == "refund_failure":
		return acquirer.RefundFailedMovement
	case object == "dispute" && l.Type == "adjustment" && l.Amount < 0:
		return acquirer.ChargebackMovement
	case object == "dispute" && l.Type == "adjustment" && l.Amount > 0:
		return acquirer.ChargebackReversedMovement
	case l.Type == "payout":
		return acquirer.SettlementMovement
	case slices.Contains(returnTypes, l.Type):
		return acquirer.SettlementReturnedMovement
	default: // also a dispute's fee without an amount
		return acquirer.FeeMovement
	}
}

// Statement walks the movements of money since the time, and those of the two hours before. Then it walks the
// settlements: a payout of Stripe's has one for each tenant. An error ends the walk.
func (a *Acquirer) Statement(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
	since = before(since, overlap)
	return func(yield func(acquirer.Movement, error) bool) {
		s := statement{api: a.api, charges: map[string]map[string]string{}, payouts: map[string][]bookedLine{},
			shares: map[string]map[string]share{}}
		if err := s.readPayouts(ctx, since); err != nil {
			yield(acquirer.Movement{}, err)
			return
		}
		for line, err := range s.lines(ctx, createdSince(since)) {
			if err == nil && line.isAboutPayout() {
				continue
			}
			var m acquirer.Movement
			if err == nil {
				m, err = s.movement(ctx, line)
			}
			movesNothing := err == nil && m.Kind == acquirer.FeeMovement && m.Amount.IsZero()
			if !movesNothing && !yield(m, err) || err != nil {
				return
			}
		}
		for m, err := range s.settlements(ctx, since, a.records.Time()) {
			if !yield(m, err) {
				return
			}
		}
	}
}

// statement is one walk of the statement, with what it has read.
type statement struct {
	api     *client
	charges map[string]map[string]string // metadata by Stripe's id of the charge
	payouts map[string][]bookedLine      // lines of payouts, by currency
	shares  map[string]map[string]share  // parts of payouts by tenant, by Stripe's id of the payout
}

// errNoPayout reports a line about a payout without the payout.
var errNoPayout = errors.New("stripe: a line about a payout has no payout")

// lines walks the lines of the balance that the form selects.
func (s *statement) lines(ctx context.Context, form url.Values) iter.Seq2[bookedLine, error] {
	form.Set("expand[]", "data.source")
	return func(yield func(bookedLine, error) bool) {
		for l, err := range listAll[bookedLine](ctx, s.api, "/v1/balance_transactions", form) {
			if err == nil && l.isAboutPayout() && (l.Source == nil || l.Source.Object != "payout" || !isName(l.Source.ID)) {
				err = errNoPayout
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

func (l bookedLine) isAboutPayout() bool {
	return l.kind() == acquirer.SettlementMovement || l.kind() == acquirer.SettlementReturnedMovement
}

// platform is the tenant of lines that are not about a charge of the platform.
var platform = identity.PlatformTenant(identity.Live).String()

// movement returns the movement of a line that is about no payout. A line that is about no charge of the platform is a
// fee of the platform, so that the movements are the whole balance. A refund that was made without the platform has
// Stripe's id, so that reconciliation finds it.
//
// A movement has the charge's currency. If Stripe settles in another currency, the fee is unknown, and the settlements
// differ from the movements. An amount that the platform cannot have is left out. Reconciliation reports both.
func (s *statement) movement(ctx context.Context, l bookedLine) (acquirer.Movement, error) {
	m := acquirer.Movement{LineID: l.ID, Kind: l.kind(), At: l.at(), AvailableOn: s.availableOn(l)}
	of, err := s.metadataOf(ctx, l)
	if err != nil {
		return m, err
	}
	if of[metaCharge] == "" || m.Kind == acquirer.FeeMovement {
		m.Kind, m.Tenant = acquirer.FeeMovement, platform
		m.Amount = roundedFrom(l.Fee-l.Amount, l.Currency)
		return m, nil
	}
	m.ID, m.ChargeID, m.Tenant = l.Source.ID, of[metaCharge], of[metaTenant]
	switch refundID := l.Source.Metadata[metaRefund]; {
	case m.Kind == acquirer.CaptureMovement:
		m.ID = m.ChargeID
	case refundID != "":
		m.ID = refundID
	}
	units := l.Source.Amount
	if l.Currency == l.Source.Currency {
		units = max(l.Amount, -l.Amount) // Stripe may take back a part of a dispute only
		m.Fee = roundedFrom(l.Fee, l.Currency)
	}
	if amount, err := fromStripe(units, l.Source.Currency); err == nil {
		m.Amount = amount
	}
	return m, nil
}

// metadataOf returns the metadata of the charge that a line is about. It returns nil if the line is about no charge.
func (s *statement) metadataOf(ctx context.Context, l bookedLine) (map[string]string, error) {
	switch l.kind() {
	case acquirer.FeeMovement:
		return nil, nil
	case acquirer.CaptureMovement:
		return l.Source.Metadata, nil
	}
	if l.Source.Metadata[metaCharge] != "" {
		return l.Source.Metadata, nil
	}
	name := l.Source.Charge
	if known, ok := s.charges[name]; ok || !isName(name) {
		return known, nil
	}
	var c chargeObject
	err := s.api.send(ctx, call{method: http.MethodGet, path: "/v1/charges/" + name}, &c)
	if err == nil {
		s.charges[name] = c.Metadata
	}
	return c.Metadata, err
}
