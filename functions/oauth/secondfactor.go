package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// hasSecondFactor returns true if the account has a second factor. A test profile never has one.
func (f family) hasSecondFactor(ctx context.Context, account signin.Account) (bool, error) {
	if account.Kind == identity.TestProfile {
		return false, nil
	}
	found, err := f.store.SecondFactor(ctx, account.User())
	return found.Confirmed(), err
}

func (f family) enteredCode(text secret.Text) signin.Code {
	return signin.Code{Text: text, At: f.wallNow()}
}

func (f family) secrets(account signin.Account) signin.Secrets {
	return f.factorKey().Of(account.User())
}

type confirmSignInRequest struct {
	CSRF     string      `form:"csrf_token" validate:"required"`
	Code     secret.Text `form:"code" validate:"required text=64"`
	Continue string      `form:"continue" validate:"text=16384"`
}

// confirmSignIn completes a Pending sign-in. With the right code, one transaction marks the code as used and replaces
// the session by a full one under a new cookie. A browser whose session has ended is sent to sign in again.
func (f family) confirmSignIn(ctx context.Context, req confirmSignInRequest) (rest.Document, error) {
	session, account, signedIn, err := f.readConsentSession(ctx)
	malformed := len(validate.Forms(req)) > 0 || req.Code.IsZero()
	switch {
	case err != nil:
		return rest.Document{}, err
	case malformed && !session.Pending:
		return f.drawSignIn(ctx, signInView{Problem: problemExpired})
	case !signedIn:
		return rest.Document{Redirect: f.signInURL(req.Continue)}, nil
	case !session.Pending:
		return rest.Document{Redirect: f.nextURL(req.Continue)}, nil
	case !f.forms.Ours(ctx, codeForm, req.CSRF):
		return f.drawConfirmation(ctx, req.Continue, problemAgain)
	case malformed:
		return f.drawConfirmation(ctx, req.Continue, problemCode)
	}
	cookie, full := f.newSession(ctx, account, session.SignedIn)
	err = f.store.ConfirmSignIn(ctx, session.Hash, full, func(before signin.Factor) (signin.Factor, error) {
		return before.Use(f.secrets(account), f.enteredCode(req.Code), account.Passwords.Unlinked())
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
	return f.completeSignIn(ctx, account, cookie, req.Continue)
}

// showSecondFactor shows the page to manage the second factor. A browser not fully signed in is sent to sign in.
func (f family) showSecondFactor(ctx context.Context, _ struct{}) (rest.Document, error) {
	v, refusal, full, err := f.readVisitor(ctx, false)
	if err != nil || !full {
		return refusal, err
	}
	return f.drawFactor(ctx, v.session, v.account, factorProblem{})
}

type action string

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

// updateSecondFactor turns the factor on or off, or makes new codes. It requires a code, because a stolen session must
// not suffice.
func (f family) updateSecondFactor(ctx context.Context, req updateSecondFactorRequest) (rest.Document, error) {
	malformed := len(validate.Forms(req)) > 0 || req.Code.IsZero()
	v, refusal, full, err := f.readVisitor(ctx, malformed)
	if err != nil || !full {
		return refusal, err
	}
	session, account := v.session, v.account
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
		return f.applyAction(before, session, account, req)
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

// applyAction returns the second factor after a form's action. Turning off a factor that is already off changes
// nothing. Errors: signin.ErrWrongCode, with the factor that counts the code; signin.ErrManyCodes; signin.ErrConfirmed.
func (f family) applyAction(before signin.Factor, session signin.Session, account signin.Account,
	req updateSecondFactorRequest) (signin.Factor, error) {
	secrets, code, now := f.secrets(account), f.enteredCode(req.Code), f.store.Now()
	switch {
	case req.Action == actionConfirm:
		return before.Confirm(secrets, session.Hash, code, now)
	case req.Action == actionDisable && !before.Confirmed():
		return before, nil
	}
	after, err := before.Use(secrets, code, account.Passwords.Unlinked())
	switch {
	case err != nil:
		return after, err
	case req.Action == actionNewCodes:
		return after.WithNewCodes(session.Hash, now), nil
	default:
		return after.Off(), nil
	}
}

// Subjects of the csrf_token of forms with a code.
const (
	codeForm   = "code"
	factorForm = "second factor"
)

// issuer is the platform's name, which authenticator apps show beside an account.
const issuer = "Cashwrap"

// confirmationView has the data of the page that asks for the second factor.
type confirmationView struct {
	texts
	factorTexts

	Action   string
	CSRF     string
	SignIn   string // action of the form to sign out
	SignCSRF string
	Continue string
	Problem  problem
}

// drawConfirmation renders the page that asks for the code of a Pending session.
func (f family) drawConfirmation(ctx context.Context, continuation string, wrong problem) (rest.Document, error) {
	cookie, t := f.forms.Cookie(ctx), f.chooseTexts(ctx)
	v := confirmationView{texts: t, factorTexts: factorIn.In(t.language), Action: f.localPath("/sign-in/second-factor"),
		CSRF: f.forms.Token(cookie, codeForm), SignIn: f.localPath("/sign-in"), SignCSRF: f.forms.Token(cookie, signInForm),
		Continue: continuation, Problem: wrong}
	return f.draw(cookie, t, v.confirmTitle, wrong, "", confirmationBody(v))
}

// factorProblem says which form of the second factor's page was refused, and why.
type factorProblem struct {
	of   action  // the form's action
	what problem // "" if nothing was refused
}

func (p factorProblem) with(what problem) factorProblem {
	p.what = what
	return p
}

type factorView struct {
	texts
	factorTexts

	Name      string
	None      bool // a test profile has no second factor
	Confirmed bool
	Since     time.Time
	Left      int
	Codes     []string // recovery codes that were just made in this session
	Secret    string   // the app's secret, in groups of four characters
	Link      string   // the secret as an otpauth URL
	Square    qrCode   // the secret as a QR code

	Action   string
	CSRF     string
	Account  string // path of the account's page
	SignIn   string // action of the form to sign out
	SignCSRF string
	Problem  factorProblem
}

// codesFile returns a text file with the recovery codes, as a data URL (RFC 2397). The codes are on the page anyway, so
// the file needs no request that would carry them once more.
func (v factorView) codesFile() string {
	return "data:text/plain;charset=utf-8," + url.PathEscape(v.codesTitle+"\n\n"+strings.Join(v.Codes, "\n")+"\n")
}

// codesPage is the template of a page with recovery codes. Its script copies them.
var codesPage = page.New(page.CopyScript)

// drawFactor renders the page of the account's second factor as stored.
func (f family) drawFactor(ctx context.Context, session signin.Session, account signin.Account,
	wrong factorProblem) (rest.Document, error) {
	cookie, t := f.forms.Cookie(ctx), f.chooseTexts(ctx)
	v := factorView{texts: t, factorTexts: factorIn.In(t.language), Name: account.Name,
		None: account.Kind == identity.TestProfile, Action: f.localPath("/account/second-factor"),
		CSRF: f.forms.Token(cookie, factorForm), Account: f.localPath("/account"), SignIn: f.localPath("/sign-in"),
		SignCSRF: f.forms.Token(cookie, signInForm), Problem: wrong}
	if !v.None {
		stored, err := f.store.SecondFactor(ctx, account.User())
		if err == nil {
			v, err = f.withFactor(v, stored, session, account)
		}
		if err != nil {
			return rest.Document{}, err
		}
	}
	on := plainPage
	if len(v.Codes) > 0 {
		on = codesPage
	}
	return f.drawOn(on, cookie, t, v.title(), wrong.what, factorBody(v))
}

// withFactor adds the stored factor if it is on, else the secret for an app that turns it on.
func (f family) withFactor(v factorView, stored signin.Factor, session signin.Session,
	account signin.Account) (factorView, error) {
	secrets := f.secrets(account)
	if stored.Confirmed() {
		v.Confirmed, v.Since, v.Left = true, stored.ConfirmedAt, stored.Left()
		if stored.ShowsCodes(session.Hash, f.store.Now()) {
			v.Codes = secrets.Recovery(stored.Recovery.ID)
		}
		return v, nil
	}
	begun, name := stored.Begins(session.Hash), account.Name
	if account.Tenant.Merchant != "" {
		name += " " + account.Tenant.Merchant
	}
	link, err := secrets.AppLink(begun, issuer, name)
	if err == nil {
		v.Link, v.Secret = link, strings.Join(signin.Groups(secrets.App(begun)), " ")
		v.Square, err = newQRCode(link)
	}
	return v, err
}

func (v factorView) title() string {
	if v.Confirmed {
		return v.onTitle
	}
	return v.offTitle
}

func (v factorView) left() string { return page.Fill(v.codesLeft, "{count}", strconv.Itoa(v.Left)) }

// problemOf returns the problem of the action's form; "" if it has none.
func (v factorView) problemOf(of action) problem {
	if v.Problem.of == of {
		return v.Problem.what
	}
	return ""
}

// lostProblem returns the problem of a form that is no longer on the page, because the factor changed; "" if there is
// none.
func (v factorView) lostProblem() problem {
	forms := []action{actionConfirm}
	switch {
	case v.None:
		forms = nil
	case v.Confirmed:
		forms = []action{actionNewCodes, actionDisable}
	}
	if slices.Contains(forms, v.Problem.of) {
		return ""
	}
	return v.Problem.what
}

// codeField returns the field for a code. wrong is the problem of the code entered before; "" if there is none.
func codeField(id, label, hint, wrong string) page.Field {
	return page.Field{ID: id, Name: "code", Label: label, Hint: hint, Problem: wrong, Required: true, Max: 64,
		Autocomplete: "one-time-code", Capitals: "none"}
}

func digitsOnly(f page.Field) page.Field {
	f.InputMode = "numeric"
	return f
}

type qrCode struct {
	box  string // an SVG viewBox, with the margin of four modules that readers need (ISO/IEC 18004)
	path string // an SVG path of the dark modules
}

func newQRCode(text string) (qrCode, error) {
	const margin = 4
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return qrCode{}, err
	}
	var path strings.Builder
	size := code.Bounds().Dx()
	for y := range size {
		for x := range size {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 {
				_, _ = fmt.Fprintf(&path, "M%d %dh1v1h-1z", x, y)
			}
		}
	}
	return qrCode{fmt.Sprintf("%d %d %d %d", -margin, -margin, size+2*margin, size+2*margin), path.String()}, nil
}
