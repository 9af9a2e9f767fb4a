package apikeys_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

type fields = map[string]any

// apiKey is a key in a response.
type apiKey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Type       string     `json:"type"`
	Scopes     []string   `json:"scopes"`
	Preview    string     `json:"preview"`
	Plaintext  string     `json:"plaintext"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	CreatedBy  *maker     `json:"created_by"`
}

// maker is the object created_by of a key.
type maker struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	MemberID string `json:"member_id"`
	ClientID string `json:"client_id"`
	Token    string `json:"token"`
}

// hidden returns the key as later responses show it.
func (k apiKey) hidden() apiKey {
	k.Plaintext = ""
	return k
}

type shop struct{ world.Shop }

func newShop(t *testing.T) shop {
	t.Helper()
	return shop{world.NewShop(t)}
}

// as returns the shop with another credential.
func (s shop) as(credential string) shop { return shop{s.WithKey(credential)} }

func (s shop) keys() string { return "/v0.1/merchants/" + s.Merchant.Code + "/api-keys" }

func (s shop) path(id string) string { return s.keys() + "/" + id }

// body returns the body for a secret key with the scopes.
func body(name string, scopes ...string) fields {
	return fields{"name": name, "scopes": append([]string{}, scopes...)}
}

// create creates a key. Its plaintext must not appear in anything stored or logged.
func (s shop) create(name string, scopes ...string) apiKey {
	s.Helper()
	return s.readCreated(s.Send("POST", s.keys(), body(name, scopes...)))
}

func (s shop) readCreated(got world.Response) apiKey {
	s.Helper()
	k := world.Into[apiKey](s, 201, got)
	if k.Plaintext != "" {
		s.Secret("API key", k.Plaintext)
	}
	return k
}

func (s shop) read(id string) apiKey {
	s.Helper()
	return world.Into[apiKey](s, 200, s.Send("GET", s.path(id), nil))
}

type listing struct {
	Items []apiKey `json:"items"`
	Total int      `json:"total_count"`
}

func (s shop) list(query string) listing {
	s.Helper()
	return world.Into[listing](s, 200, s.Send("GET", s.keys()+query, nil))
}

// Refusals of the family.
var (
	notAllowed = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound   = world.Refused(404, "NOT_FOUND", "", "not-found")
	conflict   = world.Refused(409, "CONFLICT", "", "conflict")
	badToken   = world.Refused(401, "NOT_AUTHORIZED", "", "invalid-token")
	tooMany    = world.Refused(429, "TOO_MANY_REQUESTS", "", "too-many-requests")
)
