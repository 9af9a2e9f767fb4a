package oauth

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Lifetimes (contract §10).
const (
	CodeLasts        = 10 * time.Minute
	AccessTokenLasts = time.Hour
	RefreshLasts     = 180 * 24 * time.Hour // of a refresh token, since its last use
)

// Holder is the account that allowed a client to act for it, with the merchant and the scopes. For client_credentials
// the holder is the client itself.
type Holder struct {
	Client  string          `dynamo:"client"`
	Kind    identity.Kind   `dynamo:"kind"`           // User, Operator or TestProfile
	Subject string          `dynamo:"subject"`        // id of the member or of the profile
	User    string          `dynamo:"user,omitempty"` // id of a User
	Tenant  identity.Tenant `dynamo:"tenant"`         // the chosen merchant
	Scopes  []string        `dynamo:"scopes,set"`

	// Password is the operation that set the password used at the sign-in. A new password ends the grant (contract §10).
	Password string `dynamo:"password_operation"`

	// SignedIn is the time of the sign-in that allowed the client. It is zero for holders that are not persons, and in
	// items that are older than the field.
	SignedIn time.Time `dynamo:"signed_in_at,omitempty"`
}

// Token returns an access token for some of the holder's scopes, under the grant of the refresh token. For
// client_credentials there is no grant, and refreshHash is "".
func (h Holder) Token(tokenHash, refreshHash string, scopes []string, now time.Time) identity.AccessToken {
	return identity.AccessToken{Hash: tokenHash, Kind: h.Kind, Subject: h.Subject, User: h.User, Client: h.Client,
		Tenant: h.Tenant, Scopes: scopes, Grant: refreshHash, SignedIn: h.SignedIn, CreatedAt: now,
		ExpiresAt: now.Add(AccessTokenLasts)}
}

// NewGrant returns a new grant by the holder, with the hash of its refresh token.
func (h Holder) NewGrant(refreshHash string, now time.Time) Grant {
	return Grant{Holder: h, Hash: refreshHash, CreatedAt: now, ExpiresAt: now.Add(RefreshLasts)}
}

// Code is an authorization code as stored. A code can be used once. It stays stored afterwards, so that a second use is
// noticed.
type Code struct {
	Holder
	Hash        string    `dynamo:"code_hash"`
	RedirectURI string    `dynamo:"redirect_uri,omitempty"` // as in the authorization request; "": not named there
	Challenge   string    `dynamo:"challenge,omitempty"`    // code_challenge of PKCE, S256; "": none
	Grant       string    `dynamo:"grant,omitempty"`        // hash of the refresh token for the code; "": code unused
	ExpiresAt   time.Time `dynamo:"code_expires_at"`
	CreatedAt   time.Time `dynamo:"created_at"`
	Version     int       `dynamo:"version"` // of the stored item, from 1
}

// CheckRedeemable refuses a code that has expired or belongs to another client. It also refuses a token request whose
// redirect_uri or verifier does not match the authorization request. A verifier without a challenge is refused, too,
// because an attacker may have removed the challenge (RFC 9700 §2.1.1). Failure: invalid_grant.
func (c Code) CheckRedeemable(client Client, redirectURI, verifier string, now time.Time) error {
	switch {
	case c.Client != client.ID:
		return Refused(InvalidGrant, "The code was issued to another client.")
	case !now.Before(c.ExpiresAt):
		return Refused(InvalidGrant, "The code has expired.")
	case redirectURI == "" && c.needsRedirect(client):
		return Refused(InvalidGrant, "redirect_uri is missing: the authorization request had one.")
	case redirectURI != "" && redirectURI != c.RedirectURI:
		return Refused(InvalidGrant, "redirect_uri differs from that of the authorization request.")
	case c.Challenge == "" && verifier != "":
		return Refused(InvalidGrant, "The authorization request had no code_challenge.")
	case c.Challenge != "" && !Verifies(verifier, c.Challenge):
		return Refused(InvalidGrant, "code_verifier does not match the code_challenge.")
	}
	return nil
}

// needsRedirect returns true if the token request must repeat the redirect_uri (RFC 6749 §4.1.3). A client with only
// one URI need not repeat it, because the code cannot have gone elsewhere. A client with PKCE need not repeat it
// either, because PKCE proves that this client asked for the code (OAuth 2.1).
func (c Code) needsRedirect(client Client) bool {
	return c.RedirectURI != "" && c.Challenge == "" && !slices.Equal(client.RedirectURIs, []string{c.RedirectURI})
}

// Grant is a holder's permission for a client, as stored under the hash of the refresh token. Once the grant is
// deleted, its refresh token and all its access tokens are refused.
type Grant struct {
	Holder
	Hash      string    `dynamo:"refresh_hash"`
	CreatedAt time.Time `dynamo:"created_at"`
	ExpiresAt time.Time `dynamo:"-"` // stored as expires_at of the item, in seconds; each use makes it later
}

// UsedAt returns the time when the refresh token was last used, or made.
func (g Grant) UsedAt() time.Time { return g.ExpiresAt.Add(-RefreshLasts) }

// Valid returns true if the refresh token may be used at the time.
func (g Grant) Valid(now time.Time) bool { return now.Before(g.ExpiresAt) }
