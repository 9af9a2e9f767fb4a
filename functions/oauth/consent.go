package oauth

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/page"
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
	return removeEmpty(url.Values{"response_type": r.ResponseType.Texts(), "client_id": r.ClientID.Texts(),
		"redirect_uri": r.RedirectURI.Texts(), "scope": r.Scope.Texts(), "state": r.State.Texts(),
		"code_challenge": r.Challenge.Texts(), "code_challenge_method": r.Method.Texts()})
}

// removeEmpty removes the parameters without a value, which count as absent (RFC 6749 §3.1).
func removeEmpty(values url.Values) url.Values {
	for name, texts := range values {
		if len(texts) == 0 || len(texts) == 1 && texts[0] == "" {
			delete(values, name)
		}
	}
	return values
}

// showAuthorization shows the next step of an authorization request: sign-in, second factor or consent.
func (f family) showAuthorization(ctx context.Context, req showAuthorizationRequest) (rest.Document, error) {
	a, refusal, valid, err := f.readAuthorization(ctx, req.values())
	if err != nil || !valid {
		return refusal, err
	}
	session, account, signedIn, err := f.readConsentSession(ctx)
	switch {
	case err != nil:
		return rest.Document{}, err
	case !signedIn:
		return f.drawSignInFor(ctx, a, "")
	case session.Pending:
		return f.drawConfirmation(ctx, a.query().Encode(), "")
	}
	return f.drawConsent(ctx, a, account, "")
}

// readAuthorization reads an authorization request. For an invalid request, refusal is the reply: an error page or a
// redirect.
func (f family) readAuthorization(ctx context.Context, sent url.Values) (a authorization, refusal rest.Document,
	valid bool, err error) {
	a, why, err := f.identify(ctx, sent)
	switch {
	case err != nil:
		return a, refusal, false, err
	case why != "":
		refusal, err = f.drawUnknown(ctx, why)
		return a, refusal, false, err
	}
	a, err = a.read(sent)
	if failure.Is(err, failure.KindMalformed) {
		e := failure.Of(err)
		return a, f.refuse(a, e.Code, e.Message), false, nil
	}
	return a, refusal, err == nil, err
}

// refuse redirects to the client with an error (RFC 6749 §4.1.2.1).
func (f family) refuse(a authorization, code, description string) rest.Document {
	return f.send(a, url.Values{"error": {code}, "error_description": {description}})
}

func (f family) send(a authorization, answer url.Values) rest.Document {
	return rest.Document{Status: http.StatusFound, Redirect: a.responseURL(f.baseURL, answer)}
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
	return removeEmpty(url.Values{"response_type": {r.ResponseType}, "client_id": {r.ClientID},
		"redirect_uri": {r.RedirectURI}, "scope": {r.Scope}, "state": {r.State}, "code_challenge": {r.Challenge},
		"code_challenge_method": {r.Method}})
}

// decideAuthorization sends the client a code or access_denied. It checks the request again, because the client may
// have changed since the page was shown.
func (f family) decideAuthorization(ctx context.Context, req decideAuthorizationRequest) (rest.Document, error) {
	a, refusal, valid, err := f.readAuthorization(ctx, req.values())
	if err != nil || !valid {
		return refusal, err
	}
	if f.lacksCookie(ctx) {
		return rest.Document{Status: http.StatusFound, Redirect: f.signInURL(a.query().Encode())}, nil
	}
	session, account, signedIn, err := f.readConsentSession(ctx)
	ours := f.forms.Ours(ctx, a.consentForm(), req.CSRF)
	switch {
	case err != nil:
		return rest.Document{}, err
	case ours && req.Decision == "deny":
		return f.refuse(a, oauth.AccessDenied, "The person denied access."), nil
	case !signedIn || session.Pending:
		return f.drawSignInFor(ctx, a, problemExpired)
	case !ours:
		return f.drawConsent(ctx, a, account, problemAgain)
	}
	merchants, err := f.listMerchants(ctx, a.client.Tenant.Mode, account)
	if err != nil {
		return rest.Document{}, err
	}
	at := slices.IndexFunc(merchants, func(m place) bool { return m.tenant.Merchant == req.Merchant })
	switch {
	case at < 0:
		return f.drawConsent(ctx, a, account, problemMerchant)
	case session.SignedIn.Before(merchants[at].ended):
		return f.drawSignInFor(ctx, a, problemExpired)
	}
	holder := merchants[at].holder(a, session)
	// The token also reaches the account's other merchants. So its sign-in time must be at least their since, except where
	// access ended after the sign-in.
	for _, m := range merchants {
		if !session.SignedIn.Before(m.ended) && holder.SignedIn.Before(m.since) {
			holder.SignedIn = m.since
		}
	}
	return f.allow(ctx, a, holder)
}

