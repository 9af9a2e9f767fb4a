package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// FindTransaction reads the transaction with an id or a code, with its events,
// consistently. Of several with one code it returns the successful one, else
// the newest (contract §6.1). Failure: NotFound.
func (s *View) FindTransaction(ctx context.Context, t identity.Tenant, idOrCode string) (Record, error) {
	code := idOrCode
	if uuid.Validate(idOrCode) == nil {
		code = payments.CodeOfID(idOrCode)
	}
	records, err := s.Transactions(ctx, t, code)
	if err != nil {
		return Record{}, err
	}
	records = slices.DeleteFunc(records, func(r Record) bool { return r.ID != idOrCode && r.Code != idOrCode })
	if len(records) == 0 {
		return Record{}, errNoTransaction
	}
	return Preferred(records), nil
}

// Preferred is the successful one of several records with the same code, else
// the newest (contract §6.1). There must be at least one.
func Preferred(records []Record) Record {
	return slices.MinFunc(records, func(a, b Record) int {
		return cmp.Or(rank(a.Status)-rank(b.Status), b.CreatedAt.Compare(a.CreatedAt))
	})
}
