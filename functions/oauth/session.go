package oauth

import (
	"context"
	"net/http"
	"net/url"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// begin signs the browser in as the account, whose password it has just confirmed. The session
// is Pending where the account has a second factor.
func (f family) begin(ctx context.Context, account signin.Account) (*http.Cookie, signin.Session, error) {
	enrolled, err := f.factors(ctx, account)
	if err != nil {
		return nil, signin.Session{}, err
	}
	return f.open(ctx, account, enrolled)
}

// open stores a session under a new cookie, so that nobody who knew the one before is signed in
// (session fixation), after it has ended the session before.
func (f family) open(ctx context.Context, account signin.Account, pending bool) (*http.Cookie, signin.Session, error) {
	if err := f.end(ctx); err != nil {
		return nil, signin.Session{}, err
	}
	cookie, session := f.newSession(account, pending)
	return cookie, session, f.store.PutSignIn(ctx, session)
}

// newSession is one that is not stored yet, and its cookie.
func (f family) newSession(account signin.Account, pending bool) (*http.Cookie, signin.Session) {
	cookie, now := f.forms.NewCookie(), f.store.Now()
	return cookie, signin.Session{Hash: identity.Hash(cookie.Value), Account: account, Pending: pending, BeganAt: now,
		Password: account.Password(), Expires: now.Add(signin.SessionLasts)}
}

// end ends the browser's session, if it has one.
func (f family) end(ctx context.Context) error {
	value, sent := f.forms.Sent(ctx)
	if !sent {
		return nil
	}
	return f.store.EndSignIn(ctx, identity.Hash(value))
}

// session is the browser's, with its account as it is now; false if it is not signed in. A
// session ends with its password, and when a managed user is disabled. One that is Pending
// is only good for confirming the second factor.
func (f family) session(ctx context.Context) (signin.Session, signin.Account, bool, error) {
	value, sent := f.forms.Sent(ctx)
	if !sent {
		return signin.Session{}, signin.Account{}, false, nil
	}
	session, found, err := f.store.SignIn(ctx, identity.Hash(value))
	if err != nil || !found {
		return signin.Session{}, signin.Account{}, false, err
	}
	account, err := f.store.SignInAccount(ctx, session.Account.SignsInAs(), session.Account.Tenant.Mode)
	if err != nil || !session.Of(account) {
		return signin.Session{}, signin.Account{}, false, err
	}
	return session, account, true, nil
}

// deciding is the browser's session for what allows a client something. It is also Pending when
// the account has got a second factor since the session began: whoever has signed in before,
// perhaps with a stolen password, allows nothing without it.
func (f family) deciding(ctx context.Context) (signin.Session, signin.Account, bool, error) {
	session, account, signedIn, err := f.session(ctx)
	if err != nil || !signedIn || session.Pending || account.Kind == identity.TestProfile {
		return session, account, signedIn, err
	}
	factor, err := f.store.SecondFactor(ctx, account.User())
	session.Pending = factor.Misses(session)
	return session, account, true, err
}

// next is where the browser goes after it has signed in: to the authorization whose query is
// given, or to the page of its own second factor. There is no other target, so no link to us
// leads elsewhere.
func (f family) next(continuation string) string {
	if asked, err := url.ParseQuery(continuation); err == nil && continuation != "" {
		return f.baseURL + "/authorize?" + asked.Encode()
	}
	return f.baseURL + "/account/second-factor"
}

// local is the path of a page, for forms: whatever name the browser has for our host, they lead there.
func (f family) local(path string) string {
	base, err := url.Parse(f.baseURL)
	if err != nil {
		return path
	}
	return base.Path + path
}

// language is that of the page, of those that the browser asks for.
func (f family) language(ctx context.Context) texts { return textsFor(rest.AcceptLanguage(ctx)) }
