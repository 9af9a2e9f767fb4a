// Package identity says who a caller is and what it may do: tenants,
// credentials, API keys and scopes. It does no I/O.
package identity

import (
	"strings"
)

// Mode separates real money from the sandbox (contract §2.1). Its value is
// the first part of every key of a tenant.
type Mode string

// The modes.
const (
	Live Mode = "L"
	Test Mode = "T"
)

// Tenant is whose data a credential sees: one merchant in one mode. All of a
// tenant's keys begin with its String, so that a test credential cannot even
// name a live item.
type Tenant struct {
	Mode     Mode   `dynamo:"mode"`
	Merchant string `dynamo:"merchant_code"`
}

// String is the tenant's key prefix, e.g. "T#MC0A1B2C3D".
func (t Tenant) String() string { return string(t.Mode) + "#" + t.Merchant }

// ParseTenant reads what String wrote; false for anything else.
func ParseTenant(text string) (Tenant, bool) {
	mode, merchant, ok := strings.Cut(text, "#")
	t := Tenant{Mode: Mode(mode), Merchant: merchant}
	return t, ok && merchant != "" && (t.Mode == Live || t.Mode == Test)
}

// Kind of a credential.
type Kind string

// The kinds.
const (
	SecretKey Kind = "secret"
	PublicKey Kind = "public"
)
