package rest

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Refusal says why the route does not admit the principal, for people: which kinds of credentials it takes, or which
// scope, action or permission the principal lacks. It returns "" for a public key where one is meant, whatever the
// scopes; for a merchant token with the action (contract §8.5); for any other credential with one of the scopes
// (contract §2.1), of a person also with the permission (contract §8.1).
func (r Route) Refusal(p identity.Principal) string {
	kind := p.Actor.Kind
	if !r.Takes(kind) {
		return r.refusalOf(kind)
	}
	var lacks []identity.Lack
	switch {
	case kind == identity.PublicKey:
	case kind == identity.MerchantToken && !slices.Contains(p.Actions, r.Action):
		lacks = append(lacks, identity.LackOfAction(r.Action))
	case kind != identity.MerchantToken && !p.May(r.Scopes...):
		lacks = append(lacks, identity.LackOfScope(r.Scopes...))
	}
	if !p.Has(r.Permission) {
		lacks = append(lacks, identity.LackOfPermission(r.Permission))
	}
	return identity.Lacks("The credential lacks", lacks)
}

// kinds are the kinds of callers, and what people call them.
var kinds = []struct {
	kind identity.Kind
	name string
}{
	{identity.SecretKey, "secret keys"}, {identity.PublicKey, "public keys"}, {identity.User, "users"},
	{identity.Operator, "operators"}, {identity.Client, "OAuth clients"}, {identity.TestProfile, "test profiles"},
	{identity.MerchantToken, "merchant tokens"},
}

// refusalOf says that the route does not take the kind, and which it takes. It is never empty.
func (r Route) refusalOf(kind identity.Kind) string {
	var refused string
	var taken []string
	for _, k := range kinds {
		switch {
		case k.kind == kind:
			refused = k.name
		case r.Takes(k.kind):
			taken = append(taken, k.name)
		}
	}
	return "This operation is not for " + refused + ". It is for " + strings.Join(taken, ", ") + "."
}
