// Package files serves the families of contract §8.3: a merchant's collections and files. It also consumes the queue of
// objects to delete and of shards to compare with their records. No other function reaches the bucket.
package files

import (
	"context"
	"log/slog"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/file/s3"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reconcile/object"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type storage interface {
	CheckMove(ctx context.Context, t identity.Tenant, from, to string) error
	Collection(ctx context.Context, t identity.Tenant, id string) (file.Collection, error)
	Collections(ctx context.Context, t identity.Tenant, statuses []file.CollectionStatus,
		offset, limit int) ([]file.Collection, int, error)
	CreateCollection(ctx context.Context, by audit.By, t identity.Tenant, c file.Collection) (file.Collection, error)
	CreateFile(ctx context.Context, by audit.By, t identity.Tenant, f file.File) (file.File, error)
	DeleteFile(ctx context.Context, by audit.By, t identity.Tenant, id, operation string) (file.File, error)
	DropFile(ctx context.Context, by audit.By, t identity.Tenant, id, operation, reason string) (file.File, error)
	DroppedFile(ctx context.Context, t identity.Tenant, id, operation string) (file.File, string, error)
	File(ctx context.Context, t identity.Tenant, id string) (file.File, error)
	Files(ctx context.Context, t identity.Tenant, filter store.FileFilter, offset, limit int) ([]file.File, int, error)
	Now() time.Time
	ObjectDeleted(ctx context.Context, object string, at time.Time) error
	ObjectEntry(ctx context.Context, object string) (file.Entry, error)
	UpdateCollection(ctx context.Context, by audit.By, t identity.Tenant, id string,
		change func(file.Collection) (file.Collection, error)) (file.Collection, error)
	UpdateFile(ctx context.Context, by audit.By, t identity.Tenant, id string,
		change func(file.File) (file.File, error)) (file.File, error)
}

type family struct {
	store    storage
	objects  file.Objects
	comparer object.Comparer
	wallNow  func() time.Time // S3's clock
	queue    *queue.Files
	log      *slog.Logger
}

func newFamily(a *app.App) family {
	objects := s3.New(a.AWS(a.S3Endpoint), a.FileBucket)
	return family{store: a.Store, objects: objects, wallNow: a.WallNow, queue: queue.OpenFiles(a), log: a.Log,
		comparer: object.Comparer{Store: a.Store.View, Objects: objects, Log: a.Log, Metrics: a.Metrics}}
}

// Routes returns the routes of the families Collections and Files.
func Routes(a *app.App) []rest.Route {
	f := newFamily(a)
	const merchant = "/v0.1/merchants/{merchant_code}"
	const collections, files = merchant + "/collections", merchant + "/files"
	const collection, one = collections + "/{collection_id}", files + "/{file_id}"
	write := []string{"files.write"}
	read := append([]string{"files.read"}, write...)
	return []rest.Route{
		{Method: "GET", Path: collections, Scopes: read, Handle: rest.JSON(200, f.listCollections)},
		{Method: "POST", Path: collections, Scopes: write, Handle: rest.JSON(201, f.createCollection)},
		{Method: "GET", Path: collection, Scopes: read, Handle: rest.JSON(200, f.retrieveCollection)},
		{Method: "PUT", Path: collection, Scopes: write, Handle: rest.JSON(200, f.updateCollection)},
		{Method: "GET", Path: files, Scopes: read, Handle: rest.JSON(200, f.listFiles)},
		{Method: "POST", Path: files, Scopes: write, Handle: rest.JSON(201, f.createFile)},
		{Method: "GET", Path: one, Scopes: read, Handle: rest.JSON(200, f.retrieveFile)},
		{Method: "PUT", Path: one, Scopes: write, Handle: rest.JSON(200, f.updateFile)},
		{Method: "DELETE", Path: one, Scopes: write, Handle: rest.JSON(204, f.deleteFile)},
	}
}
