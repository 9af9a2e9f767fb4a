package identity

import "context"

type callerKey struct{}

// As is the context of a request by the principal.
func As(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, callerKey{}, p)
}

// Caller is the principal whose request the context belongs to; zero for a request without a
// credential, and for what the platform does by itself.
func Caller(ctx context.Context) Principal {
	p, _ := ctx.Value(callerKey{}).(Principal)
	return p
}
