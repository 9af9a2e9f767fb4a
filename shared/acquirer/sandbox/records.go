package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/table"
)

// The sandbox's items:
//
//	entity       pk                             sk
//	charge       SANDBOX#CHARGE#<id>            CHARGE
//	movement     SANDBOX#CHARGE#<id>            CAPTURE#<random>       money came in,
//	                                            REFUND#<random>        went back by a refund, or
//	                                            CHARGEBACK#<random>    was taken back by the issuer
//	refund       SANDBOX#REFUND#<id>            REFUND             or a tombstone in its place
//	chargeback   SANDBOX#CHARGEBACK#<id>        CHARGEBACK
//	page         SANDBOX#PAGE#<sha256 of token> PAGE               PaReq or bank session → charge
//	stored card  SANDBOX#CARD#<token>           CARD
//	hint         SANDBOX#HINT#<random>          HINT               expires
const (
	chargePrefix = "SANDBOX#CHARGE#"
	chargeSort   = "CHARGE"
	pageSort     = "PAGE"
	cardSort     = "CARD"
)

func chargePartition(id string) string  { return chargePrefix + id }
func cardPartition(token string) string { return "SANDBOX#CARD#" + token }

func pagePartition(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "SANDBOX#PAGE#" + hex.EncodeToString(sum[:])
}

type chargeItem struct {
	table.Key
	Version int    `dynamo:"version"`
	WriteID string `dynamo:"write_id"` // random for each write, so that a writer recognises its own write
	charge
}

type pageItem struct {
	table.Key
	ChargeID string `dynamo:"charge_id"`
}

type cardItem struct {
	table.Key
	Owner    string               `dynamo:"owner"` // see charge.owner
	Scenario scenario             `dynamo:"scenario"`
	Card     payments.CardSummary `dynamo:"card"`
}

var errNoCard = errors.New("sandbox: unknown stored card")

// records reads and writes the sandbox's records in the table.
type records struct{ table.Client }

// createCharge stores a new charge, its page if it has one, and a hint if its outcome changes later. For a known id it
// returns the stored charge and false.
func (b records) createCharge(ctx context.Context, c charge, pageToken string) (charge, bool, error) {
	item := b.item(c, 1)
	tx := b.newWriteTx(item, b.Table.Put(item).If("attribute_not_exists(pk)"))
	if pageToken != "" {
		tx.Put(b.Table.Put(pageItem{Key: table.NewKey(pagePartition(pageToken), pageSort), ChargeID: c.ID}))
	}
	if c.Decision == payments.OutcomeUnknown {
		tx.Put(b.putHint(c.hint(), c.DecidesAt))
	}
	stored, err := table.Write(ctx, b.Client, item.Key, item, tx.Run, nil)
	return stored.charge, stored.WriteID == item.WriteID, err
}

// move applies the rule of a call to a charge and returns the new charge. Errors: ErrUnknownCharge.
func (b records) move(ctx context.Context, id string, rule func(charge) charge) (charge, error) {
	return b.moveBy(ctx, id, rule, b.newWriteTx)
}

// moveByPayer applies the rule of a payer's decision to a charge and returns the new charge. With a changed charge it
// stores a hint. Errors: ErrUnknownCharge.
func (b records) moveByPayer(ctx context.Context, id string, rule func(charge) charge) (charge, error) {
	return b.moveBy(ctx, id, rule, b.newHintedTx)
}

// moveBy applies a rule to a charge, and stores the new charge by the transaction newTx. If another writer was faster,
// moveBy applies the rule again, to the charge's new state.
func (b records) moveBy(ctx context.Context, id string, rule func(charge) charge,
	newTx func(chargeItem, *dynamo.Put) *dynamo.WriteTx) (charge, error) {
	for {
		before, err := b.readCharge(ctx, id)
		if err != nil {
			return charge{}, err
		}
		after := rule(before.charge)
		if after.Decision == before.Decision {
			return before.charge, nil
		}
		item := b.item(after, before.Version+1)
		cause := newTx(item, b.Table.Put(item).If("version = ?", before.Version)).Run(ctx)
		if cause == nil {
			return after, nil
		}
		stored, err := b.readCharge(ctx, id)
		switch {
		case err != nil:
			return charge{}, errors.Join(cause, err)
		case stored.WriteID == item.WriteID:
			return after, nil
		case stored.Version == before.Version:
			return charge{}, cause
		}
	}
}

