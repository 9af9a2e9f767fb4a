package files

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// answerTime is reserved at the end of a request to record the result of reading the content.
	answerTime = 5 * time.Second
	// deleteTime limits how long a request deletes content. The queue's consumer deletes the rest.
	deleteTime = 3 * time.Second
)

type updateFileRequest struct {
	filePath
	Status     *string `json:"status" validate:"one-of=uploaded"`
	Collection *string `json:"collection_id"` // "" for none
}

// errNothingUploaded is not stored under an Idempotency-Key, because the upload may be under way (contract §2.8).
var errNothingUploaded = failure.Conflict("Nothing was uploaded yet.").AsTransient()

// contentMismatch refuses a pending file whose content is not as declared.
type contentMismatch struct {
	file   file.File
	reason string // for people
}

func (d contentMismatch) Error() string { return d.reason }

// updateFile completes a file, moves it, or both. It drops a file whose content is not as declared. The request may be
// repeated.
func (f family) updateFile(ctx context.Context, req updateFileRequest) (fileView, error) {
	if req.Status == nil && req.Collection == nil {
		return fileView{}, failure.Missing("status")
	}
	t, operation := rest.Caller(ctx).Tenant, rest.OperationID(ctx)
	var seen file.Content // the file's content, read once however often the change is retried
	one, err := f.store.UpdateFile(ctx, rest.By(ctx), t, req.ID, func(before file.File) (file.File, error) {
		after := before
		if req.Collection != nil {
			after = before.Move(*req.Collection, f.store.Now())
		}
		if req.Status == nil || before.Status == file.Uploaded {
			return after, nil
		}
		return f.complete(ctx, t, before, after, &seen)
	})
	var differs contentMismatch
	switch {
	case errors.As(err, &differs):
		return fileView{}, f.refuseContent(ctx, t, differs, operation)
	case failure.Is(err, failure.KindNotFound):
		return fileView{}, f.repeatRefusal(ctx, t, req.ID, operation, err)
	}
	return viewFile(one), err
}

// complete completes a pending file if its content is right. It reads the content into seen only once. If the
// collection refuses the file, it does not read the content. Errors: contentMismatch; Conflict without an upload;
// Upstream; the collections' errors.
func (f family) complete(ctx context.Context, t identity.Tenant, before, after file.File,
	seen *file.Content) (file.File, error) {
	err := f.store.CheckMove(ctx, t, before.Collection, after.Collection)
	if err != nil {
		return before, err
	}
	if seen.Revision == "" {
		*seen, err = f.inspect(ctx, before)
	}
	switch {
	case errors.Is(err, file.ErrNoObject):
		return before, errNothingUploaded
	case err != nil:
		return before, failure.Upstream(err)
	}
	if reason := before.Differs(*seen); reason != "" {
		return before, contentMismatch{before, reason}
	}
	return after.Complete(*seen, f.store.Now()), nil
}

// inspect reads the whole content of a file. Errors: file.ErrNoObject; S3's errors.
func (f family) inspect(ctx context.Context, one file.File) (file.Content, error) {
	ctx, cancel := deadline.Early(ctx, answerTime)
	defer cancel()
	object, err := f.objects.Open(ctx, one.Object)
	if err != nil {
		return file.Content{}, err
	}
	defer object.Content.Close()
	return one.Inspect(object)
}

// refuseContent drops a file whose content is not as declared. It returns Conflict after the drop.
func (f family) refuseContent(ctx context.Context, t identity.Tenant, d contentMismatch, operation string) error {
	one, err := f.store.DropFile(ctx, rest.By(ctx), t, d.file.ID, operation, d.reason)
	switch {
	case errors.Is(err, store.ErrNotPending):
		return store.ErrContended // another request has completed the file; the next try sees this
	case err != nil:
		return err
	}
	f.deleteNow(ctx, one)
	return failure.Conflict(d.reason)
}

// repeatRefusal returns refuseContent's failure if this operation dropped the file before. Otherwise it returns
// missing.
func (f family) repeatRefusal(ctx context.Context, t identity.Tenant, id, operation string, missing error) error {
	one, reason, err := f.store.DroppedFile(ctx, t, id, operation)
	switch {
	case failure.Is(err, failure.KindNotFound):
		return missing
	case err != nil:
		return err
	}
	f.deleteNow(ctx, one)
	return failure.Conflict(reason)
}

// deleteNow deletes the content of a deleted file. It only logs failures: the entry stays, and the sweep tries again.
func (f family) deleteNow(ctx context.Context, one file.File) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTime)
	defer cancel()
	if err := f.deleteObject(ctx, one.Object); err != nil {
		f.log.WarnContext(ctx, "content not deleted yet", "file", one.ID, "error", err)
	}
}
