package oauth

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// redeemCode serves grant_type authorization_code: the client got a code at its redirect_uri.
func (f family) redeemCode(ctx context.Context, c oauth.Client, req tokenRequest) (tokenReply, error) {
	if req.Code.IsZero() {
		return tokenReply{}, missing("code")
	}
	tokens, err := issue()
	if err != nil {
		return tokenReply{}, err
	}
	var scopes []string
	codeHash, refreshHash := identity.Hash(req.Code.Reveal()), identity.Hash(tokens.refresh)
	err = f.store.Redeem(ctx, codeHash, refreshHash, func(code oauth.Code) (oauth.Grant, identity.AccessToken, error) {
		now := f.store.Now()
		refused := code.CheckRedeemable(c, req.RedirectURI, req.Verifier.Reveal(), now)
		if refused == nil {
			refused = f.stillAllowed(ctx, code.Holder)
		}
		if refused == nil {
			scopes, refused = c.Granted(code.Scopes, "")
		}
		g := code.NewGrant(refreshHash, now)
		return g, g.Token(identity.Hash(tokens.access), refreshHash, scopes, now), refused
	})
	if err != nil {
		return tokenReply{}, err
	}
	return tokens.reply(scopes), nil
}
