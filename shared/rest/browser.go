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

// openRouteRequest returns the request to an Open route, for its headers and cookies. On other routes the request is
// empty.
func openRouteRequest(ctx context.Context) *http.Request {
	return cmp.Or(stateOf(ctx).openRouteRequest, &http.Request{})
}

// Cookies returns the cookies that the browser sent to an Open route.
func Cookies(ctx context.Context) []*http.Cookie { return openRouteRequest(ctx).Cookies() }

// BasicAuth returns the name and password in an Open route's Authorization header (RFC 7617). It returns false if the
// header has none.
func BasicAuth(ctx context.Context) (name string, password secret.Text, ok bool) {
	name, text, ok := openRouteRequest(ctx).BasicAuth()
	return name, secret.New(text), ok
}

// BrowserHas returns true if the browser already has the body with the entity tag. The operation then answers with a
// Document of status 304. BrowserHas reads If-None-Match of an Open route's request (RFC 9110 §13.1.2), which the
// Lambda adapter splits at commas.
func BrowserHas(ctx context.Context, tag string) bool {
	for has := range strings.SplitSeq(strings.Join(openRouteRequest(ctx).Header.Values("If-None-Match"), ","), ",") {
		if has = strings.TrimSpace(has); has == "*" || strings.TrimPrefix(has, "W/") == tag {
			return true
		}
	}
	return false
}

// AcceptLanguage returns the header Accept-Language of a request to an Open route (RFC 9110 §12.5.4). The Lambda
// adapter splits the header at commas, and AcceptLanguage joins it again.
func AcceptLanguage(ctx context.Context) string {
	return strings.Join(openRouteRequest(ctx).Header.Values("Accept-Language"), ",")
}

// UserAgent returns the header User-Agent of a request to an Open route; "" if there is none (RFC 9110 §10.1.5).
func UserAgent(ctx context.Context) string { return openRouteRequest(ctx).Header.Get("User-Agent") }

// IsSpeculative returns true if no person has asked for the page of an Open route: the method is HEAD, or the browser
// loads the page in advance. Browsers mark such a request with Sec-Purpose (Fetch standard), older browsers with
// Purpose. The operation then must not change anything.
func IsSpeculative(ctx context.Context) bool {
	r := openRouteRequest(ctx)
	purpose := r.Header.Get("Sec-Purpose") + r.Header.Get("Purpose")
	return r.Method == http.MethodHead || strings.Contains(strings.ToLower(purpose), "prefetch")
}

// IsForm returns true if a request's body is a form, on an Open route that takes JSON and forms (contract §2.2).
func IsForm(ctx context.Context) bool { return isForm(openRouteRequest(ctx).Header) }

// Language returns the page language for the browser that sent a request to an Open route.
func Language(ctx context.Context) page.Language { return page.Preferred(AcceptLanguage(ctx)) }

// BasePath returns the path of the base URL, which links put before the path of a page.
func BasePath(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return u.Path
}

// Forms protects pages' forms against other sites (CSRF). A form's token is derived from a cookie that no other site
// can read or set.
type Forms struct {
	cookie string
	secure bool
}

// NewForms returns Forms for the pages under the base URL. The cookie with the name protects their forms.
func NewForms(cookie, baseURL string) Forms {
	secure := strings.HasPrefix(baseURL, "https:") // false only in the local run
	if secure {
		cookie = "__Host-" + cookie // no other host of the domain can set it (RFC 6265bis §4.1.3.2)
	}
	return Forms{cookie, secure}
}

// cookieBytes is the number of random bytes in a cookie.
const cookieBytes = 32

// Cookie returns the cookie that the browser sent, or a new one.
func (f Forms) Cookie(ctx context.Context) *http.Cookie {
	value, sent := f.Sent(ctx)
	if !sent {
		return f.NewCookie()
	}
	return f.cookieWith(value)
}

// Sent returns the value of the cookie that the browser sent. It returns false if NewCookie cannot have made the value.
func (f Forms) Sent(ctx context.Context) (string, bool) {
	value := f.Value(ctx)
	raw, err := base64.RawURLEncoding.DecodeString(value)
	return value, err == nil && len(raw) == cookieBytes
}

// Value returns the cookie's value, or "" if the browser sent none or the route is not Open.
func (f Forms) Value(ctx context.Context) string {
	if c, err := openRouteRequest(ctx).Cookie(f.cookie); err == nil {
		return c.Value
	}
	return ""
}

// Lasting returns the cookie with a value. The browser keeps the cookie for the duration, even if the browser is
// closed.
func (f Forms) Lasting(value string, lasts time.Duration) *http.Cookie {
	c := f.cookieWith(value) //nolint:gosec // cookieWith sets the attributes
	c.MaxAge = int(lasts.Seconds())
	return c
}

// NewCookie returns a cookie with a new random value.
func (f Forms) NewCookie() *http.Cookie {
	fresh := make([]byte, cookieBytes)
	_, _ = rand.Read(fresh) // never fails
	return f.cookieWith(base64.RawURLEncoding.EncodeToString(fresh))
}

// cookieWith returns the cookie with the value. Browsers send it when they follow another site's link, but not with
// another site's form or script (SameSite=Lax).
func (f Forms) cookieWith(value string) *http.Cookie {
	//nolint:gosec // G124: secure, except in the local run over plain HTTP
	return &http.Cookie{Name: f.cookie, Value: value, Path: "/", Secure: f.secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
}

// Token returns the csrf_token of a form about the subject, on a page that is sent with the cookie.
func (f Forms) Token(c *http.Cookie, subject string) string {
	mac := hmac.New(sha256.New, []byte(c.Value))
	_, _ = mac.Write([]byte(subject)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Ours returns true if the token comes from a form about the subject, on a page sent with the browser's present cookie.
func (f Forms) Ours(ctx context.Context, subject, token string) bool {
	return hmac.Equal([]byte(token), []byte(f.Token(f.Cookie(ctx), subject)))
}
