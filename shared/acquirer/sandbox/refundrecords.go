package sandbox

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/table"
)

type refundItem struct {
	table.Key
	WriteID string `dynamo:"write_id"` // of the first write, by which its writer recognises it
	refund
}

// refundKey keeps the ids of refunds, which are the platform's, apart from
// those of chargebacks, which are the issuers'.
func refundKey(r refund) table.Key {
	name := strings.ToUpper(string(r.Kind))
	return table.NewKey("SANDBOX#"+name+"#"+r.ID, name)
}

var errUnknownRefund = errors.New("sandbox: unknown refund")

// enter stores a new refund as the rule decides it, again on its charge's new state
// whenever another writer was faster; the charge is zero when it is unknown. After
// an error of the rule nothing is stored. For a known id it returns the stored
// refund and false.
func (b records) enter(ctx context.Context, planned refund, rule func(refund, charge) (refund, error)) (refund, bool,
	error) {
	writeID := uuid.NewString() // the same for all tries
	var cause error
	for tried := 0; ; {
		// The charge is read first: if a try whose reply was lost is applied
		// between the two reads, the second shows it.
		before, err := b.find(ctx, planned.ChargeID)
		if err != nil {
			return refund{}, false, errors.Join(cause, err)
		}
		stored, err := b.readRefund(ctx, refundKey(planned))
		switch {
		case err == nil:
			return stored.refund, stored.WriteID == writeID, nil
		case !errors.Is(err, errUnknownRefund):
			return refund{}, false, errors.Join(cause, err)
		case cause != nil && before.Version == tried:
			return refund{}, false, cause
		}
		r, err := rule(planned, before.charge)
		if err != nil {
			return refund{}, false, err
		}
		if cause = b.writeRefund(ctx, refundItem{Key: refundKey(r), WriteID: writeID, refund: r}, before); cause == nil {
			return r, true, nil
		}
		tried = before.Version
	}
}

// writeRefund stores the refund, with its effect on the charge and its movement.
// The condition on the charge's version makes sure that two refunds do not use the
// same money.
func (b records) writeRefund(ctx context.Context, item refundItem, before chargeItem) error {
	tx := b.Transaction().Put(b.Table.Put(item).If("attribute_not_exists(pk)"))
	if item.takes() {
		after, err := before.reduce(item.Amount)
		if err != nil {
			return err
		}
		tx.Put(b.Table.Put(b.item(after, before.Version+1)).If("version = ?", before.Version))
	}
	if item.Decision == payments.Approved {
		tx.Put(b.Table.Put(b.refunded(item.refund)))
	}
	return tx.Run(ctx)
}

// enterTombstone stores a tombstone under a refund's key, and returns what is stored
// there: a tombstone, or the refund if that was first.
func (b records) enterTombstone(ctx context.Context, tombstone refund) (refund, error) {
	item := refundItem{Key: refundKey(tombstone), WriteID: uuid.NewString(), refund: tombstone}
	stored, err := table.Write(ctx, b.Client, item.Key, item, b.Table.Put(item).If("attribute_not_exists(pk)").Run, nil)
	return stored.refund, err
}

// settle approves a pending refund and stores its movement.
func (b records) settle(ctx context.Context, r refund) (refund, error) {
	item := refundItem{Key: refundKey(r), WriteID: uuid.NewString(), refund: r.approve()}
	tx := b.Transaction().
		Put(b.Table.Put(item).If("decision = ?", payments.OutcomeUnknown)).
		Put(b.Table.Put(b.refunded(item.refund)))
	stored, err := table.Write(ctx, b.Client, item.Key, item, tx.Run,
		func(i refundItem) bool { return i.Decision == payments.OutcomeUnknown })
	return stored.refund, err
}

// refunded is the movement that an approved refund makes.
func (b records) refunded(r refund) movementItem {
	return b.movement(r.Kind, r.ChargeID, r.ID, r.Tenant, r.Amount)
}

func (b records) readRefund(ctx context.Context, k table.Key) (refundItem, error) {
	return table.One[refundItem](ctx, b.Client, k, errUnknownRefund)
}

// find reads a charge; one that is unknown is zero.
func (b records) find(ctx context.Context, id string) (chargeItem, error) {
	item, err := b.read(ctx, id)
	if errors.Is(err, acquirer.ErrUnknownCharge) {
		return chargeItem{}, nil
	}
	return item, err
}
