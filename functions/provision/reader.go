package provision

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// setReaderOffline takes a virtual reader offline, or puts it online again (contract §13.7). Repeating it is fine. Only
// test mode has virtual readers.
type setReaderOffline struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Mode         string `json:"mode"` // live or test; the first key's unless given
	ReaderID     string `json:"reader_id" validate:"required"`
	Offline      *bool  `json:"offline" validate:"required"`
}

type readerSet struct {
	ReaderID string `json:"reader_id"`
	Offline  bool   `json:"offline"`
}

func (o operator) setReaderOffline(ctx context.Context, c setReaderOffline) (readerSet, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return readerSet{}, err
	}
	err = o.Virtual.SetOffline(ctx, t.String(), c.ReaderID, *c.Offline)
	if errors.Is(err, terminal.ErrUnpaired) {
		return readerSet{}, failure.NotFound("The merchant has no such virtual reader.").WithCause(err)
	}
	return readerSet{c.ReaderID, *c.Offline}, err
}
