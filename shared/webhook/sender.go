package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
)

const userAgent = "Cashwrap-Webhooks/1"

// Sender posts signed messages. It is safe for concurrent use. Each Sender makes at most four deliveries to one host at
// a time; other Senders do not count.
type Sender struct {
	policy Policy
	keys   []SigningKey
	timed  string // name of the header for timed signatures; "": no such header
	client *http.Client
	limit  hostLimit
}

// NewSender returns a sender that signs with each of the keys. It reaches only targets that policy permits.
func NewSender(policy Policy, keys ...SigningKey) *Sender {
	return &Sender{policy: policy, keys: keys, client: Client(policy)}
}

// NewSenderOver returns a sender whose requests go through the transport that wrap returns. wrap gets the guarded
// transport, which checks addresses. If wrap's transport does not use the guarded transport, as in a simulated network,
// no address is checked. The rules for URLs, the time limit and the redirect rule still apply.
func NewSenderOver(wrap func(http.RoundTripper) http.RoundTripper, policy Policy, keys ...SigningKey) *Sender {
	s := NewSender(policy, keys...)
	s.client.Transport = wrap(s.client.Transport)
	return s
}

// ErrBusy reports that the host has no free slot for the tenant. Nothing was sent.
var ErrBusy = errors.New("webhook: the host has no free slot")

// Send makes one attempt to deliver m to the URL target, signed with every secret and with the platform's keys. The
// newest secret comes first. Only this secret makes a timed signature. Send waits up to 2 s for one of the host's
// slots, which all tenants share, and then at most [AnswerTimeout] for the answer. Any 2xx is success. After [ErrBusy]
// nothing was sent. [ErrMessage] and [ErrNoKey] report a message that cannot be signed. Any other failure is a
// [*DeliveryError].
func (s *Sender) Send(ctx context.Context, tenant, target string, m Message, secrets []Secret) error {
	u, err := CheckURL(target, s.policy)
	if err != nil {
		return &DeliveryError{Reason: ReasonURL}
	}
	headers, err := Sign(m, s.keys, secrets)
	if err != nil {
		return err
	}
	if s.timed != "" && len(secrets) > 0 {
		headers.Set(s.timed, signTimed(m, secrets[0]))
	}
	headers.Set("Content-Type", "application/json")
	headers.Set("User-Agent", userAgent)

	release, err := s.limit.acquire(ctx, u.Hostname(), tenant)
	if errors.Is(err, ErrBusy) {
		return err
	}
	if err != nil {
		return &DeliveryError{Reason: ReasonCancelled}
	}
	defer release()
	return s.post(ctx, u.String(), headers, m.Body)
}

func (s *Sender) post(ctx context.Context, target string, headers http.Header, body []byte) error {
	var handshakeFailed atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { handshakeFailed.Store(err != nil) },
	})
	request, err := http.NewRequestWithContext(traced, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return &DeliveryError{Reason: ReasonURL}
	}
	request.Header = headers
	response, err := s.client.Do(request)
	if err != nil {
		return &DeliveryError{Reason: reasonFor(ctx, err, handshakeFailed.Load())}
	}
	defer response.Body.Close()
	return resultOf(response)
}

// resultOf returns the result of an answer. Only the status decides, even if the body cannot be read.
func resultOf(response *http.Response) error {
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
		// The body is read, because otherwise the receiver would see its reply cut off.
		_, _ = io.CopyN(io.Discard, response.Body, maxAnswerSize)
		return nil
	case status >= 300 && status < 400:
		return &DeliveryError{Reason: ReasonRedirect, Status: status}
	default:
		return &DeliveryError{Reason: ReasonStatus, Status: status}
	}
}

func reasonFor(ctx context.Context, err error, handshakeFailed bool) Reason {
	var delivery *DeliveryError
	var network net.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ReasonCancelled
	case errors.As(err, &network) && network.Timeout():
		return ReasonTimeout
	case errors.As(err, &delivery): // the dialer's own error
		return delivery.Reason
	case handshakeFailed:
		return ReasonTLS
	default:
		return ReasonProtocol
	}
}

// Reason is the reason of a failed delivery, in a form for logs and metrics.
type Reason string

// The reasons. A failed delivery is retried on the schedule of contract §11.3, regardless of the reason.
const (
	ReasonURL       Reason = "url_refused"     // CheckURL refused the target
	ReasonLookup    Reason = "name_unresolved" // DNS gave no address
	ReasonAddress   Reason = "address_refused" // an address or port is not permitted
	ReasonConnect   Reason = "connect_failed"  // refused, or unreachable
	ReasonTLS       Reason = "tls_failed"
	ReasonTimeout   Reason = "timeout"      // no answer within AnswerTimeout, or no answer from DNS or the address
	ReasonRedirect  Reason = "redirected"   // 3xx, which is never followed
	ReasonStatus    Reason = "status"       // any other status that is not 2xx
	ReasonProtocol  Reason = "bad_response" // the answer is not HTTP
	ReasonCancelled Reason = "cancelled"    // the caller gave up before the answer
)

// DeliveryError is a failed attempt. It wraps no cause, because errors of net/http contain the URL. The URL's query may
// have a merchant's token.
type DeliveryError struct {
	Reason Reason
	Status int // the HTTP status, for ReasonRedirect and ReasonStatus; otherwise 0
}

// Error names the reason and status, never the target or any content.
func (e *DeliveryError) Error() string {
	if e.Status == 0 {
		return "webhook: not delivered: " + string(e.Reason)
	}
	return "webhook: not delivered: " + string(e.Reason) + " " + strconv.Itoa(e.Status)
}
