package rest

import (
	"context"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// state is the part of a request that its operation reads from the context.
type state struct {
	by               audit.By
	merchant         merchant.Merchant
	operation        string        // see OperationID
	seed             []byte        // of Random; nil: no operation
	source           string        // see SourceAddress
	openRouteRequest *http.Request // the request to an Open route; nil on other routes
	browser          payments.Browser
}

type stateKey struct{}

func stateOf(ctx context.Context) state {
	s, _ := ctx.Value(stateKey{}).(state)
	return s
}

// withState returns a context with a changed state.
func withState(ctx context.Context, change func(*state)) context.Context {
	s := stateOf(ctx)
	change(&s)
	return context.WithValue(ctx, stateKey{}, s)
}

// Caller returns the authenticated principal, or the zero principal on an Open route.
func Caller(ctx context.Context) identity.Principal { return By(ctx).Principal }

// By returns the request's principal, actor and operation. On an Open route the principal has no rights, and the actor
// has no kind.
func By(ctx context.Context) audit.By { return stateOf(ctx).by }

// Merchant returns the caller's merchant, as read when the request was authenticated. On an Open route it is zero.
func Merchant(ctx context.Context) merchant.Merchant { return stateOf(ctx).merchant }

// Browser describes the client that sent the request. If a payer's browser sent the request, the payer's acquirer gets
// this description.
func Browser(ctx context.Context) payments.Browser { return stateOf(ctx).browser }

// OperationID returns the operation's id, in the form of a UUID v4. Every retry under an Idempotency-Key has the same
// id, even after a crash. So an operation that uses the id for its first write recognises its own work. Without a key
// the id is random.
func OperationID(ctx context.Context) string { return stateOf(ctx).operation }

// withOperation returns a context with the operation's id, and with the seed of Random derived from the id.
func withOperation(ctx context.Context, k keys, id string) context.Context {
	return withState(ctx, func(s *state) {
		s.operation = id
		if len(k.random) > 0 {
			s.seed = mac(k.random, id)
		}
	})
}
