package sandbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/table"
)

// storedFixture has an empty table, the sandbox's records in it, and a filler that fills the records' fields.
type storedFixture struct {
	testing.TB
	*storedtest.Filler
	*Acquirer
}

// recognised is the reason why the field write_id may be missing from what a read returns.
const recognised = "a write recognises itself by it, see TestCharge_UnknownOutcomeLostReply and " +
	"TestRefund_UnknownOutcomeLostReply"

// nextDay is the day on which the sandbox makes movements of clock.Start available.
var nextDay = clock.Start.Truncate(24*time.Hour).AddDate(0, 0, 1)

// feeOfCapture returns the sandbox's fee for the capture of a charge.
func feeOfCapture(c charge) money.Amount {
	fee, err := c.Amount.Times("0.01")
	if err != nil {
		panic(err)
	}
	return fee
}

// TestRecords_EachFieldReadBack checks that each stored attribute is read back and that no field is left unstored.
func TestRecords_EachFieldReadBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write  func(storedFixture) []storedtest.Read
		unseen storedtest.NotRead
	}{
		"a charge and its page": {func(w storedFixture) []storedtest.Read {
			c := storedtest.Fill[charge](w, w.Filler)
			w.open(c, "token")
			return []storedtest.Read{w.charge(c, 1), w.page("token", c.ID)}
		}, storedtest.NotRead{"CHARGE write_id": recognised}},
		"an approved charge and its card": {func(w storedFixture) []storedtest.Read {
			c := w.approvedCharge()
			w.open(c, "")
			return []storedtest.Read{w.charge(c, 1), w.card(c),
				w.statement(acquirer.Movement{ID: c.ID, ChargeID: c.ID, Tenant: c.Tenant, Kind: acquirer.CaptureMovement,
					Amount: c.Amount, At: clock.Start, Fee: feeOfCapture(c), AvailableOn: nextDay})}
		}, storedtest.NotRead{"CHARGE write_id": recognised}},
		"a charge that moved": {func(w storedFixture) []storedtest.Read {
			c := storedtest.Fill[charge](w, w.Filler)
			w.open(c, "")
			next := storedtest.Fill(w, w.Filler, func(next *charge) { next.ID = c.ID })
			_, err := w.records.move(w.Context(), c.ID, func(charge) charge { return next })
			w.must(err)
			return []storedtest.Read{w.charge(next, 2)}
		}, storedtest.NotRead{"CHARGE write_id": recognised}},
		"a hint": {func(w storedFixture) []storedtest.Read {
			want := storedtest.Fill[hint](w, w.Filler).inPort()
			w.must(w.records.Transaction().Put(w.records.putHint(want, clock.Start)).Run(w.Context()))
			return []storedtest.Read{storedtest.Expect("hint", want, func(ctx context.Context) (acquirer.Hint, error) {
				for h, err := range w.Hints(ctx, clock.Start) {
					return h, err
				}
				return acquirer.Hint{}, nil
			})}
		}, storedtest.NotRead{"HINT expires_at": "DynamoDB deletes the item by it"}},
		"a refund that is pending": {func(w storedFixture) []storedtest.Read {
			r := storedtest.Fill(w, w.Filler, func(r *refund) { r.Kind = acquirer.RefundMovement })
			w.enter(r)
			return []storedtest.Read{w.refund(r)}
		}, storedtest.NotRead{"REFUND write_id": recognised}},
		"an approved refund": {func(w storedFixture) []storedtest.Read {
			c := w.approvedCharge()
			c.KeepsCard = false
			w.open(c, "")
			r := storedtest.Fill(w, w.Filler, func(r *refund) {
				r.Kind, r.ChargeID, r.Decision = acquirer.RefundMovement, c.ID, payments.Approved
				r.Amount = money.MustParse("1", "EUR")
			})
			w.enter(r)
			after, err := c.reduce(r.Amount)
			w.must(err)
			return []storedtest.Read{w.charge(after, 2), w.refund(r), w.statement(
				acquirer.Movement{ID: c.ID, ChargeID: c.ID, Tenant: c.Tenant, Kind: acquirer.CaptureMovement, Amount: c.Amount,
					At: clock.Start, Fee: feeOfCapture(c), AvailableOn: nextDay},
				acquirer.Movement{ID: r.ID, ChargeID: c.ID, Tenant: r.Tenant, Kind: acquirer.RefundMovement, Amount: r.Amount,
					At: clock.Start, Fee: money.Zero("EUR"), AvailableOn: nextDay})}
		}, storedtest.NotRead{"CHARGE write_id": recognised, "REFUND write_id": recognised}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storedtest.Open(t, clock.New().Now, nil)
			db, items := s.Raw()
			a := &Acquirer{records: records{table.Client{DB: db, Table: items, Now: clock.New().Now}}}
			answers := c.write(storedFixture{t, &storedtest.Filler{}, a})
			storedtest.RoundTrip(t, s, answers, c.unseen, cmp.AllowUnexported(chargeItem{}, refundItem{}))
		})
	}
}

