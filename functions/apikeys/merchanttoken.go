package apikeys

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
)

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

// createMerchantToken creates a merchant token for the caller. An interrupted request that is repeated under its
// Idempotency-Key creates another one: nobody has the text of the first, and a text that followed from the key would be
// valid again when the key is used again after months.
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
