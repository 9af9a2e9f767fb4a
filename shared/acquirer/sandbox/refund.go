package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/table"
)

// refund is a refund or chargeback as the sandbox stores it. Storing a refund also reduces what is left of its charge,
// so that the same money is never refunded twice. A refund's Decision changes at most once, from OutcomeUnknown to
// Approved. A Cancelled refund is a tombstone: it was cancelled before it was requested, so it has no amount and no
// charge.
type refund struct {
	ID         string            `dynamo:"id"`
	Kind       acquirer.Kind     `dynamo:"kind"` // RefundMovement or ChargebackMovement
	ChargeID   string            `dynamo:"charge_id"`
	Tenant     string            `dynamo:"tenant,omitempty"`
	Amount     money.Amount      `dynamo:"amount"`
	Decision   payments.Decision `dynamo:"decision"`
	ReturnCode string            `dynamo:"return_code,omitempty"`
	DecidesAt  time.Time         `dynamo:"decides_at,omitempty"` // used while Decision is OutcomeUnknown
	CreatedAt  time.Time         `dynamo:"created_at"`
}

func (r refund) approve() refund {
	r.Decision, r.ReturnCode = payments.Approved, codeApproved
	return r
}

func (r refund) decline(code string) refund {
	r.Decision, r.ReturnCode = payments.Declined, code
	return r
}

// reducesCharge returns true if the refund reduces what is left of its charge.
func (r refund) reducesCharge() bool {
	return r.Decision == payments.Approved || r.Decision == payments.OutcomeUnknown
}

// outcome returns the refund's outcome in the form of the port.
func (r refund) outcome() payments.Outcome {
	return payments.Outcome{Decision: r.Decision, ReturnCode: r.ReturnCode, TerminalID: terminalID,
		AcquirerReference: reference(forReference, r.ID)}
}

// authorize decides a refund by its amount and its charge. The zero charge stands for an unknown charge. Errors:
// ErrNotTaken.
func (r refund) authorize(c charge) (refund, error) {
	minor := r.Amount.Minor()
	if minor == notTakenAmount {
		return r, fmt.Errorf("%w: the amount asks for it", acquirer.ErrNotTaken)
	}
	r.Tenant = c.Tenant
	code, declined := declinedRefunds[minor]
	switch {
	case c.ID == "":
		return r.decline(codeNoRecord), nil
	case !c.captures():
		return r.decline(codeInvalidTransaction), nil
	case !c.covers(r.Amount):
		return r.decline(codeInvalidAmount), nil
	case declined:
		return r.decline(code), nil
	case minor == unknownAmount:
		r.Decision, r.DecidesAt = payments.OutcomeUnknown, r.CreatedAt.Add(settlesAfter)
		return r, nil
	default:
		return r.approve(), nil
	}
}

// Refund returns money of a charge to the payer. For a known id it returns that refund's outcome. A refund is Declined
// if the charge is unknown, has captured nothing, or has less left than the refund's amount. It is also Declined if
// declinedRefunds has the amount. Errors: ErrNotTaken; after any other error the outcome is unknown.
func (a *Acquirer) Refund(ctx context.Context, request acquirer.Refund) (payments.Outcome, error) {
	r, isNew, err := a.storeRefund(ctx, refund{
		ID: request.ID, Kind: acquirer.RefundMovement, ChargeID: request.ChargeID, Amount: request.Amount,
		CreatedAt: a.records.Time(),
	}, refund.authorize)
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case r.Decision == payments.OutcomeUnknown && isNew:
		return payments.Outcome{}, errNoAnswer
	default:
		return a.settleIfDue(ctx, r)
	}
}

// CancelRefund stores a tombstone for an unknown id, so that the sandbox refuses a later refund with that id. It does
// not stop a refund that was taken before. CancelRefund may be repeated after an error.
func (a *Acquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	r, err := a.records.storeTombstone(ctx, refund{ID: id, Kind: acquirer.RefundMovement, Decision: payments.Cancelled,
		CreatedAt: a.records.Time()})
	if err != nil {
		return payments.Outcome{}, err
	}
	return a.settleIfDue(ctx, r)
}

// settleIfDue approves a pending refund whose time has come, and returns the refund's outcome.
func (a *Acquirer) settleIfDue(ctx context.Context, r refund) (payments.Outcome, error) {
	if r.Decision == payments.OutcomeUnknown && !a.records.Time().Before(r.DecidesAt) {
		var err error
		if r, err = a.records.settle(ctx, r); err != nil {
			return payments.Outcome{}, err
		}
	}
	return r.outcome(), nil
}

// ErrTooMuch reports a chargeback whose amount is above what is left of its charge, is not above 0, or is in another
// currency.
var ErrTooMuch = errors.New("sandbox: more than is left of the captured amount")

// Chargeback acts as the payer's issuer, which takes money of the charge back. Statement then shows the chargeback.
// Chargeback may be repeated. Errors: ErrUnknownCharge, ErrTooMuch; after any other error the chargeback may have been
// stored.
func (a *Acquirer) Chargeback(ctx context.Context, chargeID, id string, amount money.Amount) error {
	_, _, err := a.storeRefund(ctx, refund{
		ID: id, Kind: acquirer.ChargebackMovement, ChargeID: chargeID, Amount: amount, CreatedAt: a.records.Time(),
	}, refund.approveChargeback)
	return err
}

