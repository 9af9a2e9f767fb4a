package files

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// Consume returns a handler of messages. A message names an object to delete, or a shard whose objects are to be
// compared. An error of the store or S3 leaves the message in the queue. If the queue gives up a message, a later
// message does the same work: the sweep sends another message to delete the object, and reconcile sends messages to
// compare shards in the following night.
func Consume(a *app.App) func(ctx context.Context, body string) error {
	f := newFamily(a)
	return app.Consume(a, func(ctx context.Context, _ identity.Tenant, m app.FileMessage) error {
		if m.Shard != nil {
			return f.compare(ctx, m)
		}
		return f.deleteDoomed(ctx, file.Prefix+m.Object)
	})
}

// compare compares the objects of a shard, beginning after the object that the message names. If compare stops early
// after some objects, it sends another message, which continues after them. Each message begins further on, so the
// chain ends with the shard.
func (f family) compare(ctx context.Context, m app.FileMessage) error {
	last, whole, err := f.comparer.Shard(ctx, *m.Shard, m.After)
	switch {
	case whole:
		return nil
	case last == m.After:
		return err
	case err != nil:
		f.log.WarnContext(ctx, "comparison of objects cut off", "error", err)
	}
	m.After = last
	return f.queue.Send(ctx, m)
}

// deleteDoomed deletes an object whose file is gone. If the object has a file, the message is wrong and the object
// stays. An object without an entry is deleted, too: either it was deleted before, or an operator wants it deleted.
// Each upload has an entry, so such an object did not come by an upload.
func (f family) deleteDoomed(ctx context.Context, object string) error {
	e, err := f.store.ObjectEntry(ctx, object)
	switch {
	case failure.Is(err, failure.KindNotFound):
		return f.objects.Delete(ctx, object)
	case err != nil:
		return err
	case e.State != file.ObjectDoomed:
		f.log.ErrorContext(ctx, "an object with a file is not deleted", "file", e.File)
		return nil
	}
	return f.deleteObject(ctx, object)
}

// deleteObject deletes all versions of a doomed object and records the deletion. It may be repeated.
func (f family) deleteObject(ctx context.Context, object string) error {
	began := f.store.Now()
	if err := f.objects.Delete(ctx, object); err != nil {
		return err
	}
	return f.store.ObjectDeleted(ctx, object, began)
}
