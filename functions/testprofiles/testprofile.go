package testprofiles

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// listing has all test profiles of a merchant: at most 20, so there are no pages.
type listing struct {
	Items []profileView `json:"items"`
}

// list lists the tenant's test profiles, the oldest first. In live mode there are none.
func (f family) list(ctx context.Context, _ struct{}) (listing, error) {
	t := rest.Caller(ctx).Tenant
	profiles, err := f.store.TestProfiles(ctx, t)
	l := listing{Items: []profileView{}}
	for _, p := range profiles {
		l.Items = append(l.Items, viewProfile(t, p))
	}
	return l, err
}

type createRequest struct {
	Name string `json:"name" validate:"text=64"`
}

// create makes a test profile. If an interrupted request is repeated under its Idempotency-Key,
// it finds the profile that it has made, and shows the password, which was not shown before.
func (f family) create(ctx context.Context, req createRequest) (profileView, error) {
	caller := rest.Caller(ctx)
	t := caller.Tenant
	if t.Mode != identity.Test {
		return profileView{}, failure.Denied("Test profiles are made with a credential of test mode.")
	}
	if err := member.CheckMayChangeTestProfile(caller); err != nil {
		return profileView{}, err
	}
	p, password, err := member.NewTestProfile(rest.Random(ctx), req.Name, f.store.Now())
	if err != nil {
		return profileView{}, err
	}
	p, err = f.store.CreateTestProfile(ctx, rest.By(ctx), t, p, f.store.PasswordOf(t, rest.OperationID(ctx), password))
	v := viewProfile(t, p)
	v.Password = password.Reveal()
	return v, err
}

type profilePath struct {
	ID string `path:"id"`
}

// delete deletes a test profile, whose tokens are then refused.
func (f family) delete(ctx context.Context, req profilePath) (rest.NoContent, error) {
	caller := rest.Caller(ctx)
	return rest.NoContent{}, f.store.DeleteTestProfile(ctx, rest.By(ctx), caller.Tenant, req.ID, rest.OperationID(ctx),
		func() error { return member.CheckMayChangeTestProfile(caller) })
}

// profileView is the response object of contract §8.4.
type profileView struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Username  string         `json:"username"`
	Password  string         `json:"password,omitempty"` // only of a new profile
	CreatedAt rest.Timestamp `json:"created_at"`
}

// Redacted is the profile without its password, for the replay of its creation.
func (v profileView) Redacted() any {
	v.Password = ""
	return v
}

func viewProfile(t identity.Tenant, p member.TestProfile) profileView {
	return profileView{ID: p.ID, Name: p.Name, Username: p.Username(t), CreatedAt: rest.Timestamp(p.CreatedAt)}
}
