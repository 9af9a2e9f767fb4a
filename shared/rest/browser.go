package rest

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// sent returns the request to an Open route, for operations that read headers and cookies; else an empty one.
func sent(ctx context.Context) *http.Request {
	return cmp.Or(stateOf(ctx).sent, &http.Request{})
}

// Cookies are those that the browser has sent to an Open route.
func Cookies(ctx context.Context) []*http.Cookie { return sent(ctx).Cookies() }

// BasicAuth returns name and password of an Open route's Authorization header (RFC 7617); false if there is none.
func BasicAuth(ctx context.Context) (name string, password secret.Text, ok bool) {
	name, text, ok := sent(ctx).BasicAuth()
	return name, secret.New(text), ok
}

// BrowserHas reports whether the browser of an Open route's request has the body with the entity tag, by If-None-Match
// (RFC 9110 §13.1.2), which the Lambda adapter splits at commas. The answer is then a Document with status 304.
func BrowserHas(ctx context.Context, tag string) bool {
	for has := range strings.SplitSeq(strings.Join(sent(ctx).Header.Values("If-None-Match"), ","), ",") {
		if has = strings.TrimSpace(has); has == "*" || strings.TrimPrefix(has, "W/") == tag {
			return true
		}
	}
	return false
}

// AcceptLanguage returns an Open request's header (RFC 9110 §12.5.4), joined: the Lambda adapter splits it.
func AcceptLanguage(ctx context.Context) string {
	return strings.Join(sent(ctx).Header.Values("Accept-Language"), ",")
}

// IsForm reports whether the body of a request to an Open route that takes JSON and a form is a form (contract §2.2).
func IsForm(ctx context.Context) bool { return isForm(sent(ctx).Header) }

// Language is that of a page for the browser that sent a request to an Open route.
func Language(ctx context.Context) page.Language { return page.Preferred(AcceptLanguage(ctx)) }

// BasePath is the path of the base URL, which is before those of pages in their links.
func BasePath(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return u.Path
}

// Forms protects pages' forms against other sites (CSRF), which cannot read or set the cookie of a form's token.
type Forms struct {
	cookie string
	secure bool
}

// NewForms are the forms of pages under the base URL, with a cookie of the name.
func NewForms(cookie, baseURL string) Forms {
	secure := strings.HasPrefix(baseURL, "https:") // everywhere but in the local run
	if secure {
		cookie = "__Host-" + cookie // no other host of the domain can set it (RFC 6265bis §4.1.3.2)
	}
	return Forms{cookie, secure}
}

// cookieBytes is the size of the random text in a cookie.
const cookieBytes = 32

// Cookie is the one that the browser has sent, or a new one.
func (f Forms) Cookie(ctx context.Context) *http.Cookie {
	value, sent := f.Sent(ctx)
	if !sent {
		return f.NewCookie()
	}
	return f.with(value)
}

// Sent returns the value of the cookie that the browser has sent; false if it cannot be one of NewCookie.
func (f Forms) Sent(ctx context.Context) (string, bool) {
	value := f.Value(ctx)
	raw, err := base64.RawURLEncoding.DecodeString(value)
	return value, err == nil && len(raw) == cookieBytes
}

// Value returns the cookie's value; "" if the browser sent none, and on routes that are not Open.
func (f Forms) Value(ctx context.Context) string {
	if c, err := sent(ctx).Cookie(f.cookie); err == nil {
		return c.Value
	}
	return ""
}

// Lasting returns the cookie with a value, which the browser keeps that long, even when it is closed.
func (f Forms) Lasting(value string, lasts time.Duration) *http.Cookie {
	c := f.with(value) //nolint:gosec // which sets the attributes
	c.MaxAge = int(lasts.Seconds())
	return c
}

// NewCookie is a cookie with a new random value.
func (f Forms) NewCookie() *http.Cookie {
	fresh := make([]byte, cookieBytes)
	_, _ = rand.Read(fresh) // never fails
	return f.with(base64.RawURLEncoding.EncodeToString(fresh))
}

// with returns the cookie with the value. Browsers send it by other sites' links, not forms or scripts (SameSite=Lax).
func (f Forms) with(value string) *http.Cookie {
	//nolint:gosec // G124: secure, but for the local run over plain HTTP
	return &http.Cookie{Name: f.cookie, Value: value, Path: "/", Secure: f.secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
}

// Token is the csrf_token of a form about a subject, on a page that is sent with the cookie.
func (f Forms) Token(c *http.Cookie, subject string) string {
	mac := hmac.New(sha256.New, []byte(c.Value))
	_, _ = mac.Write([]byte(subject)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Ours reports whether the token is from a form about the subject on a page of this browser with its present cookie.
func (f Forms) Ours(ctx context.Context, subject, token string) bool {
	return hmac.Equal([]byte(token), []byte(f.Token(f.Cookie(ctx), subject)))
}
