package files

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type collectionPath struct {
	ID string `path:"collection_id"`
}

type listCollectionsRequest struct {
	rest.Paging
	Status file.CollectionStatus `query:"status"`
}

// listCollections lists the tenant's collections, oldest first. It lists collections with the given status, or all
// except archived collections if none is given.
func (f family) listCollections(ctx context.Context, req listCollectionsRequest) (rest.Listing[collectionView], error) {
	statuses := []file.CollectionStatus{file.Open, file.Closed}
	if req.Status != "" {
		statuses = []file.CollectionStatus{req.Status}
	}
	offset, limit := req.Page()
	page, total, err := f.store.Collections(ctx, rest.Caller(ctx).Tenant, statuses, offset, limit)
	return rest.ListingOf(page, total, viewCollection), err
}

type createCollectionRequest struct {
	Name        string          `json:"name" validate:"required text=255"`
	Description string          `json:"description" validate:"lines=1000"`
	Metadata    member.Metadata `json:"metadata"`
}

// createCollection creates an open collection. A retry under the Idempotency-Key returns the same collection.
func (f family) createCollection(ctx context.Context, req createCollectionRequest) (collectionView, error) {
	now := f.store.Now()
	c, err := f.store.CreateCollection(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, file.Collection{
		ID: file.CollectionID(rest.OperationID(ctx)), Name: req.Name, Description: req.Description,
		Metadata: req.Metadata, Status: file.Open, CreatedAt: now, UpdatedAt: now})
	return viewCollection(c), err
}

func (f family) retrieveCollection(ctx context.Context, req collectionPath) (collectionView, error) {
	c, err := f.store.Collection(ctx, rest.Caller(ctx).Tenant, req.ID)
	return viewCollection(c), err
}

type updateCollectionRequest struct {
	collectionPath
	file.CollectionChange
}

// updateCollection overwrites the fields that are sent. An archived collection cannot be changed.
func (f family) updateCollection(ctx context.Context, req updateCollectionRequest) (collectionView, error) {
	c, err := f.store.UpdateCollection(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, req.ID,
		func(c file.Collection) (file.Collection, error) { return req.Apply(c, f.store.Now()) })
	return viewCollection(c), err
}
