package rest

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

type (
	byKey          struct{}
	merchantKey    struct{}
	operationIDKey struct{}
	seedKey        struct{}
	requestIDKey   struct{}
	requestKey     struct{}
	sourceKey      struct{}
)

// Caller is the authenticated principal; zero on an Open route.
func Caller(ctx context.Context) identity.Principal { return By(ctx).Principal }

// By returns the principal, actor and operation of the request. On an Open route the principal has no rights and the
// actor no kind.
func By(ctx context.Context) audit.By {
	by, _ := ctx.Value(byKey{}).(audit.By)
	return by
}

// Merchant is the merchant of the caller's tenant, as read when the request was
// authenticated; zero on an Open route.
func Merchant(ctx context.Context) merchant.Merchant {
	m, _ := ctx.Value(merchantKey{}).(merchant.Merchant)
	return m
}

// OperationID identifies the operation that the client requests, in UUID v4 form.
// With an Idempotency-Key it is the same in every retry, also after a crash, so
// that an operation whose first write has it as its id recognises its own earlier
// work; without a key it is random.
func OperationID(ctx context.Context) string {
	id, _ := ctx.Value(operationIDKey{}).(string)
	return id
}

// RequestID is the UUID of this one request, as sent in X-Request-Id.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

func withCaller(ctx context.Context, by audit.By, m merchant.Merchant) context.Context {
	return context.WithValue(withBy(ctx, by), merchantKey{}, m)
}

func withBy(ctx context.Context, by audit.By) context.Context {
	return context.WithValue(ctx, byKey{}, by)
}

// withOperation is a context in which OperationID is id, and Random of the keys.
func withOperation(ctx context.Context, k keys, id string) context.Context {
	if len(k.random) > 0 {
		ctx = context.WithValue(ctx, seedKey{}, k.seed(id))
	}
	return context.WithValue(ctx, operationIDKey{}, id)
}

func withRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}
