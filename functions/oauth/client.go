package oauth

import (
	"context"
	"net/url"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// credentials come in a body (RFC 6749 §2.3.1) or the Authorization header, never in a URL, because URLs get into logs.
type credentials struct {
	ClientID     string      `form:"client_id" json:"client_id" validate:"text=255"`
	ClientSecret secret.Text `form:"client_secret" json:"client_secret" validate:"text=255"`
}

// errTwoClients refuses a request that authenticates in two ways (RFC 6749 §2.3).
var errTwoClients = oauth.Refused(oauth.InvalidRequest,
	"Send the client's credentials with HTTP Basic or in the body, not both.")

// authenticate returns the request's client. Failures: invalid_request if the request has two credentials; else
// oauth.ErrClient.
func (f family) authenticate(ctx context.Context, body credentials) (oauth.Client, error) {
	id, text, err := readCredentials(ctx, body)
	if err != nil {
		return oauth.Client{}, err
	}
	if id == "" {
		return oauth.Client{}, oauth.ErrClient
	}
	c, err := f.store.OAuthClient(ctx, id)
	if failure.Is(err, failure.KindNotFound) || err == nil && !c.Authenticates(text, f.store.Now()) {
		err = oauth.ErrClient
	}
	return c, err
}

// readCredentials returns the credentials in the Authorization header, else those in the body. A request with the
// header may repeat the client_id in its body (RFC 6749 §3.2.1), but not the secret.
func readCredentials(ctx context.Context, body credentials) (string, secret.Text, error) {
	name, password, basic := rest.BasicAuth(ctx)
	if !basic {
		return body.ClientID, body.ClientSecret, nil
	}
	id, err := url.QueryUnescape(name) // RFC 6749 §2.3.1: encoded like the fields of a form
	if err != nil {
		return "", secret.Text{}, oauth.ErrClient
	}
	text, err := url.QueryUnescape(password.Reveal())
	switch {
	case err != nil:
		return "", secret.Text{}, oauth.ErrClient // the cause is left out, because it quotes the secret
	case !body.ClientSecret.IsZero(), body.ClientID != "" && body.ClientID != id:
		return "", secret.Text{}, errTwoClients
	}
	return id, secret.New(text), nil
}
