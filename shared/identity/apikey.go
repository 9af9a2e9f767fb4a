package identity

import (
	"cmp"
	"crypto/rand"
	"io"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// The limits of a tenant's keys (contract §8.2). Each search for a key reads all keys.
const (
	MaxAPIKeys    = 100
	MaxAPIKeysDay = 100 // new keys on one day in UTC
)

// APIKey is a merchant's key as stored. Its token is shown once, when the key is made, and stored nowhere.
type APIKey struct {
	ID        string    `dynamo:"id"`
	Kind      Kind      `dynamo:"kind"`
	Name      string    `dynamo:"name,omitempty"` // for people
	Tenant    Tenant    `dynamo:"tenant"`
	Scopes    []string  `dynamo:"scopes,set"`
	TokenHash string    `dynamo:"token_hash"`
	Preview   string    `dynamo:"preview,omitempty"` // the token's last characters; "" if older than the field
	Maker     Maker     `dynamo:"maker,omitempty"`   // zero: see Maker
	Revoked   bool      `dynamo:"revoked"`           // true only in old keys: revoking did not delete keys then
	CreatedAt time.Time `dynamo:"created_at"`
	UpdatedAt time.Time `dynamo:"updated_at,omitempty"` // zero if older than the field
	Version   int       `dynamo:"version"`              // of the stored item; 0 if older than the field
}

// Principal returns the principal of requests with this key.
func (k APIKey) Principal() Principal {
	return Principal{Actor: Actor{Kind: k.Kind, ID: k.ID}, Tenant: k.Tenant, Scopes: k.Scopes,
		Person: k.Maker.Person, Admitted: Admission{Hash: k.TokenHash, Version: k.Version}}
}

// ChangedAt returns the time when the key was last renamed or restricted. If it never was, ChangedAt returns the time
// when the key was made.
func (k APIKey) ChangedAt() time.Time {
	if k.UpdatedAt.IsZero() {
		return k.CreatedAt
	}
	return k.UpdatedAt
}

// With returns the key with the name and the scopes of a request, changed at the given time. If the key already has
// this name and these scopes, it stays as it is. Failure: Invalid, with the field.
func (k APIKey) With(name string, scopes []string, now time.Time) (APIKey, error) {
	checked, err := KeyRequest{Name: name, Kind: k.Kind, Scopes: &scopes}.check()
	same := k.Name == name && slices.Equal(slices.Sorted(slices.Values(k.Scopes)), checked)
	if err != nil || same {
		return k, err
	}
	k.Name, k.Scopes, k.UpdatedAt = name, checked, now
	return k, nil
}

// MayManage returns true if the principal may make, change and delete the key. The principal must be allowed to use
// those operations, and to give all rights of the key. So no principal takes over or deletes a key that has more rights
// than the principal.
func (p Principal) MayManage(k APIKey) bool { return len(p.LacksForKey(k)) == 0 }

// LacksForKey returns the rights that the principal lacks to make, change and delete the key.
func (p Principal) LacksForKey(k APIKey) (lacks []Lack) {
	if all, decided := p.commonLacks(); decided {
		return all
	}
	if !p.May(KeysWrite) {
		lacks = append(lacks, LackOfScope(KeysWrite))
	}
	if !p.Has(DeveloperSettingsWrite) {
		lacks = append(lacks, LackOfPermission(DeveloperSettingsWrite))
	}
	for _, scope := range k.Scopes {
		lacks = append(lacks, p.lacksForScope(scope)...)
	}
	if k.Kind == SecretKey && k.Principal().MayMakeOwner() { // the key could make its user an owner
		lacks = append(lacks, p.LacksForOwner()...)
	}
	return lacks
}

// KeysWrite is the scope for making, changing and deleting keys.
const KeysWrite = "api_keys:write"

// ForAudit returns the key as audit entries show it.
func (k APIKey) ForAudit() any {
	return struct {
		Kind   Kind     `json:"type"`
		Name   string   `json:"name"`
		Scopes []string `json:"scopes"`
		Person string   `json:"made_by,omitempty"`   // id of the member who stands behind the key
		Client string   `json:"made_with,omitempty"` // id of the OAuth client that the member used
	}{k.Kind, k.Name, slices.Sorted(slices.Values(k.Scopes)), // the table stores a set without an order
		k.Maker.Person, k.Maker.Client}
}

// KeyRequest describes a new key (contract §8.2).
type KeyRequest struct {
	// Name is for people. A public key may have none.
	Name string `json:"name" validate:"text=255"`

	// Kind is secret by default.
	Kind Kind `json:"type" empty:"refused" validate:"one-of=secret|public"`

	// Scopes are the scopes of a secret key. A key with an empty list may do nothing.
	Scopes *[]string `json:"scopes" validate:"items=128 text=64"`
}

// BootstrapKey returns the request for a merchant's first key, which may do everything.
func BootstrapKey() KeyRequest {
	scopes := AllScopes()
	return KeyRequest{Kind: SecretKey, Name: "bootstrap", Scopes: &scopes}
}

const (
	keyIDPrefix   = "key_"
	previewLength = 8 // of the token (contract §8.2)
)

// NewAPIKey returns a random key of the tenant, with its token. Failure: Invalid, with the field.
func NewAPIKey(t Tenant, r KeyRequest, now time.Time) (k APIKey, token string, err error) {
	return APIKeyFrom(rand.Reader, t, r, now)
}

// APIKeyFrom makes a key as NewAPIKey does, with secret bytes from random. A repeated operation with the same bytes
// makes the same key.
func APIKeyFrom(random io.Reader, t Tenant, r KeyRequest, now time.Time) (k APIKey, token string, err error) {
	scopes, err := r.check()
	if err != nil {
		return APIKey{}, "", err
	}
	k = APIKey{Kind: r.kind(), Name: r.Name, Tenant: t, Scopes: scopes, CreatedAt: now, UpdatedAt: now}
	if k.ID, err = RandomID(keyIDPrefix, random); err != nil {
		return APIKey{}, "", err
	}
	if token, err = newToken(k.Kind, t, random); err != nil {
		return APIKey{}, "", err
	}
	k.TokenHash, k.Preview = Hash(token), token[len(token)-previewLength:]
	return k, token, nil
}

func (r KeyRequest) kind() Kind { return cmp.Or(r.Kind, SecretKey) }

// check checks the request and returns the scopes of its key.
func (r KeyRequest) check() ([]string, error) {
	if err := validate.Forms(r).First(); err != nil {
		return nil, err
	}
	if r.kind() == SecretKey {
		return r.secretScopes()
	}
	if r.Scopes != nil && len(*r.Scopes) > 0 { // a public key never has scopes (contract §2.1)
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
		scopes = append(scopes, scope)
	}
	slices.Sort(scopes)
	return slices.Compact(scopes), nil // profile may stand for a scope that is listed too
}
