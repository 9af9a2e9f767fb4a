package rest

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

type (
	callerKey      struct{}
	operationIDKey struct{}
	requestIDKey   struct{}
)

// Caller is the authenticated credential; zero on an Open route.
func Caller(ctx context.Context) merchant.Credential {
	c, _ := ctx.Value(callerKey{}).(merchant.Credential)
	return c
}

// OperationID identifies what the client asked for, in UUID v4 form. Under an
// Idempotency-Key it is the same for every retry, also after a crash, so that
// an operation which names its first write by it recognises its own earlier
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

// WithCaller is a context in which Caller answers c.
func WithCaller(ctx context.Context, c merchant.Credential) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// WithOperationID is a context in which OperationID answers id.
func WithOperationID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, operationIDKey{}, id)
}

func withRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}
