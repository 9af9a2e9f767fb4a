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
	// sessionLasts is contract §13.3's half an hour.
	sessionLasts = 30 * time.Minute
	// cookieLasts is longer, so that the page can say that the session has expired.
	cookieLasts = 24 * time.Hour
)

// session identifies a browser on a checkout's page. Only its cookie has it: when it began, random bytes, and a MAC.
type session struct {
	forms   rest.Forms
	cookie  *http.Cookie // nil: the browser has none that is authentic
	began   time.Time
	expired bool
}

// The parts of a cookie's value.
const (
	timeBytes   = 8
	randomBytes = 12
	macBytes    = 12
)

// session is the one of the request's cookie. Each checkout has a cookie of its own, which is good for no other.
func (f family) session(ctx context.Context, checkoutID string) session {
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
	//nolint:gosec // G115: a time after year 292 billion is authentic in no cookie
	began := time.Unix(int64(binary.BigEndian.Uint64(body)), 0).UTC()
	now := f.store.Now()
	if began.After(now) || !hmac.Equal(mac, f.mac(checkoutID, body, began)) {
		return s
	}
	s.cookie, s.began = s.forms.Cookie(ctx), began
	s.expired = !now.Before(began.Add(sessionLasts))
	return s
}

// begin returns a new session. In another site's frame its cookie is kept apart for each site, if it may be sent.
func (f family) begin(checkoutID string, embedded bool) session {
	s := session{forms: f.formsOf(checkoutID), began: f.store.Now()}
	body := make([]byte, timeBytes+randomBytes)
	_, _ = rand.Read(body[timeBytes:]) // never fails
	//nolint:gosec // G115: after 1970
	binary.BigEndian.PutUint64(body, uint64(s.began.Unix()))
	value := base64.RawURLEncoding.EncodeToString(append(body, f.mac(checkoutID, body, s.began)...))
	s.cookie = newCookie(s.forms.NewCookie(), embedded, value, int(cookieLasts.Seconds()))
	return s
}

// newCookie is like the usual one, but in a frame of another site one that may be sent there.
func newCookie(usual *http.Cookie, embedded bool, value string, maxAge int) *http.Cookie {
	framed, sameSite := embedded && usual.Secure, http.SameSiteLaxMode
	if framed {
		sameSite = http.SameSiteNoneMode
	}
	//nolint:gosec // G124: secure, but for the local run over plain HTTP
	return &http.Cookie{Name: usual.Name, Path: usual.Path, HttpOnly: true, Secure: usual.Secure,
		SameSite: sameSite, Partitioned: framed, MaxAge: maxAge, Value: value}
}

// mostSessions is how many checkouts' cookies a browser keeps. Otherwise a till's browser, or a site that opens page
// after page, would at last send more headers than the gateway takes, and open no page any more.
const mostSessions = 20

// surplus deletes the browser's oldest cookie of another checkout when a session begins; nil if there is room.
func (f family) surplus(ctx context.Context, checkoutID string, embedded bool) *http.Cookie {
	prefix, own := f.formsOf("").NewCookie().Name, f.formsOf(checkoutID).NewCookie()
	others := slices.DeleteFunc(rest.Cookies(ctx), func(c *http.Cookie) bool {
		return !strings.HasPrefix(c.Name, prefix) || c.Name == own.Name
	})
	if len(others) < mostSessions {
		return nil
	}
	// A value begins with when the session did: big-endian, so that the bytes have the same order.
	oldest := slices.MinFunc(others, func(a, b *http.Cookie) int { return bytes.Compare(begun(a), begun(b)) })
	own.Name = oldest.Name //nolint:gosec // G124: newCookie makes the one that is sent
	return newCookie(own, embedded, "", -1)
}

// begun are the bytes of a cookie's value that say when its session began; none if it has another form.
func begun(c *http.Cookie) []byte {
	raw, _ := base64.RawURLEncoding.DecodeString(c.Value)
	return raw[:min(len(raw), timeBytes)]
}

// mac is made with the key of payers' sessions that was in use when the session began.
func (f family) mac(checkoutID string, body []byte, began time.Time) []byte {
	mac := hmac.New(sha256.New, f.processing.SessionKey(began))
	_, _ = mac.Write(append([]byte("payment page "+checkoutID+"\x00"), body...)) // never fails
	return mac.Sum(nil)[:macBytes]
}

func (f family) formsOf(checkoutID string) rest.Forms {
	return rest.NewForms("pay-"+strings.ReplaceAll(checkoutID, "-", ""), f.views.BaseURL)
}

func (s session) live() bool { return s.cookie != nil && !s.expired }

// browser is the name by which the session's attempts are known. The cookie does not follow from it.
func (s session) browser() string {
	if s.cookie == nil {
		return ""
	}
	return short("browser", s.cookie.Value)
}

// operation identifies a request to pay, the same when repeated. Another card or method makes another, even under one
// key: it must not continue an attempt that records the first card. The cookie, which is stored nowhere, keys the hash.
func (s session) operation(checkoutID, attemptKey, paidWith string) string {
	return short("attempt", s.cookie.Value, checkoutID, strings.ToLower(attemptKey), paidWith)
}

// short is a digest of the texts, none of which but the last has a zero byte.
func short(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// csrf returns the forms' csrf_token. It covers the amount, so that nobody pays another amount than the page shows.
func (s session) csrf(c payments.Checkout) string {
	return s.forms.Token(s.cookie, c.ID+" "+c.Amount.String()+" "+string(c.Amount.Currency()))
}

// ours reports whether the token is from a page of this session that shows the amount.
func (s session) ours(c payments.Checkout, token string) bool {
	return s.cookie != nil && hmac.Equal([]byte(token), []byte(s.csrf(c)))
}
