package merchants

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

// passwordBucket is how many passwords a tenant may set (contract §2.9). Each costs up to
// five hashes, which is a second of a function's share of a processor, and all tenants
// share the functions that may run at a time.
var passwordBucket = store.Bucket{Rate: 1, Burst: 100}

// newPassword is a password that a request sets. It counts once, however often the write
// is tried.
type newPassword struct {
	family
	choice   *member.Choice
	admitted bool
}

func (f family) newPassword(text secret.Text) *newPassword {
	return &newPassword{family: f, choice: member.Choose(text)}
}

// set are the passwords with the new one. Failures: Invalid for one that was used before;
// TooMany.
func (p *newPassword) set(ctx context.Context, before member.Passwords) (member.Passwords, error) {
	if err := p.admit(ctx); err != nil {
		return before, err
	}
	after, err := before.With(ctx, p.choice, rest.OperationID(ctx), p.store.Now())
	if errors.Is(err, member.ErrUsedBefore) {
		err = failure.Invalid("password", "must not be one that was used before")
	}
	return after, err
}

// admit takes a token of the tenant's. Unlike other limits it holds when the counters do
// not answer: nothing can be written then anyway.
func (p *newPassword) admit(ctx context.Context) error {
	if p.admitted {
		return nil
	}
	subject := "passwords " + rest.Caller(ctx).Tenant.String()
	granted, full, err := p.store.LeaseTokens(ctx, subject, passwordBucket, 1, time.Time{})
	if err != nil {
		return err
	}
	if granted == 0 {
		return failure.TooMany(passwordBucket.Wait(p.store.Now(), full))
	}
	p.admitted = true
	return nil
}