// consentForm returns the subject of the consent form's csrf_token. The subject is the whole request, so that each
// request needs a separate token.
func (a authorization) consentForm() string { return "authorize " + a.query().Encode() }

// allow sends the client a code, which the client exchanges for the holder's tokens.
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
	subject string    // id of the account's member or profile at this merchant
	ended   time.Time // when the account's access at this merchant ended; an earlier sign-in cannot allow the client
	since   time.Time // the earliest sign-in time that the token may have (member.AccessSince)
}

// holder returns the holder of the grant that the session's account gives the requesting client at this merchant.
func (p place) holder(a authorization, session signin.Session) oauth.Holder {
	account := session.Account
	h := oauth.Holder{Client: a.client.ID, Kind: account.Kind, Subject: p.subject, Tenant: p.tenant, Scopes: a.scopes,
		Password: session.Password, SignedIn: session.SignedIn}
	if account.Kind == identity.User {
		h.User = account.ID
	}
	return h
}

// listMerchants returns the account's merchants in a mode. For a user these are the merchants of the active
// memberships. Any other account has one merchant.
func (f family) listMerchants(ctx context.Context, mode identity.Mode, account signin.Account) ([]place, error) {
	if account.Kind == identity.User {
		memberships, err := f.store.Memberships(ctx, account.ID, mode)
		var all []place
		for _, m := range memberships {
			if m.Member.Active() {
				all = append(all, place{m.Tenant, m.Merchant.Name, m.Member.ID, m.Member.AccessEnded, m.Member.AccessSince()})
			}
		}
		return all, err
	}
	if account.Tenant.Mode != mode {
		return nil, nil
	}
	m, err := f.store.Merchant(ctx, account.Tenant.Merchant)
	return []place{{account.Tenant, m.Name, account.ID, time.Time{}, account.Since}}, err
}

type consentView struct {
	texts

	Action  string
	CSRF    string
	Asked   url.Values // the authorization request, which the form repeats
	Client  string
	Mode    identity.Mode
	Name    string // name of the account that is signed in
	Host    string // host that the browser goes to next
	Scopes  []string
	Places  []place
	Problem problem

	SignIn     string // action of the form to sign out
	SignInCSRF string
	Continue   string
}

func (v consentView) say(text string) string {
	merchant := ""
	if len(v.Places) == 1 {
		merchant = v.Places[0].label()
	}
	return page.Fill(text, "{client}", v.Client, "{name}", v.Name, "{host}", v.Host, "{merchant}", merchant)
}

func (p place) label() string {
	return cmp.Or(p.name, p.tenant.Merchant) + " (" + p.tenant.Merchant + ")"
}

// describeScopes describes scopes in words, each text once.
func (t texts) describeScopes(scopes []string) []string {
	var all []string
	said := map[string]bool{}
	for _, scope := range scopes {
		text := cmp.Or(t.scopes[scope], scope)
		if !said[text] {
			all = append(all, text)
		}
		said[text] = true
	}
	return all
}

func (v consentView) choice() page.Field {
	f := page.Field{Name: "merchant_code", Label: v.choose, Required: true, Options: []page.Option{{}},
		DescribedBy: strings.TrimSpace(describedBy(v.Problem) + " elsewhere"), Invalid: v.Problem == problemMerchant}
	for _, p := range v.Places {
		f.Options = append(f.Options, page.Option{Value: p.tenant.Merchant, Label: p.label()})
	}
	return f
}

func (f family) drawConsent(ctx context.Context, a authorization, account signin.Account, wrong problem) (
	rest.Document, error) {
	places, err := f.listMerchants(ctx, a.client.Tenant.Mode, account)
	if err != nil {
		return rest.Document{}, err
	}
	cookie := f.forms.Cookie(ctx)
	v := consentView{texts: f.chooseTexts(ctx), Action: f.localPath("/authorize"),
		CSRF: f.forms.Token(cookie, a.consentForm()), Asked: a.query(), Client: a.client.Name, Mode: a.client.Tenant.Mode,
		Name: account.Name, Host: a.host(), Scopes: a.scopes, Places: places, Problem: wrong, SignIn: f.localPath("/sign-in"),
		SignInCSRF: f.forms.Token(cookie, signInForm), Continue: a.query().Encode()}
	return f.draw(cookie, v.texts, v.say(v.consent), wrong, a.formActionSource(), consentBody(v))
}

// drawUnknown renders the error page of a request whose client or redirect_uri is unknown.
func (f family) drawUnknown(ctx context.Context, why unknown) (rest.Document, error) {
	t := f.chooseTexts(ctx)
	title := t.unknownClient
	if why == unknownRedirect {
		title = t.unknownRedirect
	}
	drawn, err := page.New("").In(t.language).Draw(title, unknownBody(title, t.unknownText))
	return rest.Document{Status: http.StatusBadRequest, HTML: drawn.HTML, CSP: drawn.CSP}, err
}
