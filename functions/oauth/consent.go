package oauth

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/signin"
)

type showAuthorizationRequest struct {
	ResponseType rest.Sent `query:"response_type"`
	ClientID     rest.Sent `query:"client_id"`
	RedirectURI  rest.Sent `query:"redirect_uri"`
	Scope        rest.Sent `query:"scope"`
	State        rest.Sent `query:"state"`
	Challenge    rest.Sent `query:"code_challenge"`
	Method       rest.Sent `query:"code_challenge_method"`
}

func (r showAuthorizationRequest) values() url.Values {
	return present(url.Values{"response_type": r.ResponseType.Texts(), "client_id": r.ClientID.Texts(),
		"redirect_uri": r.RedirectURI.Texts(), "scope": r.Scope.Texts(), "state": r.State.Texts(),
		"code_challenge": r.Challenge.Texts(), "code_challenge_method": r.Method.Texts()})
}

// present are the parameters that have a value: one without counts as absent (RFC 6749 §3.1).
func present(values url.Values) url.Values {
	for name, texts := range values {
		if len(texts) == 0 || len(texts) == 1 && texts[0] == "" {
			delete(values, name)
		}
	}
	return values
}

// showAuthorization serves the page on which a person allows a client to act; first the one to
// sign in.
func (f family) showAuthorization(ctx context.Context, req showAuthorizationRequest) (rest.Document, error) {
	a, answered, err := f.asked(ctx, req.values())
	if err != nil || answered != nil {
		return value(answered), err
	}
	session, account, signedIn, err := f.deciding(ctx)
	switch {
	case err != nil:
		return rest.Document{}, err
	case !signedIn:
		return f.drawSignInFor(ctx, a, "")
	case session.Pending:
		return f.confirmation(ctx, session, a.query().Encode())
	}
	return f.drawConsent(ctx, a, account, "")
}

// asked is a request for an authorization that may be put before a person, or what is answered
// without asking one: a page where client or redirect_uri are unknown, else a redirect.
func (f family) asked(ctx context.Context, sent url.Values) (authorization, *rest.Document, error) {
	a, unknown, err := f.addressed(ctx, sent)
	if err == nil && unknown != "" {
		var d rest.Document
		d, err = f.drawUnknown(ctx, unknown)
		return a, &d, err
	}
	if err != nil {
		return a, nil, err
	}
	a, err = a.read(sent)
	if failure.Is(err, failure.KindMalformed) {
		e := failure.Of(err)
		d := f.refuse(a, e.Code, e.Message)
		return a, &d, nil
	}
	return a, nil, err
}

func value(d *rest.Document) rest.Document {
	if d == nil {
		return rest.Document{}
	}
	return *d
}

// refuse tells the client that it does not get what it asked for.
func (f family) refuse(a authorization, code, description string) rest.Document {
	return f.send(a, url.Values{"error": {code}, "error_description": {description}})
}

func (f family) send(a authorization, answer url.Values) rest.Document {
	return rest.Document{Status: http.StatusFound, Redirect: a.answer(f.baseURL, answer)}
}

type decideAuthorizationRequest struct {
	CSRF     string `form:"csrf_token" validate:"required"`
	Decision string `form:"decision" validate:"required one-of=allow|deny"`
	Merchant string `form:"merchant_code"`

	ResponseType string `form:"response_type"`
	ClientID     string `form:"client_id"`
	RedirectURI  string `form:"redirect_uri"`
	Scope        string `form:"scope"`
	State        string `form:"state"`
	Challenge    string `form:"code_challenge"`
	Method       string `form:"code_challenge_method"`
}

func (r decideAuthorizationRequest) values() url.Values {
	return present(url.Values{"response_type": {r.ResponseType}, "client_id": {r.ClientID},
		"redirect_uri": {r.RedirectURI}, "scope": {r.Scope}, "state": {r.State}, "code_challenge": {r.Challenge},
		"code_challenge_method": {r.Method}})
}

// decideAuthorization takes the person's decision, and sends it to the client: a code, or that
// access was denied. All that the page was shown for is checked again.
func (f family) decideAuthorization(ctx context.Context, req decideAuthorizationRequest) (rest.Document, error) {
	a, answered, err := f.asked(ctx, req.values())
	if err != nil || answered != nil {
		return value(answered), err
	}
	session, account, signedIn, err := f.deciding(ctx)
	ours := f.forms.Ours(ctx, a.form(), req.CSRF)
	switch {
	case err != nil:
		return rest.Document{}, err
	case ours && req.Decision == "deny":
		return f.refuse(a, oauth.AccessDenied, "The person did not allow it."), nil
	case !signedIn || session.Pending:
		return f.drawSignInFor(ctx, a, problemExpired)
	case !ours:
		return f.drawConsent(ctx, a, account, problemAgain)
	}
	merchants, err := f.merchants(ctx, a.client, account)
	if err != nil {
		return rest.Document{}, err
	}
	for _, m := range merchants {
		if m.tenant.Merchant == req.Merchant {
			return f.allow(ctx, a, m.holder(a, account))
		}
	}
	return f.drawConsent(ctx, a, account, problemMerchant)
}

// form is the subject of the form's csrf_token: all that the person is asked for.
func (a authorization) form() string { return "authorize " + a.query().Encode() }

// allow sends the client a code by which it gets tokens of the holder.
func (f family) allow(ctx context.Context, a authorization, holder oauth.Holder) (rest.Document, error) {
	text, err := oauth.NewSecret(rand.Reader)
	if err != nil {
		return rest.Document{}, err
	}
	now := f.store.Now()
	err = f.store.PutCode(ctx, oauth.Code{Holder: holder, Hash: identity.Hash(text), RedirectURI: a.named,
		Challenge: a.challenge, CreatedAt: now, ExpiresAt: now.Add(oauth.CodeLasts)})
	return f.send(a, url.Values{"code": {text}, "merchant_code": {holder.Tenant.Merchant}}), err
}

// place is a merchant for which an account can let a client act.
type place struct {
	tenant  identity.Tenant
	name    string
	subject string // id of the account's member or profile there
}

func (p place) holder(a authorization, account signin.Account) oauth.Holder {
	h := oauth.Holder{Client: a.client.ID, Kind: account.Kind, Subject: p.subject, Tenant: p.tenant, Scopes: a.scopes,
		Password: account.Password()}
	if account.Kind == identity.User {
		h.User = account.ID
	}
	return h
}

// merchants are those for which the account can let the client act, in the client's mode: of a
// user those with an active membership, else the account's own.
func (f family) merchants(ctx context.Context, c oauth.Client, account signin.Account) ([]place, error) {
	if account.Kind == identity.User {
		memberships, err := f.store.Memberships(ctx, account.ID, c.Tenant.Mode)
		var all []place
		for _, m := range memberships {
			if m.Member.Active() {
				all = append(all, place{m.Tenant, m.Merchant.Name, m.Member.ID})
			}
		}
		return all, err
	}
	if account.Tenant.Mode != c.Tenant.Mode {
		return nil, nil
	}
	m, err := f.store.Merchant(ctx, account.Tenant.Merchant)
	return []place{{account.Tenant, m.Name, account.ID}}, err
}
