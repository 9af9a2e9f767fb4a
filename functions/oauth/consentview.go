package oauth

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// consentView is what the consent page shows.
type consentView struct {
	texts

	Action  string
	CSRF    string
	Asked   url.Values // the authorization request, which the form repeats
	Client  string
	Mode    identity.Mode
	Name    string // of who is signed in
	Host    string // where the browser goes next
	Scopes  []string
	Places  []place
	Problem problem

	SignIn     string // action of the form to sign out
	SignInCSRF string
	Continue   string
}

// say is the text with its placeholders filled in.
func (v consentView) say(text string) string {
	merchant := ""
	if len(v.Places) == 1 {
		merchant = v.Places[0].label()
	}
	return page.Fill(text, "{client}", v.Client, "{name}", v.Name, "{host}", v.Host, "{merchant}", merchant)
}

// label shows people the merchant.
func (p place) label() string {
	return cmp.Or(p.name, p.tenant.Merchant) + " (" + p.tenant.Merchant + ")"
}

// allows says what the scopes allow, each text once.
func (v consentView) allows() []string {
	var all []string
	said := map[string]bool{}
	for _, scope := range v.Scopes {
		text := cmp.Or(v.scopes[scope], scope)
		if !said[text] {
			all = append(all, text)
		}
		said[text] = true
	}
	return all
}

// choice is the field with the merchants.
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
	places, err := f.merchants(ctx, a.client, account)
	if err != nil {
		return rest.Document{}, err
	}
	cookie := f.forms.Cookie(ctx)
	v := consentView{texts: f.language(ctx), Action: f.local("/authorize"), CSRF: f.forms.Token(cookie, a.form()),
		Asked: a.query(), Client: a.client.Name, Mode: a.client.Tenant.Mode, Name: account.Name, Host: a.host(),
		Scopes: a.scopes, Places: places, Problem: wrong, SignIn: f.local("/sign-in"),
		SignInCSRF: f.forms.Token(cookie, signInForm), Continue: a.query().Encode()}
	return f.draw(cookie, v.texts, v.say(v.consent), wrong, a.source(), consentBody(v))
}

// drawUnknown is the error page of a request whose client or redirect_uri is unknown.
func (f family) drawUnknown(ctx context.Context, why unknown) (rest.Document, error) {
	t := f.language(ctx)
	title := t.unknownClient
	if why == unknownRedirect {
		title = t.unknownRedirect
	}
	drawn, err := page.New("").In(t.language).Draw(title, unknownBody(title, t.unknownText))
	return rest.Document{Status: http.StatusBadRequest, HTML: drawn.HTML, CSP: drawn.CSP}, err
}
