package members

import (
	"context"
	"errors"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/validate"
)

type invitationRequest struct {
	Token string `path:"token"`
}

// showInvitation shows the page of an open or accepted invitation. Every invalid token gets the same 404.
func (f family) showInvitation(ctx context.Context, req invitationRequest) (rest.Document, error) {
	i, err := f.store.Invitation(ctx, req.Token)
	if err != nil {
		return rest.Document{}, err
	}
	return f.renderInvitation(ctx, i, req.Token, "")
}

type acceptInvitationRequest struct {
	invitationRequest
	CSRF     string      `form:"csrf_token" validate:"required"`
	Password secret.Text `form:"password" validate:"required text=256"`
}

// acceptInvitation makes the invited person a member. The person sets a password, or confirms an existing one, so that
// the invitation alone does not give access to the person's other merchants. The request may be repeated.
func (f family) acceptInvitation(ctx context.Context, req acceptInvitationRequest) (rest.Document, error) {
	i, err := f.store.Invitation(ctx, req.Token)
	if err != nil {
		return rest.Document{}, err
	}
	if i.Accepted {
		return f.redirectToInvitation(req.Token), nil
	}
	if !f.forms.Ours(ctx, req.Token, req.CSRF) {
		return f.renderInvitation(ctx, i, req.Token, problemAgain)
	}
	if validate.Forms(req).Names("password") || req.Password.IsZero() {
		return f.renderInvitation(ctx, i, req.Token, problemForm)
	}
	address := i.Member.Address()
	password := f.store.PasswordFor(address, "invitation "+i.Member.Invite.ID, req.Password)
	by := rest.By(ctx).Member(i.Member.ID, i.Member.Email)
	_, err = f.store.AcceptInvitation(ctx, by, req.Token, func(i store.Invitation) (member.Passwords, error) {
		if current := i.User.Passwords; len(current) > 0 {
			return current, password.Confirm(ctx, current)
		}
		return password.Set(ctx, nil)
	})
	switch {
	case errors.Is(err, store.ErrWrongPassword):
		return f.renderInvitation(ctx, i, req.Token, problemWrong)
	case errors.Is(err, member.ErrShort):
		return f.renderInvitation(ctx, i, req.Token, problemForm)
	case errors.Is(err, member.ErrCommon):
		return f.renderInvitation(ctx, i, req.Token, problemCommon)
	case err != nil:
		return rest.Document{}, err
	}
	return f.redirectToInvitation(req.Token), nil
}

// redirectToInvitation redirects to the invitation's page, which then says that the invitation was accepted.
func (f family) redirectToInvitation(token string) rest.Document {
	return rest.Document{Redirect: f.baseURL + "/invitations/" + token}
}

// renderInvitation renders the page of an invitation. wrong is the problem of the form that was sent, or "".
func (f family) renderInvitation(ctx context.Context, i store.Invitation, token string,
	wrong problem) (rest.Document, error) {
	m, err := f.store.Merchant(ctx, i.Tenant.Merchant)
	if err != nil {
		return rest.Document{}, err
	}
	a, err := f.store.Account(ctx, m.Code)
	if err != nil {
		return rest.Document{}, err
	}
	cookie := f.forms.Cookie(ctx)
	view := invitationView{texts: inLanguages.In(page.Preferred(a.Profile.LanguageIn(m.Country))), Merchant: m.Name,
		Email:    i.Member.Email,
		Confirms: len(i.User.Passwords) > 0, CSRF: f.forms.Token(cookie, token), Problem: wrong,
		Accepted: i.Accepted, SignIn: f.baseURL + "/sign-in"}
	document := rest.Document{Cookie: cookie}
	body := invitationBody(view)
	if i.Accepted {
		body = acceptedBody(view)
	}
	if wrong != "" {
		document.Status = http.StatusBadRequest
	}
	drawn, err := page.New("").In(view.language).Draw(view.Title(), body)
	document.HTML, document.CSP = drawn.HTML, drawn.CSP
	return document, err
}
