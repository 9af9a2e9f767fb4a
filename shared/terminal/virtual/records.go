package virtual

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/table"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// The terminals' items. A pairing's item never changes; the device's item names its current pairing.
//
//	entity    pk                        sk
//	pairing   TERMINAL#PAIRING#<id>     PAIRING  or a tombstone in its place, without a serial number
//	device    TERMINAL#DEVICE#<serial>  DEVICE
//	sale      TERMINAL#SALE#<checkout>  SALE
const kind = "TERMINAL"

func keyOf(entity, id string) table.Key { return table.NewKey(kind+"#"+entity+"#"+id, entity) }

func pairingKey(id string) table.Key    { return keyOf("PAIRING", id) }
func deviceKey(serial string) table.Key { return keyOf("DEVICE", serial) }
func saleKey(checkout string) table.Key { return keyOf("SALE", checkout) }

type item[T any] struct {
	table.Key
	Version int    `dynamo:"version"`
	WriteID string `dynamo:"write_id"` // random for each write, so that a writer recognises its own write
	Record  T      `dynamo:"record"`
}

// next returns the item with a new record, to be written over this item.
func (i item[T]) next(record T) item[T] {
	return item[T]{Key: i.Key, Version: i.Version + 1, WriteID: uuid.NewString(), Record: record}
}

var (
	errNone    = errors.New("virtual: no such record")
	errChanged = errors.New("virtual: another writer was faster")
)

// read reads a record. If the record does not exist, it returns errNone and the item for the record's first write.
func read[T any](ctx context.Context, r table.Client, k table.Key) (item[T], error) {
	var stored item[T]
	err := r.Get(k).One(ctx, &stored)
	if errors.Is(err, dynamo.ErrNotFound) {
		return item[T]{Key: k}, errNone
	}
	return stored, err
}

// newPut returns the write that replaces the earlier version of an item.
func newPut[T any](r table.Client, i item[T]) *dynamo.Put {
	if i.Version == 1 {
		return r.Table.Put(i).If("attribute_not_exists(pk)")
	}
	return r.Table.Put(i).If("version = ?", i.Version-1)
}

// write stores an item by calling run, which is a Put or a transaction. After a lost reply it recognises its own write.
// Errors: errChanged; after any other error the item may have been written.
func write[T any](ctx context.Context, r table.Client, i item[T], run func(context.Context) error) error {
	cause := run(ctx)
	if cause == nil {
		return nil
	}
	stored, err := read[T](ctx, r, i.Key)
	switch {
	case err != nil && !errors.Is(err, errNone):
		return errors.Join(cause, err)
	case stored.WriteID == i.WriteID:
		return nil
	case stored.Version >= i.Version:
		return errChanged
	default:
		return cause
	}
}

// change applies a rule to a record, and returns the new record. When another writer was faster, change applies the
// rule again to the record's new state. The rule returns false to leave the record unchanged. Errors: errNone.
func change[T any](ctx context.Context, r table.Client, k table.Key, rule func(T) (T, bool)) (T, error) {
	for {
		before, err := read[T](ctx, r, k)
		if err != nil {
			return before.Record, err
		}
		record, ok := rule(before.Record)
		if !ok {
			return before.Record, nil
		}
		after := before.next(record)
		if err := write(ctx, r, after, newPut(r, after).Run); !errors.Is(err, errChanged) {
			return record, err
		}
	}
}

// storeWithDevice stores a new record with its device's change. Errors: errChanged, when another writer changed either.
func storeWithDevice[T any](ctx context.Context, r table.Client, first item[T], d item[device]) error {
	err := write(ctx, r, first, r.Transaction().Put(newPut(r, first)).Put(newPut(r, d)).Run)
	if err == nil || errors.Is(err, errChanged) {
		return err
	}
	if now, readErr := read[device](ctx, r, d.Key); readErr == nil && now.Version >= d.Version {
		return errChanged
	}
	return err
}

// readPaired reads the device of a pairing. Error: terminal.ErrUnpaired.
func readPaired(ctx context.Context, r table.Client, id string) (item[device], error) {
	p, err := read[pairing](ctx, r, pairingKey(id))
	if errors.Is(err, errNone) || err == nil && p.Record.Serial == "" {
		return item[device]{}, terminal.ErrUnpaired
	}
	if err != nil {
		return item[device]{}, err
	}
	d, err := read[device](ctx, r, deviceKey(p.Record.Serial))
	if err == nil && d.Record.Pairing != id {
		return d, terminal.ErrUnpaired
	}
	return d, err
}
