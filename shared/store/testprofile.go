package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

type testProfileItem struct {
	key
	WriteID string `dynamo:"write_id"`
	member.TestProfile
}

// TestProfile reads a test profile, consistently. Failure: NotFound.
func (s *Reader) TestProfile(ctx context.Context, t identity.Tenant, id string) (member.TestProfile, error) {
	var item testProfileItem
	err := s.get(testProfileKey(t, id)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		err = failure.NotFound("There is no such test profile.")
	}
	return item.TestProfile, err
}
