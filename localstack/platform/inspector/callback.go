package inspector

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/platform/redact"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Callback is an attempt to deliver a callback.
type Callback struct {
	ID      string // msg_…, the same for each attempt
	At      time.Time
	Event   string // event_type
	Subject string // id of the checkout, or of the transaction at a reader
	URL     string // where the callback was sent
	Sent    Message
	Status  int    // of the answer; 0 if there was none
	Fail    string // reason for the missing answer, or ""
	Took    time.Duration

	Forwarded bool // to a listening command, instead of the checkout's return_url

	V1  Verdict // result for the v1 signature, by the secrets in .local/env (contract §11.2)
	V1a Verdict // result for the v1a signature, by the platform's keys
}

// Events lists the event types of callbacks (contract §11).
var Events = []string{payments.EventCheckoutStatusChanged, payments.EventReaderTransaction}

// Verdict is the result of checking a signature.
type Verdict string

// The verdicts.
const (
	Right   Verdict = "✓"
	Wrong   Verdict = "✗" // matches no key of the platform
	Unknown Verdict = "?" // matches no secret in .local/env, but perhaps a rotated secret or another merchant's
	Missing Verdict = "–" // no v1, because the merchant has no secret
)

// WatchCallbacks returns a transport for callbacks. The transport records attempts and forwards them to listening
// commands.
func (i *Inspector) WatchCallbacks(guarded http.RoundTripper) http.RoundTripper {
	return seenCallbacks{i, guarded}
}

type seenCallbacks struct {
	*Inspector
	guarded http.RoundTripper
}

func (s seenCallbacks) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	body, err := sdkcall.Body(r)
	if err != nil {
		return nil, err
	}
	c := newCallback(r, body)
	transport := s.guarded
	if to := s.forwardedTo(c.Event); to != nil {
		// The developer's own address needs no guard.
		c.Forwarded, c.URL, transport = true, shownURL(to), http.DefaultTransport
		r.URL, r.Host = to, ""
	}
	response, err := transport.RoundTrip(r)
	c.Took = time.Since(c.At)
	if err != nil {
		c.Fail = redact.Line(err.Error())
	} else {
		c.Status = response.StatusCode
	}
	header := r.Header.Clone()
	s.queueDigest(func() {
		s.verify(c, header, body)
		s.addCallback(c)
	})
	return response, err
}

func newCallback(r *http.Request, body []byte) *Callback {
	var event struct {
		EventType string `json:"event_type"`
		ID        string
		Payload   struct {
			TransactionID string `json:"transaction_id"`
		}
	}
	_ = json.Unmarshal(body, &event) // valid, since the platform wrote it
	return &Callback{
		ID: r.Header.Get("webhook-id"), At: time.Now().UTC(), Event: event.EventType,
		Subject: cmp.Or(event.Payload.TransactionID, event.ID), URL: shownURL(r.URL),
		Sent: Message{headers(r.Header), redact.Reply(body), len(body)},
	}
}

// shownURL returns an address without its secrets.
func shownURL(u *url.URL) string {
	shown := *u
	shown.User = nil
	return redact.Line(shown.String())
}

// verify checks each of the two signatures like a receiver.
func (i *Inspector) verify(c *Callback, header http.Header, body []byte) {
	i.mu.Lock()
	site := i.site
	i.mu.Unlock()
	if site == nil {
		return
	}
	secrets, keys := site.verifiers()
	verdict := func(scheme string, otherwise Verdict, secrets []webhook.Secret, keys []webhook.PublicKey) Verdict {
		switch {
		case !strings.Contains(" "+header.Get("webhook-signature"), " "+scheme+","):
			return Missing
		case webhook.Verify(header, body, time.Now(), secrets, keys) != nil:
			return otherwise
		default:
			return Right
		}
	}
	c.V1, c.V1a = verdict("v1", Unknown, secrets, nil), verdict("v1a", Wrong, nil, keys)
}

type listener struct {
	forward *url.URL // nil only watches
	events  []string // event types to take; empty takes all
}

func (l *listener) accepts(event string) bool {
	return len(l.events) == 0 || slices.Contains(l.events, event)
}

// forwardedTo returns the address that gets an event instead of the checkout's return_url, or nil.
func (i *Inspector) forwardedTo(event string) *url.URL {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, l := range i.listeners {
		if l.forward != nil && l.accepts(event) {
			return l.forward
		}
	}
	return nil
}

// overlaps returns true if both listeners would forward the same event.
func (l *listener) overlaps(other *listener) bool {
	return l.forward != nil && other.forward != nil && slices.ContainsFunc(Events, func(event string) bool {
		return l.accepts(event) && other.accepts(event)
	})
}

var errForwarded = errors.New("another `listen` forwards these callbacks already")

// addListener adds a listener until stop is called. It fails with errForwarded.
func (i *Inspector) addListener(l *listener) (stop func(), err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if slices.ContainsFunc(i.listeners, l.overlaps) {
		return nil, errForwarded
	}
	i.listeners = append(i.listeners, l)
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.listeners = slices.DeleteFunc(i.listeners, func(other *listener) bool { return other == l })
	}, nil
}