func (w storedFixture) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// approvedCharge returns a charge that has captured its amount and stores its card.
func (w storedFixture) approvedCharge() charge {
	w.Helper()
	c := storedtest.Fill(w, w.Filler, func(c *charge) { c.Decision, c.Refundable = payments.Approved, c.Amount })
	c.Verification = false // a verification captures nothing
	return c
}

func (w storedFixture) open(c charge, pageToken string) {
	w.Helper()
	got, isNew, err := w.records.createCharge(w.Context(), c, pageToken)
	if diff := cmp.Diff(c, got, storedtest.Options); err != nil || !isNew || diff != "" {
		w.Fatalf("entered: new %t, %v (-want +got):\n%s", isNew, err, diff)
	}
}

func (w storedFixture) enter(r refund) {
	w.Helper()
	_, isNew, err := w.records.createRefund(w.Context(), r, func(r refund, _ charge) (refund, error) { return r, nil })
	if err != nil || !isNew {
		w.Fatalf("got new %t, %v, want a new refund", isNew, err)
	}
}

func (w storedFixture) charge(c charge, version int) storedtest.Read {
	want := chargeItem{Key: table.NewKey(chargePartition(c.ID), chargeSort), Version: version, charge: c}
	return storedtest.Expect("charge", want, func(ctx context.Context) (chargeItem, error) {
		item, err := w.records.readCharge(ctx, c.ID)
		item.WriteID = ""
		return item, err
	})
}

func (w storedFixture) page(token, chargeID string) storedtest.Read {
	return storedtest.Expect("page", chargeID, func(ctx context.Context) (string, error) {
		return w.records.readPage(ctx, token)
	})
}

func (w storedFixture) card(c charge) storedtest.Read {
	want := cardItem{Key: table.NewKey(cardPartition(c.Card.AcquirerToken), cardSort), Owner: c.owner(),
		Scenario: c.Scenario, Card: *c.Card}
	return storedtest.Expect("card", want, func(ctx context.Context) (cardItem, error) {
		return w.records.readCard(ctx, c.Card.AcquirerToken)
	})
}

func (w storedFixture) refund(r refund) storedtest.Read {
	want := refundItem{Key: refundKey(r), refund: r}
	return storedtest.Expect("refund", want, func(ctx context.Context) (refundItem, error) {
		item, err := w.records.readRefund(ctx, want.Key)
		item.WriteID = ""
		return item, err
	})
}

func (w storedFixture) statement(want ...acquirer.Movement) storedtest.Read {
	type read struct{ All, Since []acquirer.Movement }
	return storedtest.Expect("statement", read{want, want}, func(ctx context.Context) (read, error) {
		all, err := w.lines(ctx, time.Time{})
		since, sinceErr := w.lines(ctx, clock.Start)
		return read{all, since}, errors.Join(err, sinceErr)
	})
}

// lines returns the statement's lines since the time, without their random ids.
func (w storedFixture) lines(ctx context.Context, since time.Time) ([]acquirer.Movement, error) {
	var lines []acquirer.Movement
	for line, err := range w.Statement(ctx, since) {
		if err != nil {
			return nil, err
		}
		line.LineID = ""
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(a, b acquirer.Movement) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	return lines, nil
}
