package sweep

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// sweepObject drops a file that was not uploaded in time. If the file of an object is gone, it sends a message to the
// function files, which alone reaches S3, to delete the object; and again until files has recorded that. So it does no
// harm that a process dies between any two steps.
func (t *tick) sweepObject(ctx context.Context, key string) error {
	e, err := t.Store.ObjectEntry(ctx, key)
	if err == nil && e.State == file.ObjectPending && e.Due(t.at) {
		if err = t.drop(ctx, e); err == nil {
			e, err = t.Store.ObjectEntry(ctx, key)
		}
	}
	switch {
	case failure.Is(err, failure.KindNotFound): // the index lags
		return nil
	case err != nil || e.State != file.ObjectDoomed || !e.Due(t.Store.Now()):
		return err
	}
	if err = t.files.Send(ctx, app.FileMessage{Object: file.ObjectID(key)}); err != nil {
		return err
	}
	if err = t.Store.SaveObjectEntry(ctx, e.Sent(t.at)); errors.Is(err, store.ErrStale) { // it was handled meanwhile
		return nil
	}
	return err
}

// drop drops a pending file. An entry without a file, which should not exist, is doomed, so that its object is deleted.
func (t *tick) drop(ctx context.Context, e file.Entry) error {
	_, err := t.Store.DropFile(ctx, t.by, e.Tenant, e.File, "sweep", "")
	switch {
	case failure.Is(err, failure.KindNotFound):
		err = t.Store.SaveObjectEntry(ctx, e.Doom(t.at))
		if errors.Is(err, store.ErrStale) { // the file was deleted meanwhile
			return nil
		}
		return err
	case errors.Is(err, store.ErrNotPending): // it was completed in time after all
		return nil
	default:
		return err
	}
}
