package merchant

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Credential is a caller: an API key now, an access token later.
type Credential struct {
	ID        string          `dynamo:"id"`
	Kind      identity.Kind   `dynamo:"kind"`
	Tenant    identity.Tenant `dynamo:"tenant"`
	Scopes    []string        `dynamo:"scopes,set"`
	Merchant  Merchant        `dynamo:"merchant"`
	Revoked   bool            `dynamo:"revoked"`
	CreatedAt time.Time       `dynamo:"created_at"`
}

// May says the credential holds at least one of the scopes (contract §1: any
// one suffices; no scope asked means any credential of the merchant).
func (c Credential) May(anyOf ...string) bool {
	if len(anyOf) == 0 {
		return true
	}
	return slices.ContainsFunc(anyOf, func(scope string) bool { return slices.Contains(c.Scopes, scope) })
}
