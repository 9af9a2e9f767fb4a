package members

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// showPasswordRequest shows the form that asks for a link to set a new password.
func (f family) showPasswordRequest(ctx context.Context, _ struct{}) (rest.Document, error) {
	return f.drawPassword(ctx, passwordView{})
}

type requestPasswordLink struct {
	CSRF  string `form:"csrf_token" validate:"required"`
	Email string `form:"email" validate:"required text=256"`
}

// requestPasswordLink mails a user a link to set a new password. Every address gets the same reply after the same
// calls, which hides the known addresses from strangers.
func (f family) requestPasswordLink(ctx context.Context, req requestPasswordLink) (rest.Document, error) {
	view := passwordView{Email: strings.TrimSpace(req.Email)}
	switch address := member.Address(view.Email); {
	case !f.forms.Ours(ctx, passwordForm, req.CSRF):
		return f.drawPassword(ctx, view.with(problemAgain))
	case len(validate.Forms(req)) > 0 || !mail.Plain(address):
		return f.drawPassword(ctx, view.with(problemAddress))
	default:
		operation := rest.OperationID(ctx)
		err := f.store.RequestPasswordLink(ctx, address, rest.SourceAddress(ctx),
			func(u member.User) (signin.PasswordLink, string) {
				l := signin.NewPasswordLink(operation, u, f.store.Now().Add(signin.PasswordLinkLasts))
				return l, identity.Hash(f.passwordToken(l.ID))
			})
		if err != nil {
			return rest.Document{}, err
		}
		return f.drawPassword(ctx, passwordView{Sent: true})
	}
}

type passwordLinkRequest struct {
	Token string `path:"token"`
}

// showPasswordLink shows the form for a new password, or says that the link has set the password. Every invalid token
// gets the same page.
func (f family) showPasswordLink(ctx context.Context, req passwordLinkRequest) (rest.Document, error) {
	view, err := f.readPasswordLink(ctx, req.Token)
	if err != nil {
		return rest.Document{}, err
	}
	return f.drawPassword(ctx, view)
}

// readPasswordLink returns the view of a link to set a password.
func (f family) readPasswordLink(ctx context.Context, token string) (passwordView, error) {
	link, u, err := f.store.PasswordLink(ctx, identity.Hash(token))
	if errors.Is(err, store.ErrNoLink) {
		return passwordView{Gone: true}, nil
	}
	return passwordView{Token: token, User: u.ID, Email: u.Email, Operation: link.Operation(), Used: link.IsUsed(u)}, err
}

type setPasswordRequest struct {
	passwordLinkRequest
	CSRF     string      `form:"csrf_token" validate:"required"`
	Password secret.Text `form:"password" validate:"required text=256"`
}

// setPassword sets a user's password by a mailed link, and ends the user's sessions and grants. A second factor stays.
// The request may be repeated.
func (f family) setPassword(ctx context.Context, req setPasswordRequest) (rest.Document, error) {
	view, err := f.readPasswordLink(ctx, req.Token)
	switch {
	case err != nil:
		return rest.Document{}, err
	case view.Gone:
		return f.drawPassword(ctx, view)
	case !f.forms.Ours(ctx, req.Token, req.CSRF):
		return f.drawPassword(ctx, view.with(problemAgain))
	case validate.Forms(req).Names("password") || req.Password.IsZero():
		return f.drawPassword(ctx, view.with(problemForm))
	}
	err = f.store.UsePasswordLink(ctx, rest.By(ctx).Member(view.User, view.Email), identity.Hash(req.Token),
		f.store.PasswordFor(member.Address(view.Email), view.Operation, req.Password))
	switch {
	case errors.Is(err, store.ErrNoLink), errors.Is(err, store.ErrWrongPassword): // another person has used the link
		return f.drawPassword(ctx, passwordView{Gone: true})
	case errors.Is(err, member.ErrShort):
		return f.drawPassword(ctx, view.with(problemForm))
	case errors.Is(err, member.ErrCommon):
		return f.drawPassword(ctx, view.with(problemCommon))
	case errors.Is(err, member.ErrUsedBefore):
		return f.drawPassword(ctx, view.with(problemBefore))
	}
	return rest.Document{Redirect: f.baseURL + "/password/" + req.Token}, err
}

// passwordForm is the subject of the csrf_token of the form that asks for a link.
const passwordForm = "password"

// passwordView is the data of a page about a forgotten password. The zero view asks for the address.
type passwordView struct {
	passwordTexts

	Sent      bool   // a link was asked for
	Token     string // of the link that the page is about
	Gone      bool   // the link is invalid
	Used      bool   // the link has set the password
	Operation string // that sets the password by the link
	User      string // id
	Email     string // of the user, or as entered
	CSRF      string
	Path      string // of the page that asks for a link
	SignIn    string
	Problem   problem
}

func (v passwordView) with(p problem) passwordView {
	v.Problem = p
	return v
}

// Title returns the page's title.
func (v passwordView) Title() string {
	switch {
	case v.Gone:
		return v.goneTitle
	case v.Used:
		return v.usedTitle
	case v.Token != "":
		return v.setTitle
	case v.Sent:
		return v.sentTitle
	default:
		return v.askTitle
	}
}

func (v passwordView) address() page.Field {
	return page.Field{Name: "email", Type: "email", Label: v.email, Value: v.Email, Problem: v.problems[v.Problem],
		Required: true, Max: 256, Autocomplete: "username", Capitals: "none"}
}

func (v passwordView) password() page.Field {
	return page.Field{Name: "password", Type: "password", Label: v.set, Hint: v.hint, Problem: v.problems[v.Problem],
		Required: true, Min: member.MinPassword, Max: 256, Autocomplete: "new-password"}
}

// drawPassword renders the page of the view.
func (f family) drawPassword(ctx context.Context, v passwordView) (rest.Document, error) {
	cookie, subject := f.forms.Cookie(ctx), passwordForm
	if v.Token != "" {
		subject = v.Token
	}
	v.passwordTexts, v.CSRF = passwordIn.In(rest.Language(ctx)), f.forms.Token(cookie, subject)
	v.Path, v.SignIn = f.baseURL+"/password", f.baseURL+"/sign-in"
	drawn, err := page.New("").In(v.language).Draw(v.Title(), passwordBody(v))
	d := rest.Document{HTML: drawn.HTML, CSP: drawn.CSP, Cookie: cookie}
	switch {
	case v.Gone:
		d.Status = http.StatusNotFound
	case v.Problem != "":
		d.Status = http.StatusBadRequest
	}
	return d, err
}
