package identity

import "context"

type callerKey struct{}

// As is a context of what the principal asks for.
func As(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, callerKey{}, p)
}

// Caller is who asks for what happens in the context; zero where nobody is known, and what
// the platform does by itself.
func Caller(ctx context.Context) Principal {
	p, _ := ctx.Value(callerKey{}).(Principal)
	return p
}
