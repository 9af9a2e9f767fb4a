package testprofiles

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// listing has all test profiles of a merchant. A merchant has at most 20, so a listing has no pages.
type listing struct {
	Items []profileView `json:"items"`
}

// listTestProfiles lists the tenant's test profiles, oldest first. Live mode has none.
func (f family) listTestProfiles(ctx context.Context, _ struct{}) (listing, error) {
	t := rest.Caller(ctx).Tenant
	profiles, err := f.store.TestProfiles(ctx, t)
	l := listing{Items: []profileView{}}
	for _, p := range profiles {
		l.Items = append(l.Items, viewProfile(t, p))
	}
	return l, err
}

type createTestProfileRequest struct {
	Name string `json:"name" validate:"text=64"`
}

// createTestProfile creates a test profile. If an interrupted request is repeated under its Idempotency-Key, it returns
// the profile that the first request created. It includes the password, because no answer has shown the password
// before.
func (f family) createTestProfile(ctx context.Context, req createTestProfileRequest) (profileView, error) {
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

// deleteTestProfile deletes a test profile. Its tokens are refused from then on.
func (f family) deleteTestProfile(ctx context.Context, req profilePath) (rest.NoContent, error) {
	caller := rest.Caller(ctx)
	return rest.NoContent{}, f.store.DeleteTestProfile(ctx, rest.By(ctx), caller.Tenant, req.ID, rest.OperationID(ctx),
		func() error { return member.CheckMayChangeTestProfile(caller) })
}

// profileView is the response object of contract §8.4.
type profileView struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Username  string         `json:"username"`
	Password  string         `json:"password,omitempty"` // set only for a new profile
	CreatedAt rest.Timestamp `json:"created_at"`
}

// Redacted returns the profile without its password, for the replay of its creation.
func (v profileView) Redacted() any {
	v.Password = ""
	return v
}

func viewProfile(t identity.Tenant, p member.TestProfile) profileView {
	return profileView{ID: p.ID, Name: p.Name, Username: p.Username(t), CreatedAt: rest.Timestamp(p.CreatedAt)}
}
