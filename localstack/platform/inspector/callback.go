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

// Callback is an attempt to deliver one.
type Callback struct {
	ID      string // msg_…, the same at each attempt
	At      time.Time
	Event   string // its event_type
	Subject string // of the checkout, or of the transaction at a reader: its id
	URL     string // where it was sent
	Sent    Message
	Status  int    // of the answer; 0: there was none
	Fail    string // why there was none; ""
	Took    time.Duration

	Forwarded bool // to a command that listens, instead of the checkout's return_url

	V1  Verdict // on that signature, by the secrets in .local/env (contract §11.2)
	V1a Verdict // on that signature, by the platform's keys
}

// Events are the types of events that callbacks are about (contract §11).
var Events = []string{payments.EventCheckoutStatusChanged, payments.EventReaderTransaction}

// Verdict is what comes of checking a signature.
type Verdict string

// The verdicts.
const (
	Right   Verdict = "✓"
	Wrong   Verdict = "✗" // by no key of the platform
	Unknown Verdict = "?" // by no secret in .local/env: of another merchant, or of one whose secret was rotated
	Missing Verdict = "–" // a v1, of a merchant without a secret
)

// WatchCallbacks returns the transport of callbacks, by which attempts are seen, and led to commands that listen.
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
		// The developer's own address, which no guard is for.
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
	s.later(func() {
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
	_ = json.Unmarshal(body, &event) // the platform's own
	return &Callback{
		ID: r.Header.Get("webhook-id"), At: time.Now().UTC(), Event: event.EventType,
		Subject: cmp.Or(event.Payload.TransactionID, event.ID), URL: shownURL(r.URL),
		Sent: Message{headers(r.Header), redact.Reply(body), len(body)},
	}
}

// shownURL returns an address without what is secret in it.
func shownURL(u *url.URL) string {
	shown := *u
	shown.User = nil
	return redact.Line(shown.String())
}

// verify checks both kinds of signatures as receivers do, each by itself.
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
	forward *url.URL // nil: it only sees them
	events  []string // that it takes; none: all
}

func (l *listener) takes(event string) bool {
	return len(l.events) == 0 || slices.Contains(l.events, event)
}

// forwardedTo returns where an event goes instead of the checkout's return_url; nil: to that.
func (i *Inspector) forwardedTo(event string) *url.URL {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, l := range i.listeners {
		if l.forward != nil && l.takes(event) {
			return l.forward
		}
	}
	return nil
}

// overlaps reports whether both take an event, to forward it.
func (l *listener) overlaps(other *listener) bool {
	return l.forward != nil && other.forward != nil && slices.ContainsFunc(Events, func(event string) bool {
		return l.takes(event) && other.takes(event)
	})
}

var errForwarded = errors.New("another `listen` forwards these callbacks already")

// listen adds a listener, until stop. Error: errForwarded.
func (i *Inspector) listen(l *listener) (stop func(), err error) {
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
