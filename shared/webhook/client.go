package webhook

import (
	"crypto/tls"
	"net/http"
	"time"
)

// AnswerTimeout bounds one attempt from the first lookup to the end of the
// answer (contract §11.3).
const AnswerTimeout = 10 * time.Second

// maxAnswerSize bounds, in bytes, what is read of an answer's header and body each.
const maxAnswerSize = 64 << 10

// Client returns an HTTP client that reaches only what policy permits, follows no
// redirect (a 3xx is returned as the answer) and gives up after [AnswerTimeout].
func Client(policy Policy) *http.Client { return newClient(newDialer(policy)) }

func newClient(d *dialer) *http.Client {
	return &http.Client{
		Transport:     newTransport(d),
		Timeout:       AnswerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func newTransport(d *dialer) *http.Transport {
	return &http.Transport{
		Proxy:       nil, // a proxy from the environment would dial without the check
		DialContext: d.DialContext,
		// Idle connections do not survive the pauses between a function's invocations,
		// and with a new one the address is checked for every attempt.
		DisableKeepAlives:      true,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true, // otherwise off with a custom dialer
		MaxResponseHeaderBytes: maxAnswerSize,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
	}
}
