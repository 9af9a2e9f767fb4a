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
		Proxy:       nil, // a proxy from the environment would connect where the guard cannot see
		DialContext: d.DialContext,
		// A function sleeps between invocations, and idle connections die with it;
		// a fresh one also means that every attempt is judged anew.
		DisableKeepAlives:      true,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true, // a custom dialer turns it off otherwise
		MaxResponseHeaderBytes: maxAnswerSize,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
	}
}
