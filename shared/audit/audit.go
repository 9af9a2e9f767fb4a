// Package audit records who changed what in a merchant's account: in its terms, settings, bank accounts, onboarding
// data, keys and members. Make an entry with New. The store writes the entry in the transaction of the change.
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

// Entry is one change, as stored. The table's own policy forbids changing or deleting entries.
type Entry struct {
	ID        string        `dynamo:"id"`
	At        time.Time     `dynamo:"at"`
	Mode      identity.Mode `dynamo:"mode,omitempty"` // "": the change affects the merchant or both modes
	Actor     Actor         `dynamo:"actor"`
	Operation string        `dynamo:"operation"`
	Subject   string        `dynamo:"subject"`
	Before    Fields        `dynamo:"before,omitempty"`
	After     Fields        `dynamo:"after,omitempty"`
}

// Kind is the kind of an actor.
type Kind string

// The kinds.
const (
	APIKey  Kind = "api_key" // an API key of a merchant
	Member  Kind = "member"  // a person with an access token
	Client  Kind = "client"  // an OAuth client or a test profile that acts for the merchant
	Command Kind = "command" // a command of the platform's operator
	Sweep   Kind = "sweep"   // the platform, when something is due
	Bank    Kind = "bank"    // the bank that answered
)

// Actor identifies the author of a change, and tells where the request came from.
type Actor struct {
	Kind Kind `dynamo:"kind" json:"kind"`

	// ID is the id of the key, member, client or profile. For a command, ID is a name that the command itself gives. Only
	// AWS's record of the request proves that name.
	ID string `dynamo:"id,omitempty" json:"id,omitempty"`

	Email string `dynamo:"email,omitempty" json:"email,omitempty"` // of a member, at the time of the change

	Source  string `dynamo:"source,omitempty" json:"source,omitempty"`   // IP address of the client
	Request string `dynamo:"request,omitempty" json:"request,omitempty"` // X-Request-Id, or Lambda's id of the call
}

// By has the principal, actor and operation of a change. The zero By may change nothing.
type By struct {
	Principal identity.Principal // the principal's rights decide
	Actor     Actor              // entries name the actor
	Operation string             // a route, such as "PUT /v0.1/me/merchant-profile/settings", or an operator's command
}

// ByPlatform returns a By that may change everything, for a worker or an operator's command.
func ByPlatform(a Actor, operation string) By {
	return By{Principal: identity.Platform(), Actor: a, Operation: operation}
}

// Member returns the By of a person who accepts an invitation or sets a forgotten password. Its principal has no scopes
// and no permissions.
func (b By) Member(id, email string) By {
	b.Principal = identity.Principal{Actor: identity.Actor{Kind: identity.User, ID: id}}
	b.Actor.Kind, b.Actor.ID, b.Actor.Email = Member, id, email
	return b
}

// Bank returns the By of the bank that answered the request.
func (b By) Bank() By {
	b.Actor = Actor{Kind: Bank, Request: b.Actor.Request}
	return b
}

// Change has the state before and after a change, as views without secrets: no credential, no date of birth, and only
// the last four characters of account numbers. Before is nil if the subject did not exist, and After is nil if it was
// deleted.
type Change struct {
	Mode          identity.Mode
	Subject       string // "merchant", or a kind and an id, as in "api_key key_…"
	Before, After any    // New encodes them as JSON objects
}

// ErrNobody reports a change without a principal, an actor or an operation.
var ErrNobody = errors.New("audit: a change needs a principal, an actor and an operation")

// Check returns ErrNobody when the principal, the actor or the operation is missing.
func (b By) Check() error {
	if b.Principal.IsNobody() || b.Actor.Kind == "" || b.Operation == "" {
		return ErrNobody
	}
	return nil
}

// New returns the entry of a change, with only the fields that differ. Errors: ErrNobody; the error of a view that
// cannot be encoded.
func New(by By, at time.Time, c Change) (Entry, error) {
	if err := by.Check(); err != nil {
		return Entry{}, err
	}
	before, after, err := diffViews(c.Before, c.After)
	return Entry{ID: uuid.NewString(), At: at, Mode: c.Mode, Actor: by.Actor, Operation: by.Operation, Subject: c.Subject,
		Before: before, After: after}, err
}

// Fields is a JSON object as text; "" is an empty object. The type is not called Members, because a merchant's members
// are people.
type Fields string

// MarshalJSON returns the object.
func (m Fields) MarshalJSON() ([]byte, error) {
	if m == "" {
		return []byte("{}"), nil
	}
	return []byte(m), nil
}

const (
	maxField  = 4 << 10  // bytes of one value, unless it is an object
	maxFields = 64 << 10 // bytes of all fields; an item has at most 400 KB (AWS: "Quotas in Amazon DynamoDB")
)

// diffViews returns the fields that differ between two views. It also compares the fields within objects. A list counts
// as one value. A long value is replaced by its length and digest.
func diffViews(before, after any) (Fields, Fields, error) {
	old, err := toObject(before)
	if err != nil {
		return "", "", err
	}
	changed, err := toObject(after)
	if err != nil {
		return "", "", err
	}
	old, changed = diffObjects(old, changed)
	return toFields(old), toFields(changed), nil
}

// toObject encodes a view as JSON and decodes it. A nil view is an empty object.
func toObject(view any) (map[string]any, error) {
	encoded, err := json.Marshal(view)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber() // a float would make different amounts equal
	var fields map[string]any
	return fields, decoder.Decode(&fields)
}

func diffObjects(before, after map[string]any) (old, changed map[string]any) {
	old, changed = map[string]any{}, map[string]any{}
	for name := range before {
		compareField(name, before, after, old, changed)
	}
	for name := range after {
		if _, compared := before[name]; !compared {
			compareField(name, before, after, old, changed)
		}
	}
	return old, changed
}

// compareField compares one field. If it differs, compareField adds it to old and changed.
func compareField(name string, before, after, old, changed map[string]any) {
	was, wasThere := before[name]
	is, isThere := after[name]
	wasObject, isObject := asObject(was, wasThere), asObject(is, isThere)
	if wasObject != nil && isObject != nil {
		wasObject, isObject = diffObjects(wasObject, isObject)
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
		old[name] = shorten(was, maxField)
	}
	if isThere {
		changed[name] = shorten(is, maxField)
	}
}

// asObject returns the value as an object, or nil if the value is not an object. For an absent value it returns an
// empty object.
func asObject(value any, there bool) map[string]any {
	if !there {
		return map[string]any{}
	}
	fields, _ := value.(map[string]any)
	return fields
}

// shorten returns the value. If the value is too long, it returns the length and digest instead.
func shorten(value any, most int) any {
	encoded := encode(value)
	if len(encoded) <= most {
		return value
	}
	sum := sha256.Sum256(encoded)
	return map[string]any{"bytes": len(encoded), "sha256": hex.EncodeToString(sum[:])}
}

func toFields(fields map[string]any) Fields {
	if len(fields) == 0 {
		return ""
	}
	return Fields(encode(shorten(fields, maxFields)))
}

// encode encodes a value that toObject returned. The encoding of such a value never fails.
func encode(value any) []byte {
	encoded, _ := json.Marshal(value)
	return encoded
}
