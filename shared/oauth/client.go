package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"io"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// DefaultScopes are the scopes of a request that names no scopes (contract §10).
var DefaultScopes = []string{"transactions.history", "user.app-settings", "user.profile_readonly"}

// restricted lists the scopes that a client may ask for only with the operator's approval (contract §2.1): payments,
// payment_instruments, and the narrower scopes that replace them.
var restricted = []string{"payments", "checkouts.read", "checkouts.write", "refunds.write",
	"payment_instruments", "customers.read", "customers.write"}

// SecretOverlap limits how long a client's old secret is accepted after a rotation (contract §10).
const SecretOverlap = 24 * time.Hour

// Client is the stored record of an application that asks people for access to their merchants. A client belongs to the
// merchant whose developers made it, in one mode.
type Client struct {
	ID            string          `dynamo:"id"`   // client_ and 26 characters
	Name          string          `dynamo:"name"` // shown to people who are asked for consent
	Tenant        identity.Tenant `dynamo:"tenant"`
	RedirectURIs  []string        `dynamo:"redirect_uris"`
	Scopes        []string        `dynamo:"scopes,set"`             // the scopes that the client is registered for
	Approved      []string        `dynamo:"approved,set,omitempty"` // the restricted scopes among them that are approved
	SecretHash    string          `dynamo:"secret_hash"`
	PreviousHash  string          `dynamo:"previous_hash,omitempty"`  // hash of the secret before the last rotation
	PreviousUntil time.Time       `dynamo:"previous_until,omitempty"` // when the previous secret is no longer accepted
	RevokedAt     time.Time       `dynamo:"revoked_at,omitempty"`     // zero: not revoked
	CreatedAt     time.Time       `dynamo:"created_at"`
	UpdatedAt     time.Time       `dynamo:"updated_at"`
	Version       int             `dynamo:"version"` // of the stored item, from 1
}

// Revoked returns true if the client and all its tokens are refused.
func (c Client) Revoked() bool { return !c.RevokedAt.IsZero() }

// Authenticates returns true if the text is the client's secret, or its previous secret before PreviousUntil. It
// returns false for a revoked client.
func (c Client) Authenticates(text secret.Text, now time.Time) bool {
	hash := []byte(identity.Hash(text.Reveal()))
	current := subtle.ConstantTimeCompare(hash, []byte(c.SecretHash)) == 1
	previous := subtle.ConstantTimeCompare(hash, []byte(c.PreviousHash)) == 1 && now.Before(c.PreviousUntil)
	return !c.Revoked() && (current || previous)
}

// May returns true if the client may ask for the scope.
func (c Client) May(scope string) bool {
	return slices.Contains(c.Scopes, scope) && (!slices.Contains(restricted, scope) || slices.Contains(c.Approved, scope))
}

// Requested returns the scopes that a request names, sorted, without duplicates. text names the scopes, separated by
// spaces. If text is empty, Requested returns the default scopes that the client may ask for. Failure: invalid_scope.
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

// Granted returns the scopes of an access token under a grant, sorted, without duplicates. text names some of the
// allowed scopes, separated by spaces. An empty text means all of them. Scopes that the client may no longer ask for
// are left out. Failure: invalid_scope for a scope that was not allowed, or if no scope is left (RFC 6749 §6).
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
		return nil, Refused(InvalidScope, "The client may no longer ask for any of these scopes.")
	}
	slices.Sort(scopes)
	return slices.Compact(scopes), nil
}

// Redirect returns the redirect_uri for the response to an authorization request. If the named URI matches one of the
// client's URIs, Redirect returns the named URI. If the request names no URI and the client has only one, Redirect
// returns that URI. Otherwise it returns false.
func (c Client) Redirect(named string) (string, bool) {
	if named == "" && len(c.RedirectURIs) == 1 {
		return c.RedirectURIs[0], true
	}
	return named, slices.ContainsFunc(c.RedirectURIs, func(uri string) bool { return redirectMatches(uri, named) })
}

const (
	clientPrefix = "client_"
	secretBytes  = 32
)

// NewID returns the id of a new client. Errors: those of random.
func NewID(random io.Reader) (string, error) {
	return identity.RandomID(clientPrefix, random)
}

// NewSecret returns a client secret, a refresh token or a code: 256 random bits in base64url. Errors: those of random.
func NewSecret(random io.Reader) (string, error) {
	raw := make([]byte, secretBytes)
	_, err := io.ReadFull(random, raw)
	return base64.RawURLEncoding.EncodeToString(raw), err
}

