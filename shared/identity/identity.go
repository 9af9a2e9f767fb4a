// Package identity is about who a caller is and what it may do: tenants, principals, API keys and scopes.
package identity

import (
	"crypto/sha256"
	"encoding/base32"
	"io"
	"slices"
	"strings"
	"time"
)

// Mode separates real money from the sandbox (contract §2.1). Its value is the first part of a Tenant's String.
type Mode string

// The modes.
const (
	Live Mode = "L"
	Test Mode = "T"
)

// Modes are both modes.
var Modes = []Mode{Live, Test}

// Name is the mode as people write it: live or test.
func (m Mode) Name() string {
	if m == Live {
		return "live"
	}
	return "test"
}

// ParseMode reads what Name wrote; false for anything else.
func ParseMode(name string) (Mode, bool) {
	for _, m := range Modes {
		if name == m.Name() {
			return m, true
		}
	}
	return "", false
}

// Tenant is one merchant in one mode. The keys of its data contain its String before anything that a client may choose,
// so that a test credential cannot even name a live item.
type Tenant struct {
	Mode     Mode   `dynamo:"mode"`
	Merchant string `dynamo:"merchant_code"`
}

// String is the tenant's part of a key, e.g. "T#MC0A1B2C3D".
func (t Tenant) String() string { return string(t.Mode) + "#" + t.Merchant }

// ParseTenant reads what String wrote; false for anything else.
func ParseTenant(text string) (Tenant, bool) {
	mode, merchant, ok := strings.Cut(text, "#")
	t := Tenant{Mode: Mode(mode), Merchant: merchant}
	return t, ok && merchant != "" && slices.Contains(Modes, t.Mode)
}

// Kind of an actor.
type Kind string

// The kinds.
const (
	SecretKey   Kind = "secret"
	PublicKey   Kind = "public"
	User        Kind = "user"         // a person, by an OAuth client's access token
	Operator    Kind = "operator"     // a managed user, likewise
	Client      Kind = "client"       // an OAuth client that acts for its own merchant
	TestProfile Kind = "test_profile" // of test mode only

	MerchantToken Kind = "merchant_token" // an app or page, for what the token's actions name

	platform Kind = "platform" // no credential has it
)

var kinds = []Kind{SecretKey, PublicKey, User, Operator, Client, TestProfile, MerchantToken}

// InBrowser reports whether payers' browsers have credentials of the kind.
func (k Kind) InBrowser() bool { return k == PublicKey || k == MerchantToken }

// Actor is who acts: an API key, a person, an OAuth client, a test profile or a merchant token.
type Actor struct {
	Kind Kind
	ID   string // of the key, member, client, profile or merchant token; never a token's text
}

// Principal is who makes a request: the actor, the tenant whose data it may use, and its rights there, none for the
// zero Principal. It has no copy of its merchant, so a changed merchant counts from the next request on.
type Principal struct {
	Actor       Actor
	Tenant      Tenant
	Scopes      []string     // of the key or token
	Actions     []Action     // of a merchant token
	Permissions []Permission // of a person, and of a merchant token that a person has made
	Owner       bool         // of a person: it has role_owner
	Email       string       // of a person
	Advanced    bool         // of a person: its member's app settings have advanced mode
	Client      string       // id of the OAuth client that has the token; "" for keys
	Person      string       // of a key: Maker.Person; of a merchant token: id of the member who has made it
	SignedIn    time.Time    // of a person: AccessToken.SignedIn
	Expires     time.Time    // of an access token: AccessToken.ExpiresAt
	Admitted    Admission
}

// Admission is the version of the credential with which the principal was admitted. A write
// that gives or takes rights has the condition that it has not changed since.
type Admission struct {
	Hash    string // of the key's or the token's text
	Grant   string // of an access token that came with a refresh token: the hash of that
	Client  int    // version of the OAuth client that has the access token
	Version int    // of the key's item, or of the person's member
	Roles   int    // version of the tenant's roles; 0: the person has only predefined ones

	// The user's member at the merchant for which the token was allowed, when the token acts for another merchant.
	Chosen        string // id of that member; "": the token acts for the merchant for which it was allowed
	ChosenTenant  Tenant
	ChosenVersion int // of that member
}

// Platform returns the principal of workers and of operators' commands, which has all rights. No credential has them.
func Platform() Principal { return Principal{Actor: Actor{Kind: platform}} }

// IsPlatform reports whether the principal is the platform's.
func (p Principal) IsPlatform() bool { return p.Actor.Kind == platform }

// IsNobody reports whether the principal has no credential, or one of a kind that is not known here.
func (p Principal) IsNobody() bool { return !p.IsPlatform() && !slices.Contains(kinds, p.Actor.Kind) }

// IsPerson reports whether the principal is a person, whom the permissions of its member limit.
func (p Principal) IsPerson() bool { return p.Actor.Kind == User || p.Actor.Kind == Operator }

// Has reports whether the principal may do what needs the permission; "" needs none. It
// limits persons and the merchant tokens that they make. Test profiles, which are for trying payments, may do nothing
// that needs an administrator's permission. Other callers are limited by their scopes or actions alone.
func (p Principal) Has(permission Permission) bool {
	switch {
	case p.IsNobody():
		return false
	case p.IsPlatform() || permission == "":
		return true
	case p.Actor.Kind == TestProfile:
		return !permission.administers()
	default:
		limited := p.IsPerson() || p.Actor.Kind == MerchantToken && p.Person != ""
		return !limited || slices.Contains(p.Permissions, permission)
	}
}

// Sees reports whether the principal may see a payment by its checkout's creator, a member's id or "": without
// full_transaction_history_view a person sees only its own (contract §13.9).
func (p Principal) Sees(creator string) bool {
	return p.Has(FullTransactionHistoryView) || !p.IsNobody() && creator == p.Actor.ID
}

// May reports whether the principal has at least one of the scopes (contract
// §1: any one suffices; with none asked for, any credential of the merchant does).
func (p Principal) May(anyOf ...string) bool {
	if p.IsPlatform() || p.IsNobody() {
		return p.IsPlatform()
	}
	if len(anyOf) == 0 {
		return true
	}
	return slices.ContainsFunc(anyOf, func(scope string) bool { return slices.Contains(p.Scopes, scope) })
}

// idBytes are 26 characters of base 32.
const idBytes = 16

// DerivedID is an id with a prefix and 26 characters that follow from the text: the same each time. The text names the
// kind of what gets the id, and the operation that makes it.
func DerivedID(prefix, text string) string {
	sum := sha256.Sum256([]byte(text))
	return idOf(prefix, sum[:idBytes])
}

// RandomID returns an id with a prefix and 26 characters that follow from bytes of random. Errors: those of random.
func RandomID(prefix string, random io.Reader) (string, error) {
	id := make([]byte, idBytes)
	_, err := io.ReadFull(random, id)
	return idOf(prefix, id), err
}

func idOf(prefix string, id []byte) string {
	return prefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(id))
}
