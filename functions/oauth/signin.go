package oauth

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/validate"
)

type showSignInRequest struct {
	Continue string `query:"continue" validate:"text=16384"` // the query of an authorization request
	Mode     string `query:"mode" validate:"one-of=live|test"`
}

// showSignIn asks a browser to sign in, or for the second factor if its session is Pending. For a signed-in browser it
// shows the account's name.
func (f family) showSignIn(ctx context.Context, req showSignInRequest) (rest.Document, error) {
	session, account, signedIn, err := f.readSession(ctx)
	switch {
	case err != nil:
		return rest.Document{}, err
	case signedIn && session.Pending:
		return f.drawConfirmation(ctx, req.Continue, "")
	case signedIn:
		return f.drawSignedIn(ctx, account, req.Continue)
	}
	return f.drawSignIn(ctx, signInView{Continue: req.Continue, Mode: parseMode(req.Mode)})
}

type signInRequest struct {
	CSRF     string      `form:"csrf_token" validate:"required"`
	Username string      `form:"username" validate:"text=255"`
	Password secret.Text `form:"password" validate:"text=256"`
	Merchant string      `form:"merchant_code" validate:"text=32"`
	Continue string      `form:"continue" validate:"text=16384"`
	Mode     string      `form:"mode" validate:"one-of=live|test"`
	SignOut  bool        `form:"sign_out"`
}

// signIn begins a session for the account and ends the browser's former session; with sign_out it only ends the former
// session. The reply hides whether the name or the password was wrong. So every name takes the same reads, one hash,
// and tokens of two buckets.
func (f family) signIn(ctx context.Context, req signInRequest) (rest.Document, error) {
	view := signInView{Continue: req.Continue, Mode: parseMode(req.Mode), Username: req.Username, Merchant: req.Merchant}
	switch malformed := len(validate.Forms(req)) > 0; {
	case f.lacksCookie(ctx) && !malformed:
		return rest.Document{Redirect: f.signInURL(req.Continue)}, nil
	case !f.forms.Ours(ctx, signInForm, req.CSRF):
		return f.drawSignIn(ctx, view.with(problemAgain))
	case req.SignOut:
		return rest.Document{Redirect: f.signInURL(req.Continue)}, f.endSession(ctx)
	case malformed || req.Username == "" || req.Password.IsZero():
		return f.drawSignIn(ctx, view.with(problemForm))
	}
	account, err := f.confirmAccount(ctx, req)
	if errors.Is(err, store.ErrWrongPassword) {
		return f.drawSignIn(ctx, view.with(problemWrong))
	}
	if err != nil {
		return rest.Document{}, err
	}
	cookie, session, err := f.beginSession(ctx, account)
	switch {
	case err != nil:
		return rest.Document{}, err
	case session.Pending:
		return rest.Document{Redirect: f.signInURL(req.Continue), Cookie: cookie}, nil
	}
	return f.completeSignIn(ctx, account, cookie, req.Continue)
}

// completeSignIn replies to a browser that is now fully signed in under the cookie. It records that the account knows
// the browser and the address, and lets the browser remember a managed user's merchant code.
func (f family) completeSignIn(ctx context.Context, account signin.Account, cookie *http.Cookie, continuation string) (
	rest.Document, error) {
	device, err := f.remember(ctx, account)
	return rest.Document{Redirect: f.nextURL(continuation), Cookie: cookie, Device: device,
		Merchant: f.rememberMerchant(ctx, account)}, err
}

// rememberMerchant returns a cookie with a managed user's merchant code, which later fills the field in. For another
// account it returns the expired cookie if the browser has a code, because the code would stand in that person's way.
func (f family) rememberMerchant(ctx context.Context, account signin.Account) *http.Cookie {
	switch {
	case account.Kind == identity.Operator:
		return f.merchants.Lasting(account.Tenant.Merchant, signin.KnownLasts)
	case f.merchants.Value(ctx) != "":
		return f.merchants.Lasting("", -time.Second)
	default:
		return nil
	}
}

// rememberedMerchant returns the merchant code that the browser remembers; "" if there is none.
func (f family) rememberedMerchant(ctx context.Context) string {
	if code := f.merchants.Value(ctx); identity.IsMerchantCode(code) {
		return code
	}
	return ""
}

// parseMode returns the mode with the name; Live for any other text.
func parseMode(name string) identity.Mode {
	if mode, known := identity.ParseMode(name); known {
		return mode
	}
	return identity.Live
}

// confirmAccount returns the account with this name and password. Error: store.ErrWrongPassword. Failure: TooMany.
func (f family) confirmAccount(ctx context.Context, req signInRequest) (signin.Account, error) {
	name, mode := signin.ParseName(req.Username, req.Merchant), parseMode(req.Mode)
	account, err := f.store.SignInAccount(ctx, name, mode)
	if err != nil {
		return signin.Account{}, err
	}
	return account, f.confirmPassword(ctx, name.Subject(mode), account, req.Password)
}

// signInURL returns the URL where the browser signs in: the continuation's authorization request, or else /sign-in.
func (f family) signInURL(continuation string) string {
	if continuation == "" {
		return f.baseURL + "/sign-in"
	}
	return f.nextURL(continuation)
}

// signInForm is the subject of the csrf_token of forms to POST /sign-in.
const signInForm = "sign-in"

