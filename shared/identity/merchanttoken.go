package identity

import (
	"io"
	"slices"
	"time"
)

// Action is a right of a merchant token's bearer (contract §8.5).
type Action string

// CheckoutAction lets the bearer create, retrieve and process checkouts.
const CheckoutAction Action = "checkout"

// MerchantTokenLasts is the lifetime of a merchant token, unless its maker's access token expires earlier.
const MerchantTokenLasts = 15 * time.Minute

// MerchantTokens is the guard of createMerchantToken. At each request with a token, the maker of the token must still
// pass this guard.
var MerchantTokens = Guard{FullTransactionHistoryView, []string{"payments", "checkouts.write"}}

// MerchantTokenRequest describes a new merchant token.
type MerchantTokenRequest struct {
	Actions []Action `json:"actions" validate:"required own"`
}

// Rule returns the fault of the actions, or "".
func (r MerchantTokenRequest) Rule(string, time.Time) string {
	if len(r.Actions) == 0 {
		return "must name an action"
	}
	for i, action := range r.Actions {
		switch {
		case action != CheckoutAction:
			return "contains an unknown action"
		case slices.Contains(r.Actions[:i], action):
			return "names an action twice"
		}
	}
	return ""
}

// MerchantTokenFrom returns a new merchant token made by the principal, with its text. A repeated operation makes the
// same token from the same bytes of random.
func (p Principal) MerchantTokenFrom(random io.Reader, r MerchantTokenRequest, now time.Time) (t AccessToken,
	text string, err error) {
	if text, err = NewAccessToken(random); err != nil {
		return AccessToken{}, "", err
	}
	t = AccessToken{Hash: Hash(text), Kind: MerchantToken, Tenant: p.Tenant, Actions: r.Actions, Maker: p.Token(),
		CreatedAt: now, ExpiresAt: now.Add(MerchantTokenLasts)}
	t.Subject = DerivedID("tok_", "createMerchantToken "+t.Hash)
	if !p.Expires.IsZero() && p.Expires.Before(t.ExpiresAt) {
		t.ExpiresAt = p.Expires
	}
	return t, text, nil
}

// MerchantToken returns the principal of requests with a merchant token that the principal made. It returns false when
// the principal may not make such a token any more. A person's permissions limit the token, too.
func (p Principal) MerchantToken(t AccessToken) (Principal, bool) {
	bearer := t.Principal()
	if p.IsPerson() {
		bearer.Person, bearer.Permissions = p.Actor.ID, p.Permissions
	}
	return bearer, p.Tenant == t.Tenant && p.May(MerchantTokens.Scopes...) && p.Has(MerchantTokens.Permission)
}

// Token returns the credential that admitted the principal.
func (p Principal) Token() Token {
	if p.Actor.Kind == SecretKey || p.Actor.Kind == PublicKey {
		return Token{Kind: p.Actor.Kind, Tenant: p.Tenant, Hash: p.Admitted.Hash}
	}
	return Token{Hash: p.Admitted.Hash}
}

// ForAudit returns a merchant token as audit entries show it.
func (t AccessToken) ForAudit() any {
	return struct {
		Actions []Action `json:"actions"`
	}{t.Actions}
}
