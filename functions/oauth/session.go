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

// beginSession signs the browser in to the account, whose password was just confirmed. It also ends the browser's
// former session. The new session is Pending if the account has a second factor. A new cookie prevents session
// fixation. The sign-in time is read before the second factor, so that a factor turned on meanwhile counts as later
// than the session.
func (f family) beginSession(ctx context.Context, account signin.Account) (*http.Cookie, signin.Session, error) {
	signedIn := f.store.Now()
	if signedIn.Before(account.Since) { // this clock is behind: the password was confirmed after Since
		signedIn = account.Since
	}
	cookie, session := f.newSession(ctx, account, signedIn)
	enrolled, err := f.hasSecondFactor(ctx, account)
	if err == nil {
		err = f.endSession(ctx)
	}
	if err != nil {
		return nil, signin.Session{}, err
	}
	session.Pending = enrolled
	return cookie, session, f.store.PutSignIn(ctx, session)
}

// newSession returns a session that is not stored yet, and its cookie. signedIn is the time the password was confirmed.
func (f family) newSession(ctx context.Context, account signin.Account, signedIn time.Time) (*http.Cookie,
	signin.Session) {
	cookie, now, browser := f.forms.NewCookie(), f.store.Now(), signin.ParseBrowser(rest.UserAgent(ctx))
	return cookie, signin.Session{Hash: identity.Hash(cookie.Value), Account: account, BeganAt: now, SignedIn: signedIn,
		Password: account.Passwords.Current(), Expires: now.Add(signin.SessionLasts), Browser: browser}
}

// lacksCookie returns true if the request has no session cookie. A form sent by another site has none (SameSite=Lax).
// The caller redirects the request to the form's page, where the browser sends the cookie. The answer sets no cookie,
// since a new cookie would sign the person out.
func (f family) lacksCookie(ctx context.Context) bool {
	_, sent := f.forms.Sent(ctx)
	return !sent
}

// endSession ends the browser's session, if it has one.
func (f family) endSession(ctx context.Context) error {
	value, sent := f.forms.Sent(ctx)
	if !sent {
		return nil
	}
	return f.store.EndSignIn(ctx, identity.Hash(value))
}

// readSession returns the browser's session and its account as stored now; false if the browser is not signed in. A
// session ends for good when the account gets a new password. A managed user's session also ends when the user is
// disabled or loses a role or a permission. A Pending session may only be used to confirm the second factor.
func (f family) readSession(ctx context.Context) (signin.Session, signin.Account, bool, error) {
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

// readConsentSession reads the session for a request that allows a client something. If the session began before
// another session turned the second factor on, readConsentSession returns it as Pending, too. Such a session may come
// from a stolen password (contract §10).
func (f family) readConsentSession(ctx context.Context) (signin.Session, signin.Account, bool, error) {
	session, account, signedIn, err := f.readSession(ctx)
	if err != nil || !signedIn || session.Pending || account.Kind == identity.TestProfile {
		return session, account, signedIn, err
	}
	factor, err := f.store.SecondFactor(ctx, account.User())
	session.Pending = factor.Misses(session)
	return session, account, true, err
}

// nextURL returns the URL that sign-in leads to: the continuation's authorization request, or the account's page.
// Sign-in leads nowhere else.
func (f family) nextURL(continuation string) string {
	if asked, err := url.ParseQuery(continuation); err == nil && continuation != "" {
		return f.baseURL + "/authorize?" + asked.Encode()
	}
	return f.accountURL()
}

// localPath returns the path of a page, for forms. Without a host, forms work under every name of our host.
func (f family) localPath(path string) string {
	base, err := url.Parse(f.baseURL)
	if err != nil {
		return path
	}
	return base.Path + path
}

func (f family) chooseTexts(ctx context.Context) texts { return inLanguages.In(rest.Language(ctx)) }
