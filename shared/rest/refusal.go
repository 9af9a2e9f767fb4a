package rest

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Refusal explains to people why the route does not admit the principal. It names the kinds of credentials that the
// route takes, or the scope, action or permission that the principal lacks. It returns "" if the route admits the
// principal. A public key needs no scope. A merchant token needs the action (contract §8.5). Any other credential needs
// one of the scopes (contract §2.1), and a person also the permission (contract §8.1).
func (r Route) Refusal(p identity.Principal) string {
	kind := p.Actor.Kind
	if !r.Takes(kind) {
		return r.kindRefusal(kind)
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

// kindNames lists the kinds of callers with the names that people read.
var kindNames = []struct {
	kind identity.Kind
	name string
}{
	{identity.SecretKey, "secret keys"}, {identity.PublicKey, "public keys"}, {identity.User, "users"},
	{identity.Operator, "operators"}, {identity.Client, "OAuth clients"}, {identity.TestProfile, "test profiles"},
	{identity.MerchantToken, "merchant tokens"},
}

// kindRefusal says that the route does not take the kind, and lists the kinds that it takes. It never returns "".
func (r Route) kindRefusal(kind identity.Kind) string {
	var refused string
	var taken []string
	for _, k := range kindNames {
		switch {
		case k.kind == kind:
			refused = k.name
		case r.Takes(k.kind):
			taken = append(taken, k.name)
		}
	}
	return "This operation is not for " + refused + ". It is for " + strings.Join(taken, ", ") + "."
}
