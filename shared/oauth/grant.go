package oauth

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Lifetimes (contract §10).
const (
	CodeLasts        = 10 * time.Minute
	AccessTokenLasts = time.Hour
	RefreshLasts     = 180 * 24 * time.Hour // since the refresh token's last use
)

// Holder is who has allowed a client something, and what.
type Holder struct {
	Client  string          `dynamo:"client"`
	Kind    identity.Kind   `dynamo:"kind"`           // User, Operator or TestProfile
	Subject string          `dynamo:"subject"`        // id of the member or of the profile
	User    string          `dynamo:"user,omitempty"` // id of a User
	Tenant  identity.Tenant `dynamo:"tenant"`         // the merchant that was chosen
	Scopes  []string        `dynamo:"scopes,set"`

	// Password is the operation that has set the password with which the holder signed in. A
	// new password ends what was allowed with the one before.
	Password string `dynamo:"password_operation"`
}

// Token is an access token of the holder's, for some of its scopes. Client credentials give
// one without a grant: then refreshHash is "".
func (h Holder) Token(tokenHash, refreshHash string, scopes []string, now time.Time) identity.AccessToken {
	return identity.AccessToken{Hash: tokenHash, Kind: h.Kind, Subject: h.Subject, User: h.User, Client: h.Client,
		Tenant: h.Tenant, Scopes: scopes, Grant: refreshHash, CreatedAt: now, ExpiresAt: now.Add(AccessTokenLasts)}
}

// NewGrant is what the client gets with a new refresh token of the hash.
func (h Holder) NewGrant(refreshHash string, now time.Time) Grant {
	return Grant{Holder: h, Hash: refreshHash, CreatedAt: now, ExpiresAt: now.Add(RefreshLasts)}
}

// Code is an authorization code as stored. It is used once, and stays after that, so that a
// second use is noticed.
type Code struct {
	Holder
	Hash        string    `dynamo:"code_hash"`
	RedirectURI string    `dynamo:"redirect_uri,omitempty"` // as the request named it; "": it named none
	Challenge   string    `dynamo:"challenge,omitempty"`    // of PKCE, S256; "": none
	Grant       string    `dynamo:"grant,omitempty"`        // hash of the refresh token that it was used for; "": unused
	ExpiresAt   time.Time `dynamo:"code_expires_at"`
	CreatedAt   time.Time `dynamo:"created_at"`
	Version     int       `dynamo:"version"` // of the stored item, from 1
}

// Redeemable is the failure invalid_grant if the code is not the client's, has expired, or the
// request does not fit that for which it was made: another redirect_uri, or a verifier that
// is missing, wrong, or there without a challenge (RFC 9700 §2.1.1: else a challenge could
// be taken out of the first request).
func (c Code) Redeemable(client, redirectURI, verifier string, now time.Time) error {
	switch {
	case c.Client != client:
		return Refused(InvalidGrant, "The code was issued to another client.")
	case !now.Before(c.ExpiresAt):
		return Refused(InvalidGrant, "The code has expired.")
	case c.RedirectURI != redirectURI:
		return Refused(InvalidGrant, "redirect_uri differs from that of the authorization request.")
	case c.Challenge == "" && verifier != "":
		return Refused(InvalidGrant, "The authorization request had no code_challenge.")
	case c.Challenge != "" && !Verifies(verifier, c.Challenge):
		return Refused(InvalidGrant, "code_verifier does not fit the code_challenge.")
	}
	return nil
}

// Grant is what a client has in lasting: a refresh token, and with it what it may ask for. If
// it is deleted, all its access tokens are refused.
type Grant struct {
	Holder
	Hash      string    `dynamo:"refresh_hash"`
	CreatedAt time.Time `dynamo:"created_at"`
	ExpiresAt time.Time `dynamo:"-"` // to the second, as expires_at of the item; later with each use
}

// Valid reports whether the refresh token may be used at the time.
func (g Grant) Valid(now time.Time) bool { return now.Before(g.ExpiresAt) }
