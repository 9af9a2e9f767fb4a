// Package identity identifies callers and decides their rights. It has tenants, principals, API keys and scopes. A
// credential's method Principal returns the principal of its requests. May and Has tell the principal's rights.
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

// Modes lists both modes.
var Modes = []Mode{Live, Test}

// Name returns the mode as people write it: live or test.
func (m Mode) Name() string {
	if m == Live {
		return "live"
	}
	return "test"
}

// ParseMode parses a result of Name. It returns false for any other text.
func ParseMode(name string) (Mode, bool) {
	for _, m := range Modes {
		if name == m.Name() {
			return m, true
		}
	}
	return "", false
}

// Tenant is one merchant in one mode. The keys of its data contain its String before any text from a client, so that a
// test credential cannot even name a live item.
type Tenant struct {
	Mode     Mode   `dynamo:"mode"`
	Merchant string `dynamo:"merchant_code"`
}

// String returns the tenant's part of a key, e.g. "T#MC0A1B2C3D".
func (t Tenant) String() string { return string(t.Mode) + "#" + t.Merchant }

// ParseTenant parses a result of String. It returns false for any other text. A second "#" is refused, because keys
// contain the tenant's text.
func ParseTenant(text string) (Tenant, bool) {
	mode, merchant, ok := strings.Cut(text, "#")
	t := Tenant{Mode: Mode(mode), Merchant: merchant}
	return t, ok && merchant != "" && !strings.Contains(merchant, "#") && slices.Contains(Modes, t.Mode)
}

// platformCode stands for the merchant's code in a PlatformTenant. No merchant has it: a code begins with MC.
const platformCode = "PLATFORM"

// PlatformTenant returns the tenant of money that belongs to the platform and to no merchant, such as an acquirer's
// monthly fee. No credential belongs to this tenant.
func PlatformTenant(m Mode) Tenant { return Tenant{Mode: m, Merchant: platformCode} }

// Kind is the kind of an actor.
type Kind string

// The kinds.
const (
	SecretKey   Kind = "secret"
	PublicKey   Kind = "public"
	User        Kind = "user"         // a person with an OAuth client's access token
	Operator    Kind = "operator"     // a managed user with an OAuth client's access token
	Client      Kind = "client"       // an OAuth client that acts for its own merchant
	TestProfile Kind = "test_profile" // exists only in test mode

	MerchantToken Kind = "merchant_token" // an app or page, limited to the token's actions

	platform Kind = "platform" // no credential has this kind
)

var kinds = []Kind{SecretKey, PublicKey, User, Operator, Client, TestProfile, MerchantToken}

// InBrowser returns true if credentials of the kind are in payers' browsers.
func (k Kind) InBrowser() bool { return k == PublicKey || k == MerchantToken }

// Actor is the API key, person, OAuth client, test profile or merchant token that acts.
type Actor struct {
	Kind Kind
	ID   string // of the key, member, client, profile or merchant token; never a token's text
}

// Principal is the caller of a request: the actor, the tenant whose data the actor may use, and the rights there. The
// zero Principal has no rights. A Principal has no copy of its merchant, so a change of the merchant counts from the
// next request on.
type Principal struct {
	Actor       Actor
	Tenant      Tenant
	Scopes      []string     // of the key or token
	Actions     []Action     // of a merchant token
	Permissions []Permission // of a person, and of a merchant token that a person made
	Owner       bool         // a person with role_owner
	Email       string       // of a person
	Advanced    bool         // a person whose member's app settings have advanced mode
	Client      string       // id of the OAuth client that has the token; "" for keys
	Person      string       // of a key: Maker.Person; of a merchant token: id of the member who made it
	SignedIn    time.Time    // of a person: AccessToken.SignedIn
	Expires     time.Time    // of an access token: AccessToken.ExpiresAt
	Admitted    Admission
}

// Admission has the versions of the credential that admitted the principal. A write that gives or takes rights has the
// condition that these versions are still current.
type Admission struct {
	Hash    string // of the key's or the token's text
	Grant   string // of an access token: hash of the refresh token issued with it
	Client  int    // version of the OAuth client that has the access token
	Version int    // of the key's item, or of the person's member
	Roles   int    // version of the tenant's roles; 0: the person has only predefined roles

	// Set if the token acts for another merchant: the user's member at the merchant that the token was allowed for.
	Chosen        string // id of that member; "": the token acts for the merchant that allowed it
	ChosenTenant  Tenant
	ChosenVersion int // of that member
}

// Platform returns the principal of workers and of operators' commands. It has all rights. No credential has all of
// them.
func Platform() Principal { return Principal{Actor: Actor{Kind: platform}} }

// IsPlatform returns true if the principal is the platform's.
func (p Principal) IsPlatform() bool { return p.Actor.Kind == platform }

// IsNobody returns true if the principal has no credential, or a credential of an unknown kind.
func (p Principal) IsNobody() bool { return !p.IsPlatform() && !slices.Contains(kinds, p.Actor.Kind) }

// IsPerson returns true if the principal is a person. A person is limited by the permissions of their member.
func (p Principal) IsPerson() bool { return p.Actor.Kind == User || p.Actor.Kind == Operator }

// Has returns true if the principal has the permission. The permission "" is always granted. Permissions limit persons
// and the merchant tokens that persons make. Test profiles are for trying payments, so they never have an
// administrator's permission. Other callers are limited only by their scopes or actions.
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

// Sees returns true if the principal may see a payment. creator is the id of the member who created its checkout, or
// "". A person without full_transaction_history_view sees only their own payments (contract §13.9).
func (p Principal) Sees(creator string) bool {
	return p.Has(FullTransactionHistoryView) || !p.IsNobody() && creator == p.Actor.ID
}

// May returns true if the principal has one of the scopes (contract §1). If no scope is given, any credential of the
// merchant suffices.
func (p Principal) May(anyOf ...string) bool {
	if p.IsPlatform() || p.IsNobody() {
		return p.IsPlatform()
	}
	if len(anyOf) == 0 {
		return true
	}
	return slices.ContainsFunc(anyOf, func(scope string) bool { return slices.Contains(p.Scopes, scope) })
}

// idBytes is the number of bytes that give 26 characters of base 32.
const idBytes = 16

// DerivedID returns an id with a prefix and 26 characters derived from the text. The same text gives the same id. The
// text names the kind of item and the operation that makes it.
func DerivedID(prefix, text string) string {
	sum := sha256.Sum256([]byte(text))
	return formatID(prefix, sum[:idBytes])
}

// RandomID returns an id with a prefix and 26 characters derived from bytes of random. Errors: those of random.
func RandomID(prefix string, random io.Reader) (string, error) {
	id := make([]byte, idBytes)
	_, err := io.ReadFull(random, id)
	return formatID(prefix, id), err
}

func formatID(prefix string, id []byte) string {
	return prefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(id))
}
