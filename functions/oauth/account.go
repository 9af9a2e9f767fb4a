package oauth

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// showAccount shows the page of the account that is signed in. A browser not fully signed in is sent to sign in.
func (f family) showAccount(ctx context.Context, _ struct{}) (rest.Document, error) {
	v, refusal, full, err := f.readVisitor(ctx, false)
	if err != nil || !full {
		return refusal, err
	}
	return f.drawAccount(ctx, v, "")
}

// visitor is a browser that is fully signed in, with its account as stored now.
type visitor struct {
	session signin.Session
	account signin.Account
}

// readVisitor reads the session for a page or form of an account. For a browser that is not fully signed in it returns
// false with the reply: a redirect to sign in, or the page to sign in with a problem if the form is malformed.
//
// A session that began before another session turned the second factor on may use the page, unlike a consent
// (readConsentSession). Ending sessions and revoking clients gives no access to anyone. The owner must be able to do
// so at once from any browser, even without the phone. A thief with such a session can only make the owner sign in
// again.
func (f family) readVisitor(ctx context.Context, malformed bool) (v visitor, refusal rest.Document, full bool,
	err error) {
	session, account, signedIn, err := f.readSession(ctx)
	switch full := signedIn && !session.Pending; {
	case err != nil:
		return visitor{}, rest.Document{}, false, err
	case malformed && !full:
		refusal, err = f.drawSignIn(ctx, signInView{Problem: problemExpired})
		return visitor{}, refusal, false, err
	case !full:
		return visitor{}, rest.Document{Redirect: f.baseURL + "/sign-in"}, false, nil
	}
	return visitor{session, account}, rest.Document{}, true, nil
}

// accountForm is the subject of the csrf_token of the forms on an account's page.
const accountForm = "account"

// otherSessions stands for all sessions of the account but the browser's.
const otherSessions = "others"

type endSessionsRequest struct {
	CSRF    string `form:"csrf_token" validate:"required"`
	Session string `form:"session" validate:"required text=64"` // signin.SessionID, or otherSessions
}

// endSessions ends one session of the account, or all others. Their cookies are refused from the next request on. An id
// that is not of the account's sessions does nothing: the session may have ended meanwhile.
func (f family) endSessions(ctx context.Context, req endSessionsRequest) (rest.Document, error) {
	malformed := len(validate.Forms(req)) > 0
	v, refusal, full, err := f.readVisitor(ctx, malformed)
	switch {
	case err != nil || !full:
		return refusal, err
	case malformed || !f.forms.Ours(ctx, accountForm, req.CSRF):
		return f.drawAccount(ctx, v, problemAgain)
	case req.Session == signin.SessionID(v.session.Hash):
		return rest.Document{Redirect: f.baseURL + "/sign-in"}, f.endSession(ctx)
	}
	err = f.store.EndSignIns(ctx, v.account, func(hash string) bool {
		if req.Session == otherSessions {
			return hash != v.session.Hash
		}
		return signin.SessionID(hash) == req.Session
	})
	if err == nil {
		f.log.InfoContext(ctx, "sessions ended", "account", v.account.ID, "all", req.Session == otherSessions)
	}
	return rest.Document{Redirect: f.accountURL()}, err
}

type revokeApplicationRequest struct {
	CSRF   string `form:"csrf_token" validate:"required"`
	Client string `form:"client_id" validate:"required text=64"`
}

// revokeApplication revokes all that the account allowed a client: codes, refresh tokens and access tokens, from the
// next request on. It does nothing for a client that the account has not allowed anything.
func (f family) revokeApplication(ctx context.Context, req revokeApplicationRequest) (rest.Document, error) {
	malformed := len(validate.Forms(req)) > 0
	v, refusal, full, err := f.readVisitor(ctx, malformed)
	switch {
	case err != nil || !full:
		return refusal, err
	case malformed || !f.forms.Ours(ctx, accountForm, req.CSRF):
		return f.drawAccount(ctx, v, problemAgain)
	}
	if err = f.store.RevokeGrants(ctx, v.account, req.Client); err == nil {
		f.log.InfoContext(ctx, "application revoked", "account", v.account.ID, "client", req.Client)
	}
	return rest.Document{Redirect: f.accountURL()}, err
}

// accountURL returns the URL of the account's page.
func (f family) accountURL() string { return f.baseURL + "/account" }
