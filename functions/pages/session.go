package pages

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

const (
	// sessionLifetime is half an hour (contract §13.3).
	sessionLifetime = 30 * time.Minute
	// cookieLifetime is longer, so that the page can say that the session has expired.
	cookieLifetime = 24 * time.Hour
)

// session identifies a browser on a checkout's page. It is stored only in the browser's cookie, as the time when the
// session began, random bytes, and a MAC.
type session struct {
	forms   rest.Forms
	cookie  *http.Cookie // nil if the browser sent no authentic cookie
	began   time.Time
	expired bool
}

// These are the lengths of the parts of a cookie's value.
const (
	timeBytes   = 8
	randomBytes = 12
	macBytes    = 12
)

// readSession returns the session of the request's cookie. A cookie is valid for its own checkout only.
func (f family) readSession(ctx context.Context, checkoutID string) session {
	s := session{forms: f.formsOf(checkoutID)}
	value, sent := s.forms.Sent(ctx)
	if !sent {
		return s
	}
	raw, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || len(raw) != timeBytes+randomBytes+macBytes {
		return s
	}
	body, mac := raw[:timeBytes+randomBytes], raw[timeBytes+randomBytes:]
	//nolint:gosec // G115: no authentic cookie has a time after year 292 billion
	began := time.Unix(int64(binary.BigEndian.Uint64(body)), 0).UTC()
	now := f.store.Now()
	if began.After(now) || !hmac.Equal(mac, f.mac(checkoutID, body, began)) {
		return s
	}
	s.cookie, s.began = s.forms.Cookie(ctx), began
	s.expired = !now.Before(began.Add(sessionLifetime))
	return s
}

// newSession returns a new session. If the page is in a frame over HTTPS, browsers store a separate cookie for each
// site that embeds the page (SameSite=None, Partitioned).
func (f family) newSession(checkoutID string, embedded bool) session {
	s := session{forms: f.formsOf(checkoutID), began: f.store.Now()}
	body := make([]byte, timeBytes+randomBytes)
	_, _ = rand.Read(body[timeBytes:]) // never fails
	//nolint:gosec // G115: the time is after 1970
	binary.BigEndian.PutUint64(body, uint64(s.began.Unix()))
	value := base64.RawURLEncoding.EncodeToString(append(body, f.mac(checkoutID, body, s.began)...))
	s.cookie = newCookie(s.forms.NewCookie(), embedded, value, int(cookieLifetime.Seconds()))
	return s
}

// newCookie returns the usual cookie with the value. For a page in a frame, it returns a cookie that browsers also send
// from frames.
func newCookie(usual *http.Cookie, embedded bool, value string, maxAge int) *http.Cookie {
	framed, sameSite := embedded && usual.Secure, http.SameSiteLaxMode
	if framed {
		sameSite = http.SameSiteNoneMode
	}
	//nolint:gosec // G124: secure, except in the local run over plain HTTP
	return &http.Cookie{Name: usual.Name, Path: usual.Path, HttpOnly: true, Secure: usual.Secure,
		SameSite: sameSite, Partitioned: framed, MaxAge: maxAge, Value: value}
}

// maxSessions limits the checkouts whose cookies one browser stores. Each cookie makes the browser's headers longer.
// Without the limit, some browsers would in the end send more headers than the gateway accepts, and could then open no
// page any more. Examples are a shop's own browser at the till, and a browser on a site that opens many pages.
const maxSessions = 20

// newEvictionCookie finds the browser's oldest session of another checkout, if the browser has too many. It returns a
// cookie that deletes that session, or nil.
func (f family) newEvictionCookie(ctx context.Context, checkoutID string, embedded bool) *http.Cookie {
	prefix, own := f.formsOf("").NewCookie().Name, f.formsOf(checkoutID).NewCookie()
	others := slices.DeleteFunc(rest.Cookies(ctx), func(c *http.Cookie) bool {
		return !strings.HasPrefix(c.Name, prefix) || c.Name == own.Name
	})
	if len(others) < maxSessions {
		return nil
	}
	// A cookie's value begins with the session's time in big-endian order, so the bytes sort as the times do.
	oldest := slices.MinFunc(others, func(a, b *http.Cookie) int { return bytes.Compare(sessionTime(a), sessionTime(b)) })
	own.Name = oldest.Name //nolint:gosec // G124: newCookie makes the cookie to send
	return newCookie(own, embedded, "", -1)
}

// sessionTime returns the bytes of the session's time from a cookie's value. It returns fewer bytes if the value is
// shorter.
func sessionTime(c *http.Cookie) []byte {
	raw, _ := base64.RawURLEncoding.DecodeString(c.Value)
	return raw[:min(len(raw), timeBytes)]
}

// mac returns the MAC of a session's cookie. Its key is the key for payers' sessions that was current when the session
// began.
func (f family) mac(checkoutID string, body []byte, began time.Time) []byte {
	mac := hmac.New(sha256.New, f.processing.SessionKey(began))
	_, _ = mac.Write(append([]byte("payment page "+checkoutID+"\x00"), body...)) // never fails
	return mac.Sum(nil)[:macBytes]
}

func (f family) formsOf(checkoutID string) rest.Forms {
	return rest.NewForms("pay-"+strings.ReplaceAll(checkoutID, "-", ""), f.views.BaseURL)
}

func (s session) isLive() bool { return s.cookie != nil && !s.expired }

// browser returns the session's name in stored attempts. The cookie cannot be derived from it.
func (s session) browser() string {
	if s.cookie == nil {
		return ""
	}
	return digest("browser", s.cookie.Value)
}

// operation returns an identifier of a request to pay. A repeated request has the same identifier. Another card or
// method gives another identifier even with the same attempt key, so that the request cannot continue an attempt that
// recorded the first card. The key of the hash is the cookie, which only the browser stores.
func (s session) operation(checkoutID, attemptKey, paidWith string) string {
	return digest("attempt", s.cookie.Value, checkoutID, strings.ToLower(attemptKey), paidWith)
}

// digest returns a digest of the texts. Only the last text may contain a zero byte.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// csrf returns the forms' csrf_token. It covers the amount, so that a payer pays exactly the amount on the page.
func (s session) csrf(c payments.Checkout) string {
	return s.forms.Token(s.cookie, c.ID+" "+c.Amount.String()+" "+string(c.Amount.Currency()))
}

// isValidCSRF returns true if the token is from a page of this session with the same amount.
func (s session) isValidCSRF(c payments.Checkout, token string) bool {
	return s.cookie != nil && hmac.Equal([]byte(token), []byte(s.csrf(c)))
}
