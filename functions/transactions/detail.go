package transactions

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
)

type detailRequest struct{ identifiers }

// detail is retrieveTransaction: exactly one identifier.
func (f family) detail(ctx context.Context, req detailRequest) (transaction, error) {
	if req.given() != 1 {
		return transaction{}, failure.Invalid("", "Give exactly one identifier.")
	}
	r, err := f.find(ctx, req.identifiers)
	if err != nil {
		return transaction{}, err
	}
	return f.view(ctx, r), nil
}