// ChargedBack returns the charge and the amount of the chargeback with the id.
func (a *Acquirer) ChargedBack(ctx context.Context, id string) (chargeID string, amount money.Amount, err error) {
	item, err := a.records.readRefund(ctx, refundKey(refund{ID: id, Kind: acquirer.ChargebackMovement}))
	return item.ChargeID, item.Amount, err
}

// approveChargeback approves a chargeback that the charge covers. Errors: ErrUnknownCharge, ErrTooMuch.
func (r refund) approveChargeback(c charge) (refund, error) {
	r.Tenant = c.Tenant
	switch {
	case c.ID == "":
		return r, acquirer.ErrUnknownCharge
	case !c.covers(r.Amount):
		return r, ErrTooMuch
	default:
		return r.approve(), nil
	}
}

// storeRefund first approves the charge if it is pending and its time has come. It then stores the refund. Without the
// first step, such a charge would decline the refund for good.
func (a *Acquirer) storeRefund(ctx context.Context, r refund, rule func(refund, charge) (refund, error)) (refund, bool,
	error) {
	if _, err := a.LookUp(ctx, r.ChargeID); err != nil && !errors.Is(err, acquirer.ErrUnknownCharge) {
		return refund{}, false, err
	}
	return a.records.createRefund(ctx, r, rule)
}

type refundItem struct {
	table.Key
	WriteID string `dynamo:"write_id"` // id of the last write, by which its writer recognises the item
	refund
}

// refundKey returns the key of a refund or chargeback. The key has the kind, because the platform chooses the ids of
// refunds and the issuers choose the ids of chargebacks.
func refundKey(r refund) table.Key {
	name := strings.ToUpper(string(r.Kind))
	return table.NewKey("SANDBOX#"+name+"#"+r.ID, name)
}

var errUnknownRefund = errors.New("sandbox: unknown refund")

// createRefund decides a new refund by the rule and stores it. If another writer was faster, createRefund decides
// again, by the charge's new state. The zero charge stands for an unknown charge. If the rule returns an error, nothing
// is stored. For a known id createRefund returns the stored refund and false.
func (b records) createRefund(ctx context.Context, planned refund, rule func(refund, charge) (refund, error)) (refund,
	bool, error) {
	writeID := uuid.NewString() // the same for all tries
	var cause error
	for tried := 0; ; {
		// The charge is read first. If an earlier try whose reply was lost takes effect between the two reads, the second
		// read finds that try's refund.
		before, err := b.findCharge(ctx, planned.ChargeID)
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

// writeRefund stores the refund, its effect on the charge, and its movement, or a hint if the refund is pending.
// Because of the condition on the charge's version, two refunds never use the same money.
func (b records) writeRefund(ctx context.Context, item refundItem, before chargeItem) error {
	tx := b.Transaction().Put(b.Table.Put(item).If("attribute_not_exists(pk)"))
	if item.reducesCharge() {
		after, err := before.reduce(item.Amount)
		if err != nil {
			return err
		}
		tx.Put(b.Table.Put(b.item(after, before.Version+1)).If("version = ?", before.Version))
	}
	if item.Decision == payments.Approved {
		tx.Put(b.Table.Put(b.movementOf(item.refund)))
	}
	if item.Decision == payments.OutcomeUnknown {
		tx.Put(b.putHint(item.hint(before.charge), item.DecidesAt))
	}
	return tx.Run(ctx)
}

// storeTombstone stores a tombstone under a refund's key. If the refund is already stored, it returns the refund.
func (b records) storeTombstone(ctx context.Context, tombstone refund) (refund, error) {
	item := refundItem{Key: refundKey(tombstone), WriteID: uuid.NewString(), refund: tombstone}
	stored, err := table.Write(ctx, b.Client, item.Key, item, b.Table.Put(item).If("attribute_not_exists(pk)").Run, nil)
	return stored.refund, err
}

// settle approves a pending refund and stores its movement.
func (b records) settle(ctx context.Context, r refund) (refund, error) {
	item := refundItem{Key: refundKey(r), WriteID: uuid.NewString(), refund: r.approve()}
	tx := b.Transaction().
		Put(b.Table.Put(item).If("decision = ?", payments.OutcomeUnknown)).
		Put(b.Table.Put(b.movementOf(item.refund)))
	stored, err := table.Write(ctx, b.Client, item.Key, item, tx.Run,
		func(i refundItem) bool { return i.Decision == payments.OutcomeUnknown })
	return stored.refund, err
}

// movementOf returns the movement of an approved refund.
func (b records) movementOf(r refund) movementItem {
	return b.movement(r.Kind, r.ChargeID, r.ID, r.Tenant, r.Amount)
}

func (b records) readRefund(ctx context.Context, k table.Key) (refundItem, error) {
	return table.One[refundItem](ctx, b.Client, k, errUnknownRefund)
}

// findCharge reads a charge. For an unknown id it returns the zero item.
func (b records) findCharge(ctx context.Context, id string) (chargeItem, error) {
	item, err := b.readCharge(ctx, id)
	if errors.Is(err, acquirer.ErrUnknownCharge) {
		return chargeItem{}, nil
	}
	return item, err
}