// Verifies returns true if the code_verifier matches the challenge (RFC 7636 §4.6, S256).
func Verifies(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// Same returns true if two clients are equal except for version and time of change. The order of scopes does not count
// either, because the table does not keep it.
func (c Client) Same(other Client) bool {
	c.Version, c.UpdatedAt = other.Version, other.UpdatedAt
	c.Scopes, other.Scopes = sortedUnique(c.Scopes), sortedUnique(other.Scopes)
	c.Approved, other.Approved = sortedUnique(c.Approved), sortedUnique(other.Approved)
	return reflect.DeepEqual(c, other)
}

// ForAudit returns the client as audit entries show it. The entry has only the beginning of the secret's hash, which is
// enough to see that the secret has changed.
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

// maxRedirectURI limits a redirect URI, in characters.
const maxRedirectURI = 512

// notInURIs are the printable characters that no URI has (RFC 3986 §2) and that browsers escape in different ways.
const notInURIs = "\"<>\\^`{|}"

// CheckRedirectURI returns the fault of a redirect URI for a client in the mode, or "". The fault is a predicate for
// failure.Invalid. The URI must be https, because codes are sent to it. In test mode it may also be http on the
// browser's own machine. The URI is not normalised, because requests are compared with its text (redirectMatches).
func CheckRedirectURI(text string, mode identity.Mode) string {
	u, err := url.Parse(text)
	switch {
	case text == "" || len(text) > maxRedirectURI:
		return "must have 1 to 512 characters"
	case strings.Contains(text, "*"): // so that no developer expects a wildcard to work
		return "must have no wildcard"
	case strings.ContainsFunc(text, isNotInURIs):
		return "must have only the characters of a URI"
	case err != nil:
		return validate.UnparsedURL(text, err)
	case u.Opaque != "" || u.Host == "":
		return "must be an absolute URI with a host"
	case strings.Contains(text, "#"):
		return "must have no fragment"
	case u.User != nil:
		return "must have no user information"
	case !isPort(u):
		return "must have a port from 1 to 65535, or none"
	case !isHost(u):
		return "must have the name or address of a host"
	case u.Scheme == "https", u.Scheme == "http" && mode == identity.Test && isLoopback(u.Hostname()):
		return ""
	case mode == identity.Test:
		return "must be https, or http on 127.0.0.1, [::1] or localhost"
	default:
		return "must be https"
	}
}

// loopbackURI matches http URIs on the browser's own machine, and captures the parts before and after the port.
var loopbackURI = regexp.MustCompile(`^(http://(?:127\.0\.0\.1|\[::1\]|localhost))(?::[1-9][0-9]{0,4})?([/?].*)?$`)

// redirectMatches returns true if the client's registered URI permits the URI that a request names. The URIs are
// compared as texts (RFC 9700 §2.1). Only the port of a URI on the browser's own machine may differ: a native app
// listens at a port that the system chooses when the app asks (RFC 8252 §7.3). This also applies to localhost (RFC 9700
// §4.1.3).
func redirectMatches(registered, named string) bool {
	if registered == named {
		return true
	}
	known, asked := loopbackURI.FindStringSubmatch(registered), loopbackURI.FindStringSubmatch(named)
	return known != nil && asked != nil && slices.Equal(known[1:], asked[1:]) &&
		CheckRedirectURI(named, identity.Test) == ""
}

func isNotInURIs(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(notInURIs, r) }

// isLoopback returns true if the host is the browser's own machine (RFC 8252 §7.3, §8.3).
func isLoopback(host string) bool { return host == "127.0.0.1" || host == "::1" || host == "localhost" }

// isPort returns true if the URI has no colon for a port, or if the port is a number from 1 to 65535.
func isPort(u *url.URL) bool {
	port, err := strconv.Atoi(u.Port())
	return !strings.HasSuffix(u.Host, ":") && (u.Port() == "" || err == nil && port >= 1 && port <= 65535)
}

// isHost returns true if the URI's host is a domain name or an IP address without a zone.
func isHost(u *url.URL) bool {
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		address, err := netip.ParseAddr(host)
		return err == nil && address.Is6() && address.Zone() == ""
	}
	if len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") ||
			strings.ContainsFunc(label, isNotInNames) {
			return false
		}
	}
	return true
}

// isNotInNames returns true if host names cannot have the character (RFC 1123 §2.1).
func isNotInNames(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
}
