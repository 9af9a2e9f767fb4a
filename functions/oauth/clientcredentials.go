package oauth

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// actAsClient serves grant_type client_credentials: the client acts for its own merchant, not
// for a person. There is no refresh token (RFC 6749 §4.4.3).
func (f family) actAsClient(ctx context.Context, c oauth.Client, req tokenRequest) (tokenReply, error) {
	scopes, err := c.Requested(req.Scope)
	if err != nil {
		return tokenReply{}, err
	}
	tokens, err := issue()
	if err != nil {
		return tokenReply{}, err
	}
	tokens.refresh = ""
	own := oauth.Holder{Client: c.ID, Kind: identity.Client, Subject: c.ID, Tenant: c.Tenant}
	token := own.Token(identity.Hash(tokens.access), "", scopes, f.store.Now())
	if err := f.store.PutAccessToken(ctx, token); err != nil {
		return tokenReply{}, err
	}
	return tokens.reply(scopes), nil
}
