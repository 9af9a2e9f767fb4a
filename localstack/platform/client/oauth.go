package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Browser keeps cookies and follows redirects within the platform, like a person's browser.
type Browser struct {
	Client
	Show func(Request, Response) // called for each exchange; may be nil

	cookies map[string]string
}

// Open sends a request, follows redirects (303, and 302 after a GET) within the origin, and returns the last response.
func (b *Browser) Open(ctx context.Context, r Request) (Response, error) {
	for {
		var cookies []string
		for name, value := range b.cookies {
			cookies = append(cookies, name+"="+value)
		}
		if len(cookies) > 0 {
			r.Header = map[string]string{"Cookie": strings.Join(cookies, "; ")}
		}
		got, err := b.Do(ctx, r)
		if err != nil {
			return got, err
		}
		b.keepCookies(got)
		if b.Show != nil {
			b.Show(r, got)
		}
		to := got.Header.Get("Location")
		if path, ours := strings.CutPrefix(to, b.BaseURL); ours {
			to = path
		}
		follows := got.Status == http.StatusSeeOther || got.Status == http.StatusFound && r.Method == http.MethodGet
		if !follows || !strings.HasPrefix(to, "/") {
			return got, nil
		}
		r = Request{Method: http.MethodGet, Path: to}
	}
}

func (b *Browser) keepCookies(r Response) {
	for _, c := range (&http.Response{Header: r.Header}).Cookies() {
		if b.cookies == nil {
			b.cookies = map[string]string{}
		}
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
}

// Person is a person who signs in on the platform's page.
type Person struct {
	Username, Password string
	MerchantCode       string // for a managed user
}

// Application is an OAuth client.
type Application struct {
	ID, Secret, RedirectURI string
	Scope                   string // scopes separated by spaces
}

// Tokens are the tokens of an application.
type Tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`

	MerchantCode string `json:"-"` // merchant that the person chose
}

// SignIn gets tokens by the code flow with PKCE (RFC 6749 §4.1, RFC 7636). Errors name the failed step.
func (a Application) SignIn(ctx context.Context, b *Browser, p Person, merchantCode string) (Tokens, error) {
	verifier, state := rand.Text()+rand.Text(), rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	asks := url.Values{"response_type": {"code"}, "client_id": {a.ID}, "redirect_uri": {a.RedirectURI},
		"scope": {a.Scope}, "state": {state}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}}
	page, err := b.Open(ctx, Request{Method: http.MethodGet, Path: "/authorize?" + asks.Encode()})
	if err != nil {
		return Tokens{}, err
	}
	page, err = b.fill(ctx, page, url.Values{"username": {p.Username}, "password": {p.Password},
		"merchant_code": {p.MerchantCode}})
	if err != nil {
		return Tokens{}, fmt.Errorf("sign-in: %w", err)
	}
	page, err = b.fill(ctx, page, url.Values{"decision": {"allow"}, "merchant_code": {merchantCode}})
	if err != nil {
		return Tokens{}, fmt.Errorf("consent: %w", err)
	}
	to, err := url.Parse(page.Header.Get("Location"))
	if err != nil {
		return Tokens{}, err
	}
	answer := to.Query()
	if !strings.HasPrefix(to.String(), a.RedirectURI+"?") || answer.Get("state") != state || answer.Get("code") == "" {
		return Tokens{}, fmt.Errorf("no code came to the redirect_uri, but status %d, error %q", page.Status,
			answer.Get("error"))
	}
	tokens := Tokens{MerchantCode: answer.Get("merchant_code")}
	err = a.Token(ctx, b.Client, url.Values{"grant_type": {"authorization_code"}, "code": answer["code"],
		"redirect_uri": {a.RedirectURI}, "code_verifier": {verifier}}, &tokens)
	return tokens, err
}

// fill posts the page's first form with the person's input.
func (b *Browser) fill(ctx context.Context, page Response, entered url.Values) (Response, error) {
	form, err := page.Form()
	if err != nil {
		return page, fmt.Errorf("status %d: %w", page.Status, err)
	}
	maps.Copy(form.Fields, entered)
	return b.Open(ctx, form.Request())
}

// Token gets tokens. grant holds the grant_type and its parameters. Any status but 200 is an error.
func (a Application) Token(ctx context.Context, api Client, grant url.Values, into *Tokens) error {
	grant.Set("client_id", a.ID)
	grant.Set("client_secret", a.Secret)
	got, err := api.Do(ctx, Request{Method: http.MethodPost, Path: "/token", Body: grant})
	if err != nil {
		return err
	}
	if got.Status != http.StatusOK {
		return fmt.Errorf("POST /token answered %d %s", got.Status, got.Text("error"))
	}
	return got.Into(into)
}
