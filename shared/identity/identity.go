// Package identity is about who a caller is and what it may do: tenants,
// principals, API keys and scopes. It does no I/O.
package identity

import (
	"slices"
	"strings"
)

// Mode separates real money from the sandbox (contract §2.1). Its value is
// the first part of a Tenant's String.
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

// Tenant is whose data a caller sees: one merchant in one mode. The keys of a
// tenant's data contain its String before anything that a client may choose, so
// that a test credential cannot even name a live item.
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
	SecretKey Kind = "secret"
	PublicKey Kind = "public"
)

// Actor is who acts: an API key now, a user or an OAuth client later.
type Actor struct {
	Kind Kind
	ID   string // of the key; never its token
}

// Principal is who makes a request: the actor, the tenant whose data it may
// use, and its scopes. It names its merchant without a copy of it, so a change
// of the merchant takes effect with the next request.
type Principal struct {
	Actor  Actor
	Tenant Tenant
	Scopes []string
}

// May reports whether the principal has at least one of the scopes (contract
// §1: any one suffices; with none asked for, any credential of the merchant does).
func (p Principal) May(anyOf ...string) bool {
	if len(anyOf) == 0 {
		return true
	}
	return slices.ContainsFunc(anyOf, func(scope string) bool { return slices.Contains(p.Scopes, scope) })
}
