package oauth

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// factors reports whether the account has a second factor.
func (f family) factors(ctx context.Context, account signin.Account) (enrolled bool, err error) {
	factor, err := f.store.SecondFactor(ctx, account.User())
	return factor.Confirmed(), err
}

// confirmation is the page that asks for the second factor of a session that is Pending.
func (f family) confirmation(ctx context.Context, _ signin.Session, continuation string) (rest.Document, error) {
	return f.drawSignIn(ctx, signInView{Continue: continuation})
}