type signInView struct {
	texts

	Action    string
	CSRF      string
	Forgotten string // path of the page for a forgotten password
	Client    string // name of the client that asks for access; "" if none
	Mode      identity.Mode
	Continue  string
	Username  string // as entered
	Merchant  string
	Problem   problem

	csp string // source of the client's redirect_uri; "" if there is no client
}

func (v signInView) with(p problem) signInView {
	v.Problem = p
	return v
}

// name returns the user name's field. Live mode needs no hint: only test profiles have names that are not addresses.
func (v signInView) name() page.Field {
	f := v.field("username", v.username, 255)
	f.Value, f.Required, f.Autocomplete, f.Capitals = v.Username, true, "username", "none"
	if v.Mode == identity.Test {
		f.Hint = v.nameHint
	}
	return f
}

func (v signInView) secret() page.Field {
	f := v.field("password", v.password, 256)
	f.Type, f.Required, f.Autocomplete = "password", true, "current-password"
	return f
}

func (v signInView) merchant() page.Field {
	f := v.field("merchant_code", v.code, 32)
	f.Hint, f.Value, f.Autocomplete, f.Capitals = v.codeHint, v.Merchant, "organization", "characters"
	f.Invalid = false // this field may be empty
	return f
}

func (v signInView) field(name, label string, most int) page.Field {
	return page.Field{Name: name, Label: label, Max: most, DescribedBy: describedBy(v.Problem),
		Invalid: v.Problem == problemWrong || v.Problem == problemForm}
}

func (f family) drawSignIn(ctx context.Context, v signInView) (rest.Document, error) {
	cookie := f.forms.Cookie(ctx)
	v.texts, v.Action, v.CSRF = f.chooseTexts(ctx), f.localPath("/sign-in"), f.forms.Token(cookie, signInForm)
	v.Forgotten = f.localPath("/password")
	if v.Problem == "" {
		v.Merchant = f.rememberedMerchant(ctx)
	}
	if v.Problem != "" && f.lacksCookie(ctx) {
		cookie = nil
	}
	return f.draw(cookie, v.texts, v.signIn, v.Problem, v.csp, signInBody(v))
}

// drawSignInFor renders the page to sign in for an authorization request.
func (f family) drawSignInFor(ctx context.Context, a authorization, wrong problem) (rest.Document, error) {
	return f.drawSignIn(ctx, signInView{Client: a.client.Name, Mode: a.client.Tenant.Mode,
		Continue: a.query().Encode(), csp: a.formActionSource(), Problem: wrong})
}

type signedInView struct {
	texts

	Action   string
	CSRF     string
	Name     string
	Next     string
	Continue string
}

func (f family) drawSignedIn(ctx context.Context, account signin.Account, continuation string) (rest.Document,
	error) {
	cookie := f.forms.Cookie(ctx)
	v := signedInView{texts: f.chooseTexts(ctx), Action: f.localPath("/sign-in"), CSRF: f.forms.Token(cookie, signInForm),
		Name: account.Name, Next: f.nextURL(continuation), Continue: continuation}
	return f.draw(cookie, v.texts, page.Fill(v.signedIn, "{name}", v.Name), "", "", signedInBody(v))
}

// confirmPassword checks the password that was entered for the name (signin.Name.Subject). The account is the zero
// account if the name is unknown. Passwords from a known browser or address take tokens from a separate bucket, which
// strangers cannot empty. When that bucket or the name's is empty, a mail tells the owners. Every name takes the same
// calls, so that the duration does not show which names exist. Error: store.ErrWrongPassword. Failure: TooMany.
func (f family) confirmPassword(ctx context.Context, name string, account signin.Account, text secret.Text) error {
	known, err := f.findKnownBucket(ctx, account)
	if err != nil {
		return err
	}
	password := f.store.PasswordFrom(store.Budget{Name: name, Source: rest.SourceAddress(ctx), Known: known}, text)
	err = password.Confirm(ctx, account.Passwords)
	if password.Blocked() {
		if mailErr := f.store.ReportSignIn(ctx, name, account); mailErr != nil {
			f.log.ErrorContext(ctx, "blocked sign-in not reported", "error", mailErr)
		}
	}
	return err
}

// findKnownBucket returns the bucket of the known browser, or else of the known address; "" if neither is known.
func (f family) findKnownBucket(ctx context.Context, account signin.Account) (string, error) {
	address := f.addressID(ctx, account)
	there, err := f.store.KnowsAddress(ctx, address)
	device := f.knownKey().Device(f.devices.Value(ctx), account, f.store.Now())
	switch {
	case err != nil:
		return "", err
	case device != "":
		return "device " + device, nil
	case there:
		return "address " + address, nil
	default:
		return "", nil
	}
}

// remember records that the account knows the browser and the address. It returns the browser's new device cookie.
func (f family) remember(ctx context.Context, account signin.Account) (*http.Cookie, error) {
	value := f.knownKey().WithDevice(f.devices.Value(ctx), account, f.store.Now())
	return f.devices.Lasting(value, signin.KnownLasts), f.rememberAddress(ctx, account)
}

func (f family) rememberAddress(ctx context.Context, account signin.Account) error {
	return f.store.PutKnownAddress(ctx, f.addressID(ctx, account), f.store.Now().Add(signin.KnownLasts))
}

// addressID returns the id under which the account knows the request's network address.
func (f family) addressID(ctx context.Context, account signin.Account) string {
	return f.knownKey().Address(rest.SourceAddress(ctx), account)
}