func (b records) item(c charge, version int) chargeItem {
	return chargeItem{Key: table.NewKey(chargePartition(c.ID), chargeSort), Version: version,
		WriteID: uuid.NewString(), charge: c}
}

// newWriteTx returns the transaction that stores a charge and, if the charge is approved, its capture and card. An
// approved charge is never decided again, so the condition of the parameter put allows only one capture.
func (b records) newWriteTx(item chargeItem, put *dynamo.Put) *dynamo.WriteTx {
	tx := b.Transaction().Put(put)
	if item.captures() {
		tx.Put(b.Table.Put(b.movement(acquirer.CaptureMovement, item.ID, item.ID, item.Tenant, item.Amount)))
	}
	if item.Decision == payments.Approved && item.KeepsCard {
		tx.Put(b.Table.Put(cardItem{Key: table.NewKey(cardPartition(item.Card.AcquirerToken), cardSort),
			Owner: item.owner(), Scenario: item.Scenario, Card: *item.Card}))
	}
	return tx
}

func (b records) readCharge(ctx context.Context, id string) (chargeItem, error) {
	return table.One[chargeItem](ctx, b.Client, table.NewKey(chargePartition(id), chargeSort), acquirer.ErrUnknownCharge)
}

// readPage returns the id of the charge that a page's token belongs to. Errors: ErrUnknownCharge.
func (b records) readPage(ctx context.Context, token string) (string, error) {
	item, err := table.One[pageItem](ctx, b.Client, table.NewKey(pagePartition(token), pageSort),
		acquirer.ErrUnknownCharge)
	return item.ChargeID, err
}

func (b records) readCard(ctx context.Context, token string) (cardItem, error) {
	return table.One[cardItem](ctx, b.Client, table.NewKey(cardPartition(token), cardSort), errNoCard)
}

func (b records) deleteCard(ctx context.Context, token string) error {
	return b.Delete(table.NewKey(cardPartition(token), cardSort)).Run(ctx)
}

// movementItem has a random key, so that a duplicate would be stored and noticed. Conditions on other items prevent
// duplicates.
type movementItem struct {
	table.Key
	table.Booked
	ID      string        `dynamo:"id"` // id of the charge, refund or chargeback
	Kind    acquirer.Kind `dynamo:"kind"`
	Tenant  string        `dynamo:"tenant,omitempty"`
	Amount  money.Amount  `dynamo:"amount"`
	MovedAt time.Time     `dynamo:"moved_at"`
}

// movementPrefix returns the prefix of the sort keys of one kind of movement.
func movementPrefix(kind acquirer.Kind) string { return strings.ToUpper(string(kind)) + "#" }

// movement returns the item that records a movement of a charge's money at this moment.
func (b records) movement(kind acquirer.Kind, chargeID, id, tenant string, amount money.Amount) movementItem {
	now, sort := b.Time(), movementPrefix(kind)+rand.Text()
	return movementItem{
		Key: table.NewKey(chargePartition(chargeID), sort), Booked: table.NewBooked(movements, now, sort),
		ID: id, Kind: kind, Tenant: tenant, Amount: amount, MovedAt: now,
	}
}

// Moved returns the sums of a charge's stored movements, by kind. It ignores the amounts in the charge and its refunds.
func (a *Acquirer) Moved(ctx context.Context, chargeID string) (map[acquirer.Kind]money.Amount, error) {
	all, err := a.records.readMovements(ctx, chargeID)
	if err != nil {
		return nil, err
	}
	sums := map[acquirer.Kind]money.Amount{}
	for _, m := range all {
		sum, ok := sums[m.Kind]
		if !ok {
			sum = money.Zero(m.Amount.Currency())
		}
		if sums[m.Kind], err = sum.Add(m.Amount); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// readMovements returns the movements of one charge. These are all items of the charge's partition except the charge
// itself.
func (b records) readMovements(ctx context.Context, chargeID string) ([]movementItem, error) {
	var items, found []movementItem
	err := b.Table.Get("pk", chargePartition(chargeID)).Consistent(true).All(ctx, &items)
	for _, m := range items {
		if m.SK != chargeSort {
			found = append(found, m)
		}
	}
	return found, err
}
