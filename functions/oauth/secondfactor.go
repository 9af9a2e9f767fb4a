package oauth

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// hasSecondFactor reports whether the account has a second factor. A test profile never has.
func (f family) hasSecondFactor(ctx context.Context, account signin.Account) (bool, error) {
	if account.Kind == identity.TestProfile {
		return false, nil
	}
	found, err := f.store.SecondFactor(ctx, account.User())
	return found.Confirmed(), err
}

// entered is a code that was just entered.
func (f family) entered(text secret.Text) signin.Code {
	return signin.Code{Text: text, At: f.wallNow()}
}

// secrets derives the secrets of the account's second factor.
func (f family) secrets(account signin.Account) signin.Secrets {
	return f.factorKey().Of(account.User())
}

type confirmSignInRequest struct {
	CSRF     string      `form:"csrf_token" validate:"required"`
	Code     secret.Text `form:"code" validate:"required text=64"`
	Continue string      `form:"continue" validate:"text=16384"`
}

// confirmSignIn completes a sign-in whose session is Pending: with the right code a full session
// under a new cookie replaces it, in the transaction that marks the code as used. A browser whose
// session has ended is sent to sign in again.
func (f family) confirmSignIn(ctx context.Context, req confirmSignInRequest) (rest.Document, error) {
	session, account, signedIn, err := f.consentSession(ctx)
	malformed := len(validate.Forms(req)) > 0 || req.Code.IsZero()
	switch {
	case err != nil:
		return rest.Document{}, err
	case malformed && !session.Pending:
		return f.drawSignIn(ctx, signInView{Problem: problemExpired})
	case !signedIn:
		return rest.Document{Redirect: f.signInURL(req.Continue)}, nil
	case !session.Pending:
		return rest.Document{Redirect: f.next(req.Continue)}, nil
	case !f.forms.Ours(ctx, codeForm, req.CSRF):
		return f.drawConfirmation(ctx, req.Continue, problemAgain)
	case malformed:
		return f.drawConfirmation(ctx, req.Continue, problemCode)
	}
	cookie, full := f.newSession(account, session.SignedIn)
	err = f.store.ConfirmSignIn(ctx, session.Hash, full, func(before signin.Factor) (signin.Factor, error) {
		return before.Use(f.secrets(account), f.entered(req.Code), account.Passwords.Current())
	})
	switch {
	case errors.Is(err, signin.ErrWrongCode):
		return f.drawConfirmation(ctx, req.Continue, problemCode)
	case errors.Is(err, signin.ErrManyCodes):
		return f.drawConfirmation(ctx, req.Continue, problemMany)
	case errors.Is(err, store.ErrSignedOut):
		return rest.Document{Redirect: f.signInURL(req.Continue)}, nil
	case err != nil:
		return rest.Document{}, err
	}
	device, err := f.remember(ctx, account)
	return rest.Document{Redirect: f.next(req.Continue), Cookie: cookie, Device: device}, err
}

// showSecondFactor serves the page on which people manage their second factor. A browser that is
// not fully signed in is sent to sign in.
func (f family) showSecondFactor(ctx context.Context, _ struct{}) (rest.Document, error) {
	session, account, signedIn, err := f.session(ctx)
	if err != nil || !signedIn || session.Pending {
		return rest.Document{Redirect: f.baseURL + "/sign-in"}, err
	}
	return f.drawFactor(ctx, session, account, factorProblem{})
}

// action is what a form does with a second factor.
type action string

// The actions.
const (
	actionConfirm  action = "confirm"
	actionDisable  action = "disable"
	actionNewCodes action = "new_codes"
)

type updateSecondFactorRequest struct {
	CSRF   string      `form:"csrf_token" validate:"required"`
	Action action      `form:"action" validate:"required one-of=confirm|disable|new_codes"`
	Code   secret.Text `form:"code" validate:"required text=64"`
}

// updateSecondFactor turns the second factor on or off, or makes new recovery codes. Each action
// takes a code, so that a stolen session is not enough.
func (f family) updateSecondFactor(ctx context.Context, req updateSecondFactorRequest) (rest.Document, error) {
	session, account, signedIn, err := f.session(ctx)
	malformed := len(validate.Forms(req)) > 0 || req.Code.IsZero()
	switch full := signedIn && !session.Pending; {
	case err != nil:
		return rest.Document{}, err
	case malformed && !full:
		return f.drawSignIn(ctx, signInView{Problem: problemExpired})
	case !full:
		return rest.Document{Redirect: f.baseURL + "/sign-in"}, nil
	}
	page := rest.Document{Redirect: f.baseURL + "/account/second-factor"}
	wrong := factorProblem{of: req.Action}
	switch {
	case !f.forms.Ours(ctx, factorForm, req.CSRF):
		return f.drawFactor(ctx, session, account, wrong.with(problemAgain))
	case malformed:
		return f.drawFactor(ctx, session, account, wrong.with(problemCode))
	case account.Kind == identity.TestProfile:
		return page, nil
	}
	_, err = f.store.ChangeSecondFactor(ctx, account, func(before signin.Factor) (signin.Factor, error) {
		return f.changed(before, session, account, req)
	})
	switch {
	case errors.Is(err, signin.ErrWrongCode):
		return f.drawFactor(ctx, session, account, wrong.with(problemCode))
	case errors.Is(err, signin.ErrManyCodes):
		return f.drawFactor(ctx, session, account, wrong.with(problemMany))
	case errors.Is(err, signin.ErrConfirmed):
		return f.drawFactor(ctx, session, account, wrong.with(problemOn))
	case err == nil:
		f.log.InfoContext(ctx, "second factor changed", "user", account.User(), "action", req.Action)
	}
	return page, err
}

// changed returns the second factor after a form's action. Turning it off when it is off, as by a form that is sent
// twice, changes nothing. Errors: signin.ErrWrongCode, with the factor that counts the code; signin.ErrManyCodes;
// signin.ErrConfirmed.
func (f family) changed(before signin.Factor, session signin.Session, account signin.Account,
	req updateSecondFactorRequest) (signin.Factor, error) {
	secrets, code, now := f.secrets(account), f.entered(req.Code), f.store.Now()
	switch {
	case req.Action == actionConfirm:
		return before.Confirm(secrets, session.Hash, code, now)
	case req.Action == actionDisable && !before.Confirmed():
		return before, nil
	}
	after, err := before.Use(secrets, code, account.Passwords.Current())
	switch {
	case err != nil:
		return after, err
	case req.Action == actionNewCodes:
		return after.WithNewCodes(session.Hash, now), nil
	default:
		return after.Off(), nil
	}
}
