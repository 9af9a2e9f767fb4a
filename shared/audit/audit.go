// Package audit is the record of who changed what of a merchant's account: its terms, settings, bank accounts,
// onboarding data, keys and members. The store writes each entry in the transaction of the change.
package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Entry is one change, as stored. The table's own policy denies that it is changed or deleted.
type Entry struct {
	ID        string        `dynamo:"id"`
	At        time.Time     `dynamo:"at"`
	Mode      identity.Mode `dynamo:"mode,omitempty"` // "": of the merchant, or of both modes
	Actor     Actor         `dynamo:"actor"`
	Operation string        `dynamo:"operation"`
	Subject   string        `dynamo:"subject"`
	Before    Fields        `dynamo:"before,omitempty"`
	After     Fields        `dynamo:"after,omitempty"`
}

// Kind of an actor.
type Kind string

// The kinds.
const (
	APIKey  Kind = "api_key" // a merchant's
	Member  Kind = "member"  // a person, by an access token
	Client  Kind = "client"  // an OAuth client, or a test profile, that acts for the merchant
	Command Kind = "command" // an operator's of the platform
	Sweep   Kind = "sweep"   // the platform itself, when something is due
	Bank    Kind = "bank"    // by its answer
)

// Actor is who changes something, and from where.
type Actor struct {
	Kind Kind `dynamo:"kind" json:"kind"`

	// ID is the key's, the member's, the client's or the profile's. A command's names its giver, as the command itself
	// says: only AWS's own record of the request proves it.
	ID string `dynamo:"id,omitempty" json:"id,omitempty"`

	Email string `dynamo:"email,omitempty" json:"email,omitempty"` // a member's, as it was then

	Source  string `dynamo:"source,omitempty" json:"source,omitempty"`   // address of the client
	Request string `dynamo:"request,omitempty" json:"request,omitempty"` // X-Request-Id, or Lambda's id of the call
}

// By names the principal, actor and operation of a change. The zero value may change nothing.
type By struct {
	Principal identity.Principal // whose rights decide
	Actor     Actor              // as entries name it
	Operation string             // a route, as "PUT /v0.1/me/merchant-profile/settings", or an operator's command
}

// ByPlatform returns a By that may change everything, for a worker or an operator's command.
func ByPlatform(a Actor, operation string) By {
	return By{Principal: identity.Platform(), Actor: a, Operation: operation}
}

// Member returns the By of a member who accepts an invitation. Its principal has no scopes and no permissions.
func (b By) Member(id, email string) By {
	b.Principal = identity.Principal{Actor: identity.Actor{Kind: identity.User, ID: id}}
	b.Actor.Kind, b.Actor.ID, b.Actor.Email = Member, id, email
	return b
}

// Bank returns a By whose actor is the bank that answered the request.
func (b By) Bank() By {
	b.Actor = Actor{Kind: Bank, Request: b.Actor.Request}
	return b
}

// Change is what changes. Before and After are views without secrets: no credential, no date of birth, and of account
// numbers the last four characters. Nil: there was or is nothing.
type Change struct {
	Mode          identity.Mode
	Subject       string // "merchant", or a kind and an id as in "api_key key_…"
	Before, After any    // which JSON has as objects
}

// ErrNobody reports a change without a principal, an actor or an operation.
var ErrNobody = errors.New("audit: a change needs a principal, an actor and an operation")

// Check errors with ErrNobody when principal, actor or operation are missing.
func (b By) Check() error {
	if b.Principal.IsNobody() || b.Actor.Kind == "" || b.Operation == "" {
		return ErrNobody
	}
	return nil
}

// New returns the entry of a change, with the fields that differ alone. Errors: ErrNobody; a view cannot be encoded.
func New(by By, at time.Time, c Change) (Entry, error) {
	if err := by.Check(); err != nil {
		return Entry{}, err
	}
	before, after, err := differing(c.Before, c.After)
	return Entry{ID: uuid.NewString(), At: at, Mode: c.Mode, Actor: by.Actor, Operation: by.Operation, Subject: c.Subject,
		Before: before, After: after}, err
}

// Fields are members of a JSON object, as its text; "" is an object without any. They
// are not called members, because a merchant's are people.
type Fields string

// MarshalJSON writes the object.
func (m Fields) MarshalJSON() ([]byte, error) {
	if m == "" {
		return []byte("{}"), nil
	}
	return []byte(m), nil
}

const (
	maxField  = 4 << 10  // bytes of one value that is no object
	maxFields = 64 << 10 // bytes of all; an item has at most 400 KB (AWS: "Quotas in Amazon DynamoDB")
)

// differing returns the fields of two objects that differ, also within objects in them. Lists are compared as a whole.
// Long values are shown by length and digest.
func differing(before, after any) (Fields, Fields, error) {
	old, err := object(before)
	if err != nil {
		return "", "", err
	}
	changed, err := object(after)
	if err != nil {
		return "", "", err
	}
	old, changed = differ(old, changed)
	return text(old), text(changed), nil
}

// object is what JSON makes of a view; nil: an empty one.
func object(view any) (map[string]any, error) {
	encoded, err := json.Marshal(view)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber() // a float would make different amounts equal
	var fields map[string]any
	return fields, decoder.Decode(&fields)
}

func differ(before, after map[string]any) (old, changed map[string]any) {
	old, changed = map[string]any{}, map[string]any{}
	for name := range before {
		compare(name, before, after, old, changed)
	}
	for name := range after {
		if _, compared := before[name]; !compared {
			compare(name, before, after, old, changed)
		}
	}
	return old, changed
}

// compare puts a field that differs into old and changed.
func compare(name string, before, after, old, changed map[string]any) {
	was, wasThere := before[name]
	is, isThere := after[name]
	wasObject, isObject := asObject(was, wasThere), asObject(is, isThere)
	if wasObject != nil && isObject != nil {
		wasObject, isObject = differ(wasObject, isObject)
		if len(wasObject) > 0 {
			old[name] = wasObject
		}
		if len(isObject) > 0 {
			changed[name] = isObject
		}
		return
	}
	if wasThere && isThere && bytes.Equal(encode(was), encode(is)) {
		return
	}
	if wasThere {
		old[name] = bounded(was, maxField)
	}
	if isThere {
		changed[name] = bounded(is, maxField)
	}
}

// asObject is the value as an object; what is absent is an empty one. Nil: it is none.
func asObject(value any, there bool) map[string]any {
	if !there {
		return map[string]any{}
	}
	fields, _ := value.(map[string]any)
	return fields
}

// bounded is the value, or its length and digest.
func bounded(value any, most int) any {
	encoded := encode(value)
	if len(encoded) <= most {
		return value
	}
	sum := sha256.Sum256(encoded)
	return map[string]any{"bytes": len(encoded), "sha256": hex.EncodeToString(sum[:])}
}

func text(fields map[string]any) Fields {
	if len(fields) == 0 {
		return ""
	}
	return Fields(encode(bounded(fields, maxFields)))
}

// encode is a value of object's, which can be encoded.
func encode(value any) []byte {
	encoded, _ := json.Marshal(value)
	return encoded
}
