package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// DefaultScopes are what a client asks for that names none (contract §10).
var DefaultScopes = []string{"transactions.history", "user.app-settings", "user.profile_readonly"}

// restricted are the scopes that a client gets only after the operator has approved them by
// hand (contract §2.1), with those of their successors.
var restricted = []string{"payments", "checkouts.read", "checkouts.write", "refunds.write",
	"payment_instruments", "customers.read", "customers.write"}

// SecretOverlap is how long a client's secret is still taken after it got another one.
const SecretOverlap = 24 * time.Hour

// Client is an application that asks people for access to their merchants, as stored. It
// belongs to the merchant whose developers have made it, and is of one mode.
type Client struct {
	ID            string          `dynamo:"id"`   // client_ and 26 characters
	Name          string          `dynamo:"name"` // shown to people who are asked for consent
	Tenant        identity.Tenant `dynamo:"tenant"`
	RedirectURIs  []string        `dynamo:"redirect_uris"`
	Scopes        []string        `dynamo:"scopes,set"`             // that it may ask for
	Approved      []string        `dynamo:"approved,set,omitempty"` // of the restricted ones among them
	SecretHash    string          `dynamo:"secret_hash"`
	PreviousHash  string          `dynamo:"previous_hash,omitempty"`  // of the secret before
	PreviousUntil time.Time       `dynamo:"previous_until,omitempty"` // when that stops being taken
	RevokedAt     time.Time       `dynamo:"revoked_at,omitempty"`     // zero: not revoked
	CreatedAt     time.Time       `dynamo:"created_at"`
	UpdatedAt     time.Time       `dynamo:"updated_at"`
	Version       int             `dynamo:"version"` // of the stored item, from 1
}

// Revoked reports whether the client and all its tokens are refused.
func (c Client) Revoked() bool { return !c.RevokedAt.IsZero() }

// Authenticates reports whether the text is the client's secret, or at the time still the one before.
func (c Client) Authenticates(text secret.Text, now time.Time) bool {
	hash := []byte(identity.Hash(text.Reveal()))
	current := subtle.ConstantTimeCompare(hash, []byte(c.SecretHash)) == 1
	previous := subtle.ConstantTimeCompare(hash, []byte(c.PreviousHash)) == 1 && now.Before(c.PreviousUntil)
	return !c.Revoked() && (current || previous)
}

// May reports whether the client may ask for the scope.
func (c Client) May(scope string) bool {
	return slices.Contains(c.Scopes, scope) && (!slices.Contains(restricted, scope) || slices.Contains(c.Approved, scope))
}

// Requested are the scopes that a request names, separated by spaces, sorted and each once. A
// request that names none means those of the default ones that the client may ask for.
// Failure: invalid_scope.
func (c Client) Requested(text string) ([]string, error) {
	names := strings.Fields(text)
	if len(names) == 0 {
		names = slices.DeleteFunc(slices.Clone(DefaultScopes), func(scope string) bool { return !c.May(scope) })
	}
	var scopes []string
	for _, name := range names {
		scope, known := identity.ParseScope(name)
		if !known || !c.May(scope) {
			return nil, Refused(InvalidScope, "The client may not ask for one of these scopes.")
		}
		scopes = append(scopes, scope)
	}
	if len(scopes) == 0 {
		return nil, Refused(InvalidScope, "Name the scopes: the client may ask for none of the default ones.")
	}
	slices.Sort(scopes)
	return slices.Compact(scopes), nil
}

// Granted are the scopes of an access token for what a holder has allowed: those that the text
// names, separated by spaces, of the ones that were allowed; without names all of these. They
// are sorted, each once, and without any that the client may not ask for any more.
// Failure: invalid_scope for one that was not allowed, or when none is left (RFC 6749 §6).
func (c Client) Granted(allowed []string, text string) ([]string, error) {
	scopes := slices.Clone(allowed)
	if names := strings.Fields(text); len(names) > 0 {
		scopes = nil
		for _, name := range names {
			scope, _ := identity.ParseScope(name)
			if !slices.Contains(allowed, scope) {
				return nil, Refused(InvalidScope, "One of these scopes was not allowed.")
			}
			scopes = append(scopes, scope)
		}
	}
	scopes = slices.DeleteFunc(scopes, func(scope string) bool { return !c.May(scope) })
	if len(scopes) == 0 {
		return nil, Refused(InvalidScope, "The client may ask for none of these scopes any more.")
	}
	slices.Sort(scopes)
	return slices.Compact(scopes), nil
}

// Redirect is where the answer to an authorization request goes: the redirect_uri that it
// names, if it is exactly one of the client's (RFC 9700 §2.1), or the only one of a client
// whose request names none. False: there is none, and the browser is sent nowhere.
func (c Client) Redirect(named string) (string, bool) {
	if named == "" && len(c.RedirectURIs) == 1 {
		return c.RedirectURIs[0], true
	}
	return named, slices.Contains(c.RedirectURIs, named)
}

const (
	clientPrefix = "client_"
	secretBytes  = 32
)

// NewID is a new client's.
func NewID(random io.Reader) (string, error) {
	raw := make([]byte, 16)
	_, err := io.ReadFull(random, raw)
	return clientPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw)), err
}

// NewSecret is a client secret, a refresh token or a code: 256 random bits, base64url.
func NewSecret(random io.Reader) (string, error) {
	raw := make([]byte, secretBytes)
	_, err := io.ReadFull(random, raw)
	return base64.RawURLEncoding.EncodeToString(raw), err
}

// Verifies reports whether the verifier is that of the code challenge (RFC 7636 §4.6, S256).
func Verifies(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// Same reports whether the two are equal but for version and time of change. Scopes have no
// order in the table.
func (c Client) Same(other Client) bool {
	c.Version, c.UpdatedAt = other.Version, other.UpdatedAt
	c.Scopes, other.Scopes = once(c.Scopes), once(other.Scopes)
	c.Approved, other.Approved = once(c.Approved), once(other.Approved)
	return reflect.DeepEqual(c, other)
}

// ForAudit is the client as audit entries show it: of its secret only that it changed.
func (c Client) ForAudit() any {
	return struct {
		Name         string   `json:"name"`
		RedirectURIs []string `json:"redirect_uris"`
		Scopes       []string `json:"scopes"`
		Approved     []string `json:"approved_scopes,omitempty"`
		Secret       string   `json:"secret_sha256_prefix"`
		Revoked      bool     `json:"revoked"`
	}{c.Name, c.RedirectURIs, slices.Sorted(slices.Values(c.Scopes)), slices.Sorted(slices.Values(c.Approved)),
		c.SecretHash[:min(8, len(c.SecretHash))], c.Revoked()}
}
