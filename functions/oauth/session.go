package oauth

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// begin signs the browser in to the account, whose password was just confirmed, and ends its former session. The
// session is Pending if the account has a second factor. A new cookie prevents session fixation. Its time is from
// before the second factor is read, so that it misses one that is turned on meanwhile.
func (f family) begin(ctx context.Context, account signin.Account) (*http.Cookie, signin.Session, error) {
	signedIn := f.store.Now()
	if signedIn.Before(account.Since) { // this clock is behind: access ended before the password was confirmed
		signedIn = account.Since
	}
	cookie, session := f.newSession(account, signedIn)
	enrolled, err := f.hasSecondFactor(ctx, account)
	if err == nil {
		err = f.end(ctx)
	}
	if err != nil {
		return nil, signin.Session{}, err
	}
	session.Pending = enrolled
	return cookie, session, f.store.PutSignIn(ctx, session)
}

// newSession returns a session that is not stored yet, and its cookie. signedIn is when the password was confirmed.
func (f family) newSession(account signin.Account, signedIn time.Time) (*http.Cookie, signin.Session) {
	cookie, now := f.forms.NewCookie(), f.store.Now()
	return cookie, signin.Session{Hash: identity.Hash(cookie.Value), Account: account, BeganAt: now, SignedIn: signedIn,
		Password: account.Passwords.Current(), Expires: now.Add(signin.SessionLasts)}
}

// withoutCookie reports whether a request has no session cookie, as a form from another site (SameSite=Lax). It is
// redirected to the form's page with the cookie. No answer sets a cookie, which would sign the person out.
func (f family) withoutCookie(ctx context.Context) bool {
	_, sent := f.forms.Sent(ctx)
	return !sent
}

// end ends the browser's session, if it has one.
func (f family) end(ctx context.Context) error {
	value, sent := f.forms.Sent(ctx)
	if !sent {
		return nil
	}
	return f.store.EndSignIn(ctx, identity.Hash(value))
}

// session reads the browser's session, with its account as it is now; false if the browser is not signed in. A session
// ends for good when the account gets a new password. A managed user's session also ends when the user is disabled or
// loses a role or a permission. A Pending session may only be used to confirm the second factor.
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

// consentSession is session, for allowing a client something. It is also Pending if the second factor was turned on in
// another session since it began, perhaps with a stolen password (contract §10).
func (f family) consentSession(ctx context.Context) (signin.Session, signin.Account, bool, error) {
	session, account, signedIn, err := f.session(ctx)
	if err != nil || !signedIn || session.Pending || account.Kind == identity.TestProfile {
		return session, account, signedIn, err
	}
	factor, err := f.store.SecondFactor(ctx, account.User())
	session.Pending = factor.Misses(session)
	return session, account, true, err
}

// next returns where the browser goes after sign-in: the query's authorization, or the second factor; never elsewhere.
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

func (f family) language(ctx context.Context) texts { return inLanguages.In(rest.Language(ctx)) }
