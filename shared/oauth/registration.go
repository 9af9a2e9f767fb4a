package oauth

import (
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Registration describes a new client or a change of a client. In a change, absent fields stay as they are.
type Registration struct {
	// Name is shown to people who are asked for consent.
	Name optional.Of[string] `json:"name" validate:"text=255"`

	// RedirectURIs are the addresses that browsers are sent to with codes. A client that only uses client_credentials
	// needs none.
	RedirectURIs *[]string `json:"redirect_uris" validate:"items=20"`

	// Scopes are the scopes that the client may ask for. It may ask for restricted scopes only after approval.
	Scopes *[]string `json:"scopes" validate:"items=128 text=64"`
}

// errRevoked is the failure of each change of a revoked client.
var errRevoked = failure.Conflict("The client was revoked, which is final.")

// NewClient returns a new client of the tenant, with its secret. Only the secret's hash is stored. Failures: Missing,
// Invalid, with the field. Errors: those of the random source.
func NewClient(t identity.Tenant, r Registration, now time.Time) (c Client, secret string, err error) {
	switch {
	case r.Name.Or("") == "":
		return c, "", failure.Missing("name")
	case r.RedirectURIs == nil:
		return c, "", failure.Missing("redirect_uris")
	case r.Scopes == nil:
		return c, "", failure.Missing("scopes")
	}
	c, err = Client{Tenant: t, CreatedAt: now}.With(r)
	if err != nil {
		return c, "", err
	}
	if c.ID, err = NewID(rand.Reader); err != nil {
		return c, "", err
	}
	secret, err = NewSecret(rand.Reader)
	c.SecretHash = identity.Hash(secret)
	return c, secret, err
}

// With returns the client changed by the registration. A restricted scope that is removed also loses its approval.
// Failures: Invalid, with the field; Conflict for a revoked client.
func (c Client) With(r Registration) (Client, error) {
	if err := validate.Forms(r).First(); err != nil {
		return c, err
	}
	if c.Revoked() {
		return c, errRevoked
	}
	c.Name = r.Name.Or(c.Name)
	if c.Name == "" {
		return c, failure.Invalid("name", "must not be empty")
	}
	if r.RedirectURIs != nil {
		for i, uri := range *r.RedirectURIs {
			if wrong := CheckRedirectURI(uri, c.Tenant.Mode); wrong != "" {
				return c, failure.Invalid(fmt.Sprintf("redirect_uris.%d", i), wrong)
			}
		}
		c.RedirectURIs = sortedUnique(*r.RedirectURIs)
	}
	if r.Scopes != nil {
		scopes, err := parseScopes(*r.Scopes)
		if err != nil {
			return c, err
		}
		c.Scopes = scopes
		c.Approved = slices.DeleteFunc(slices.Clone(c.Approved), func(scope string) bool {
			return !slices.Contains(scopes, scope)
		})
	}
	return c, nil
}

// ApprovedFor returns the client with approval for exactly these restricted scopes. Failures: Invalid for a scope that
// the client is not registered for or that needs no approval; Conflict for a revoked client.
func (c Client) ApprovedFor(names []string) (Client, error) {
	if c.Revoked() {
		return c, errRevoked
	}
	approved, err := parseScopes(names)
	if err != nil {
		return c, err
	}
	for _, scope := range approved {
		switch {
		case !slices.Contains(restricted, scope):
			return c, failure.Invalid("scopes", "contains "+scope+", which needs no approval")
		case !slices.Contains(c.Scopes, scope):
			return c, failure.Invalid("scopes", "contains "+scope+", which the client is not registered for")
		}
	}
	c.Approved = approved
	return c, nil
}

// parseScopes returns the scopes with the names, sorted, without duplicates. Failure: Invalid scopes.
func parseScopes(names []string) ([]string, error) {
	var scopes []string
	for _, name := range names {
		scope, is := identity.ParseScope(name)
		if !is {
			return nil, failure.Invalid("scopes", "contains "+name+", which is not a scope")
		}
		scopes = append(scopes, scope)
	}
	return sortedUnique(scopes), nil
}

// sortedUnique returns the texts sorted, without duplicates. Without texts it returns nil, as the table does.
func sortedUnique(texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(texts)))
}

// Rotated returns the client with a new secret. The old secret is accepted for SecretOverlap, or ends at once if atOnce
// is true. A second rotation within that time would end a secret that may still be in use, so it requires atOnce.
// Failure: Conflict for a second rotation without atOnce, and for a revoked client.
func (c Client) Rotated(secret string, atOnce bool, now time.Time) (Client, error) {
	switch {
	case c.Revoked():
		return c, errRevoked
	case atOnce:
		c.PreviousHash, c.PreviousUntil = "", time.Time{}
	case now.Before(c.PreviousUntil):
		return c, failure.Conflict("The secret was rotated less than 24 hours ago. " +
			"Set force to rotate it again now, which ends all old ones at once.")
	default:
		c.PreviousHash, c.PreviousUntil = c.SecretHash, now.Add(SecretOverlap)
	}
	c.SecretHash = identity.Hash(secret)
	return c, nil
}

// Ended returns the client as revoked. From then on the client and all its tokens are refused.
func (c Client) Ended(now time.Time) Client {
	if !c.Revoked() {
		c.RevokedAt = now
	}
	return c
}
