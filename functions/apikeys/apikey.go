package apikeys

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// listAPIKeys lists the tenant's keys, oldest first.
func (f family) listAPIKeys(ctx context.Context, req rest.Paging) (rest.Listing[keyView], error) {
	t := rest.Caller(ctx).Tenant
	keys, err := f.store.APIKeys(ctx, t)
	if err != nil {
		return rest.Listing[keyView]{}, err
	}
	from, to := req.Bounds(len(keys))
	var ids []string
	for _, k := range keys[from:to] {
		ids = append(ids, k.ID)
	}
	used, err := f.store.KeyUses(ctx, t, ids...)
	return rest.PageOf(req, keys, func(k identity.APIKey) keyView { return viewKey(k, used[k.ID]) }), err
}

type keyPath struct {
	ID string `path:"key_id"`
}

func (f family) retrieveAPIKey(ctx context.Context, req keyPath) (keyView, error) {
	t := rest.Caller(ctx).Tenant
	k, err := f.store.APIKey(ctx, t, req.ID)
	if err != nil {
		return keyView{}, err
	}
	used, err := f.store.KeyUses(ctx, t, k.ID)
	return viewKey(k, used[k.ID]), err
}

// createAPIKey creates a key in the caller's mode. The caller must be able to give all its scopes. If an interrupted
// request is repeated under its Idempotency-Key, createAPIKey returns the key that the first request created. The
// response to the repeated request is the first to show the plaintext.
func (f family) createAPIKey(ctx context.Context, req identity.KeyRequest) (keyView, error) {
	k, token, err := identity.APIKeyFrom(rest.Random(ctx), rest.Caller(ctx).Tenant, req, f.store.Now())
	if err != nil {
		return keyView{}, err
	}
	k.Maker = rest.Caller(ctx).Maker()
	k, err = f.store.CreateAPIKey(ctx, rest.By(ctx), k)
	v := viewKey(k, time.Time{})
	v.Plaintext = token
	return v, err
}

type updateAPIKeyRequest struct {
	keyPath
	Name   *string   `json:"name" validate:"text=255"` // may be empty for a public key, but not absent
	Scopes *[]string `json:"scopes" validate:"items=128 text=64"`
}

// updateAPIKey renames a key and replaces its scopes. The caller must be able to give both the old and the new scopes.
func (f family) updateAPIKey(ctx context.Context, req updateAPIKeyRequest) (rest.NoContent, error) {
	switch {
	case req.Name == nil:
		return rest.NoContent{}, failure.Missing("name")
	case req.Scopes == nil:
		return rest.NoContent{}, failure.Missing("scopes")
	}
	_, err := f.store.UpdateAPIKey(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, req.ID,
		func(k identity.APIKey) (identity.APIKey, error) { return k.With(*req.Name, *req.Scopes, f.store.Now()) })
	return rest.NoContent{}, err
}

// deleteAPIKey revokes a key at once. Failure: Conflict if the request was sent with the key itself.
func (f family) deleteAPIKey(ctx context.Context, req keyPath) (rest.NoContent, error) {
	caller := rest.Caller(ctx)
	if req.ID == caller.Actor.ID {
		return rest.NoContent{}, failure.Conflict("A key cannot delete itself.")
	}
	return rest.NoContent{}, f.store.DeleteAPIKey(ctx, rest.By(ctx), caller.Tenant, req.ID, rest.OperationID(ctx))
}

// keyView is the response object of contract §8.2.
type keyView struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Type       identity.Kind   `json:"type"`
	Scopes     []string        `json:"scopes"`
	Preview    string          `json:"preview"`
	Plaintext  string          `json:"plaintext,omitempty"` // only of a new key
	CreatedAt  rest.Timestamp  `json:"created_at"`
	UpdatedAt  rest.Timestamp  `json:"updated_at"`
	LastUsedAt *rest.Timestamp `json:"last_used_at,omitempty"`
	CreatedBy  *makerView      `json:"created_by,omitempty"` // nil where the maker is zero (identity.Maker)
}

// makerView shows the maker of a key in responses (contract §8.2).
type makerView struct {
	Type     string `json:"type"` // member, api_key or client
	ID       string `json:"id"`
	MemberID string `json:"member_id,omitempty"`
	ClientID string `json:"client_id,omitempty"`
	Token    string `json:"token,omitempty"`
}

// viewMaker returns the view of a maker; nil if the maker is zero.
func viewMaker(m identity.Maker) *makerView {
	v := &makerView{Type: "member", ID: m.ID, MemberID: m.Person, ClientID: m.Client, Token: m.Token}
	switch m.Kind {
	case "":
		return nil
	case identity.SecretKey:
		v.Type = "api_key"
	case identity.Client:
		v.Type = "client"
	}
	return v
}

// Redacted returns the key without its plaintext, for the replay of its creation.
func (v keyView) Redacted() any {
	v.Plaintext = ""
	return v
}

// viewKey shows a key. used is the time of the last use; zero if the key was never used.
func viewKey(k identity.APIKey, used time.Time) keyView {
	v := keyView{ID: k.ID, Name: k.Name, Type: k.Kind, Scopes: append([]string{}, k.Scopes...),
		Preview: k.Preview, CreatedAt: rest.Timestamp(k.CreatedAt), UpdatedAt: rest.Timestamp(k.ChangedAt()),
		CreatedBy: viewMaker(k.Maker)}
	slices.Sort(v.Scopes)
	if !used.IsZero() {
		at := rest.Timestamp(used)
		v.LastUsedAt = &at
	}
	return v
}

// merchantTokenView is the response object of contract §8.5.
type merchantTokenView struct {
	AccessToken string `json:"access_token,omitempty"` // only of a new token
	ExpiresIn   int    `json:"expires_in"`             // seconds
	TokenType   string `json:"token_type"`
}

// Redacted returns the view without the token, for the replay of its creation.
func (v merchantTokenView) Redacted() any {
	v.AccessToken = ""
	return v
}

// createMerchantToken creates a merchant token for the caller. If a request is repeated after an interruption, it
// creates another token, because the first token's text is lost. A text derived from the Idempotency-Key would not be
// lost. But an expired token would become valid again when a client reuses its Idempotency-Key.
func (f family) createMerchantToken(ctx context.Context, req identity.MerchantTokenRequest) (merchantTokenView, error) {
	now := f.store.Now()
	t, text, err := rest.Caller(ctx).MerchantTokenFrom(rand.Reader, req, now)
	if err != nil {
		return merchantTokenView{}, err
	}
	t, err = f.store.CreateMerchantToken(ctx, rest.By(ctx), t)
	left := max(0, t.ExpiresAt.Sub(now))
	return merchantTokenView{AccessToken: text, ExpiresIn: int(left / time.Second), TokenType: "Bearer"}, err
}
