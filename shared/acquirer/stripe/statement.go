package stripe

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
)

const (
	// pageSize is the largest page of a list that Stripe gives.
	pageSize = 100
	// overlap is the time before the start of a statement whose lines the statement has, too. A line may become visible
	// later than its time.
	overlap = 2 * time.Hour
)

// errEmptyPage reports a page without objects of a list that has more.
var errEmptyPage = errors.New("stripe: a page of a list is empty")

// listed is an object of a list.
type listed interface{ stripeID() string }

func (r refundObject) stripeID() string { return r.ID }

// listAll walks a list of Stripe's page by page. An error ends the walk.
func listAll[T listed](ctx context.Context, c *client, path string, form url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		page := maps.Clone(form)
		page.Set("limit", strconv.Itoa(pageSize))
		for {
			var answer struct {
				Data    []T  `json:"data"`
				HasMore bool `json:"has_more"`
			}
			err := c.send(ctx, call{method: http.MethodGet, path: path, form: page}, &answer)
			if err == nil && answer.HasMore && len(answer.Data) == 0 {
				err = errEmptyPage
			}
			if err != nil {
				yield(none, err)
				return
			}
			for _, object := range answer.Data {
				if !yield(object, nil) {
					return
				}
				page.Set("starting_after", object.stripeID())
			}
			if !answer.HasMore {
				return
			}
		}
	}
}

// bookedLine is a line of the account's balance (a balance transaction).
type bookedLine struct {
	ID      string        `json:"id"`
	Type    string        `json:"type"`
	Amount  int64         `json:"amount"` // in the account's currency, which may differ from the payment's
	Created int64         `json:"created"`
	Source  *sourceObject `json:"source"`
}

func (l bookedLine) stripeID() string { return l.ID }

// sourceObject is the charge, refund or dispute that a line is about. Other lines have other sources.
type sourceObject struct {
	ID       string            `json:"id"`
	Object   string            `json:"object"`
	Amount   int64             `json:"amount"`
	Currency string            `json:"currency"`
	Charge   string            `json:"charge"` // id of the charge of a refund or dispute
	Metadata map[string]string `json:"metadata"`
}

// UnmarshalJSON reads the object, or only its id if Stripe has not expanded it.
func (s *sourceObject) UnmarshalJSON(b []byte) error {
	type plain sourceObject
	return unmarshalExpandable(b, &s.ID, (*plain)(s))
}

// kind returns the kind of the line's movement, or "" for lines that are no movement of a payer's money, such as fees.
// When a merchant wins a dispute, its money comes back; the port has no kind for this yet.
func (l bookedLine) kind() acquirer.Kind {
	if l.Source == nil {
		return ""
	}
	switch object := l.Source.Object; {
	case object == "charge" && (l.Type == "charge" || l.Type == "payment"):
		return acquirer.CaptureMovement
	case object == "refund" && (l.Type == "refund" || l.Type == "payment_refund"):
		return acquirer.RefundMovement
	case object == "dispute" && l.Type == "adjustment" && l.Amount < 0:
		return acquirer.ChargebackMovement
	default:
		return ""
	}
}

// Statement walks the movements of money since the time, and those of the two hours before. An error ends the walk.
func (a *Acquirer) Statement(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
	if !since.IsZero() {
		since = since.Add(-overlap)
	}
	form := createdSince(since)
	form.Set("expand[]", "data.source")
	return func(yield func(acquirer.Movement, error) bool) {
		for line, err := range listAll[bookedLine](ctx, a.api, "/v1/balance_transactions", form) {
			var m acquirer.Movement
			ours := err != nil
			if err == nil {
				m, ours, err = a.movement(ctx, line)
			}
			if err != nil {
				yield(acquirer.Movement{}, err)
				return
			}
			if ours && !yield(m, nil) {
				return
			}
		}
	}
}

// movement returns the movement of a line. It returns false for a line that is no movement, or whose charge the
// platform has not made. A refund that was made without the platform has Stripe's id, so that reconciliation finds it.
func (a *Acquirer) movement(ctx context.Context, l bookedLine) (m acquirer.Movement, ours bool, err error) {
	kind := l.kind()
	if kind == "" {
		return m, false, nil
	}
	source, of := l.Source, l.Source.Metadata
	m = acquirer.Movement{LineID: l.ID, ID: source.ID, Kind: kind, At: time.Unix(l.Created, 0).UTC()}
	if kind != acquirer.CaptureMovement && of[metaCharge] == "" {
		if of, err = a.readMetadata(ctx, source.Charge); err != nil {
			return m, false, err
		}
	}
	m.ChargeID, m.Tenant = of[metaCharge], of[metaTenant]
	if m.ChargeID == "" {
		return m, false, nil
	}
	switch refundID := source.Metadata[metaRefund]; {
	case kind == acquirer.CaptureMovement:
		m.ID = m.ChargeID
	case kind == acquirer.RefundMovement && refundID != "":
		m.ID = refundID
	}
	m.Amount, err = fromStripe(source.Amount, source.Currency)
	return m, err == nil, err
}

// readMetadata returns the metadata of a charge at Stripe.
func (a *Acquirer) readMetadata(ctx context.Context, chargeName string) (map[string]string, error) {
	if !isName(chargeName) {
		return nil, nil
	}
	var c chargeObject
	err := a.api.send(ctx, call{method: http.MethodGet, path: "/v1/charges/" + chargeName}, &c)
	return c.Metadata, err
}
