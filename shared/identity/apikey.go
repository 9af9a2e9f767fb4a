package identity

import (
	"crypto/rand"
	"encoding/base32"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// APIKey is a merchant's key as stored. Its token is shown once, when the key
// is made, and stored nowhere.
type APIKey struct {
	ID        string    `dynamo:"id"`
	Kind      Kind      `dynamo:"kind"`
	Name      string    `dynamo:"name,omitempty"` // for people
	Tenant    Tenant    `dynamo:"tenant"`
	Scopes    []string  `dynamo:"scopes,set"`
	TokenHash string    `dynamo:"token_hash"`
	Revoked   bool      `dynamo:"revoked"`
	CreatedAt time.Time `dynamo:"created_at"`
	Version   int       `dynamo:"version"` // of the stored item; 0 of keys that are older than it
}

// Principal is who makes a request with this key.
func (k APIKey) Principal() Principal {
	return Principal{Actor: Actor{Kind: k.Kind, ID: k.ID}, Tenant: k.Tenant, Scopes: k.Scopes,
		Admitted: Admission{Hash: k.TokenHash, Version: k.Version}}
}

// ForAudit is the key as audit entries show it.
func (k APIKey) ForAudit() any {
	return struct {
		Kind    Kind     `json:"type"`
		Name    string   `json:"name"`
		Scopes  []string `json:"scopes"`
		Revoked bool     `json:"revoked"`
	}{k.Kind, k.Name, k.Scopes, k.Revoked}
}

// KeyRequest describes a new key (contract §8.2).
type KeyRequest struct {
	Name   string    `json:"name" validate:"text=255"`             // for people; a public key may have none
	Kind   Kind      `json:"type" validate:"one-of=secret|public"` // "": secret
	Scopes *[]string `json:"scopes"`                               // of a secret key; one with none may do nothing
}

// BootstrapKey is a merchant's first key, which may do everything.
func BootstrapKey() KeyRequest {
	scopes := AllScopes()
	return KeyRequest{Kind: SecretKey, Name: "bootstrap", Scopes: &scopes}
}

const (
	keyIDPrefix = "key_"
	keyIDBytes  = 16 // 26 characters of base 32
)

// NewAPIKey makes a key of the tenant, with its token. Failure: Invalid, with
// the field.
func NewAPIKey(t Tenant, r KeyRequest, now time.Time) (k APIKey, token string, err error) {
	scopes, err := r.check()
	if err != nil {
		return APIKey{}, "", err
	}
	k = APIKey{ID: newKeyID(), Kind: r.kind(), Name: r.Name, Tenant: t, Scopes: scopes, CreatedAt: now}
	if token, err = newToken(k.Kind, t, rand.Reader); err != nil {
		return APIKey{}, "", err
	}
	k.TokenHash = Hash(token)
	return k, token, nil
}

func newKeyID() string {
	id := make([]byte, keyIDBytes)
	_, _ = rand.Read(id) // never fails
	return keyIDPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(id))
}

func (r KeyRequest) kind() Kind {
	if r.Kind == "" {
		return SecretKey
	}
	return r.Kind
}

// check returns the scopes that the key will have.
func (r KeyRequest) check() ([]string, error) {
	if err := validate.Forms(r).First(); err != nil {
		return nil, err
	}
	if r.kind() == SecretKey {
		return r.secretScopes()
	}
	if r.Scopes != nil && len(*r.Scopes) > 0 { // it never has any (contract §2.1)
		return nil, failure.Invalid("scopes", "must be empty for a public key")
	}
	return nil, nil
}

func (r KeyRequest) secretScopes() ([]string, error) {
	switch {
	case r.Name == "":
		return nil, failure.Missing("name")
	case r.Scopes == nil:
		return nil, failure.Missing("scopes")
	}
	var scopes []string
	for _, name := range *r.Scopes {
		scope, known := ParseScope(name)
		if !known {
			return nil, failure.Invalid("scopes", "contains "+name+", which is not a scope")
		}
		if !slices.Contains(scopes, scope) { // profile may mean one that is listed as well
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}
