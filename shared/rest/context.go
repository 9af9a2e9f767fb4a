package rest

import (
	"context"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// state is what the context of a request tells its operation.
type state struct {
	by        audit.By
	merchant  merchant.Merchant
	operation string        // OperationID
	seed      []byte        // of Random; nil: there is none
	source    string        // SourceAddress
	sent      *http.Request // to an Open route; nil on others
}

type stateKey struct{}

func stateOf(ctx context.Context) state {
	s, _ := ctx.Value(stateKey{}).(state)
	return s
}

// with returns the context after a change of its state.
func with(ctx context.Context, change func(*state)) context.Context {
	s := stateOf(ctx)
	change(&s)
	return context.WithValue(ctx, stateKey{}, s)
}

// Caller is the authenticated principal; zero on an Open route.
func Caller(ctx context.Context) identity.Principal { return By(ctx).Principal }

// By returns the request's principal, actor and operation. On an Open route they have no rights and no kind.
func By(ctx context.Context) audit.By { return stateOf(ctx).by }

// Merchant returns the caller's merchant, as read when the request was authenticated; zero on an Open route.
func Merchant(ctx context.Context) merchant.Merchant { return stateOf(ctx).merchant }

// OperationID identifies the requested operation, in UUID v4 form. With an Idempotency-Key every retry has the same,
// also after a crash: an operation whose first write has it as id recognises its own work. Without a key it is random.
func OperationID(ctx context.Context) string { return stateOf(ctx).operation }

// withOperation is a context in which OperationID is id, and Random of the keys.
func withOperation(ctx context.Context, k keys, id string) context.Context {
	return with(ctx, func(s *state) {
		s.operation = id
		if len(k.random) > 0 {
			s.seed = mac(k.random, id)
		}
	})
}
