package provision

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// createOAuthClient registers a client (contract §10). Restricted scopes wait for approve_oauth_client.
type createOAuthClient struct {
	tenantArguments
	oauth.Registration
}

// clientView shows the operator a client. Its secret is shown only when it is created.
type clientView struct {
	ClientID      string     `json:"client_id"`
	Secret        string     `json:"client_secret,omitempty"`
	MerchantCode  string     `json:"merchant_code"`
	Mode          string     `json:"mode"`
	Name          string     `json:"name"`
	RedirectURIs  []string   `json:"redirect_uris"`
	Scopes        []string   `json:"scopes"`
	Approved      []string   `json:"approved_scopes"`                 // the restricted scopes that are approved
	PreviousUntil *time.Time `json:"previous_secret_until,omitempty"` // when the previous secret ends
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
	RevokedAt     *time.Time `json:"revoked_at,omitempty"`
}

func (o operator) clientView(c oauth.Client, secret string) clientView {
	view := clientView{ClientID: c.ID, Secret: secret, MerchantCode: c.Tenant.Merchant, Mode: c.Tenant.Mode.Name(),
		Name: c.Name, RedirectURIs: nonNil(c.RedirectURIs), Scopes: nonNil(c.Scopes), Approved: nonNil(c.Approved),
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}
	if o.Now().Before(c.PreviousUntil) {
		view.PreviousUntil = &c.PreviousUntil
	}
	if c.Revoked() {
		view.RevokedAt = &c.RevokedAt
	}
	return view
}

// nonNil returns the list for JSON, which never has null.
func nonNil(texts []string) []string { return append([]string{}, texts...) }

func (o operator) createOAuthClient(ctx context.Context, t identity.Tenant, c createOAuthClient) (clientView, error) {
	client, secret, err := oauth.NewClient(t, c.Registration, o.Now())
	if err != nil {
		return clientView{}, err
	}
	if client, err = o.Store.CreateOAuthClient(ctx, o.by, client); err != nil {
		return clientView{}, err
	}
	o.Log.InfoContext(ctx, "OAuth client created", "merchant", t.Merchant, "client", client.ID, "mode", t.Mode.Name())
	return o.clientView(client, secret), nil
}

// updateOAuthClient changes the given fields. A restricted scope that was removed needs a new approval to return.
type updateOAuthClient struct {
	ClientID string `json:"client_id" validate:"required"`
	oauth.Registration
}

func (o operator) updateOAuthClient(ctx context.Context, c updateOAuthClient) (clientView, error) {
	return o.changeClient(ctx, c.ClientID, "", "OAuth client updated", func(client oauth.Client) (oauth.Client, error) {
		return client.With(c.Registration)
	})
}

// approveOAuthClient approves exactly the given restricted scopes. An empty list withdraws all (contract §2.1).
type approveOAuthClient struct {
	ClientID string    `json:"client_id" validate:"required"`
	Scopes   *[]string `json:"scopes" validate:"items=128 text=64"`
}

func (o operator) approveOAuthClient(ctx context.Context, c approveOAuthClient) (clientView, error) {
	if c.Scopes == nil {
		return clientView{}, failure.Missing("scopes")
	}
	return o.changeClient(ctx, c.ClientID, "", "OAuth client approved", func(client oauth.Client) (oauth.Client, error) {
		return client.ApprovedFor(*c.Scopes)
	})
}

// rotateOAuthSecret gives a client a new secret. The old secret is accepted for 24 h more. A second rotation within 24
// h, for example after a leak, needs force, which ends all old secrets at once (oauth.Client.Rotated).
type rotateOAuthSecret struct {
	ClientID string `json:"client_id" validate:"required"`
	Force    bool   `json:"force"`
}

func (o operator) rotateOAuthSecret(ctx context.Context, c rotateOAuthSecret) (clientView, error) {
	secret, err := oauth.NewSecret(rand.Reader)
	if err != nil {
		return clientView{}, err
	}
	return o.changeClient(ctx, c.ClientID, secret, "OAuth client secret rotated",
		func(client oauth.Client) (oauth.Client, error) { return client.Rotated(secret, c.Force, o.Now()) })
}

type clientArgument struct {
	ClientID string `json:"client_id" validate:"required"`
}

// revokeOAuthClient revokes a client for good. The client's tokens are refused from the next request on. The command
// may be repeated.
func (o operator) revokeOAuthClient(ctx context.Context, c clientArgument) (clientView, error) {
	return o.changeClient(ctx, c.ClientID, "", "OAuth client revoked", func(client oauth.Client) (oauth.Client, error) {
		return client.Ended(o.Now()), nil
	})
}

// changeClient changes a client and logs it. secret is the client's new secret, for the answer, or "".
func (o operator) changeClient(ctx context.Context, id, secret, done string,
	change func(oauth.Client) (oauth.Client, error)) (clientView, error) {
	c, err := o.Store.UpdateOAuthClient(ctx, o.by, id, change)
	if err != nil {
		return clientView{}, err
	}
	o.Log.InfoContext(ctx, done, "merchant", c.Tenant.Merchant, "client", c.ID)
	return o.clientView(c, secret), nil
}

// showOAuthClient shows a client without its secret.
func (o operator) showOAuthClient(ctx context.Context, c clientArgument) (clientView, error) {
	client, err := o.Store.OAuthClient(ctx, c.ClientID)
	return o.clientView(client, ""), err
}
