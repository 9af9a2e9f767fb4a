package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

const (
	// silence ends an attempt of a call in which nothing was heard for so long. AWS answers within tens of
	// milliseconds; later answers are mostly lost, and the SDK's next attempt takes another connection.
	silence = 2 * time.Second
	// idleConnections are kept open for each host: more than any function uses at once. net/http's own two made a new
	// TLS handshake for every third call of eight at a time.
	idleConnections = 64
)

// transport carries the calls of all AWS clients of the process, which share its connections. Its limits are for each
// attempt; the context of the call limits all of them together. It is safe for concurrent use.
type transport struct {
	http    *http.Transport
	silence time.Duration
}

// ofProcess is the transport of all Apps of a process that have no other.
var ofProcess = sync.OnceValue(func() *transport { return newTransport(silence, nil) })

// newTransport gives up an attempt after a silence: until the connection is open and the answer begins, and before each
// part of its body, without the caller's own time. roots are trusted in place of the system's, unless nil.
func newTransport(silence time.Duration, roots *x509.CertPool) *transport {
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxIdleConnsPerHost: idleConnections,
		// The attempt that began a connection may end before it: then these end it.
		DialContext:         (&net.Dialer{Timeout: silence}).DialContext,
		TLSHandshakeTimeout: silence,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		// All attempts would share one connection of HTTP/2, also one that went silent.
		Protocols: new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	return &transport{http: t, silence: silence}
}

// Do makes one attempt. Errors: the network's; silence, a timeout that the SDK tries again.
func (t *transport) Do(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	attempt := r.WithContext(ctx)
	if err := keepBody(attempt); err != nil {
		cancel(nil)
		return nil, err
	}
	a := &answer{silence: t.silence, ctx: ctx, cancel: cancel}
	a.silent = time.AfterFunc(t.silence, func() {
		cancel(fmt.Errorf("nothing heard for %v: %w", t.silence, os.ErrDeadlineExceeded))
		// What silenced one connection has probably silenced those that are idle.
		t.http.CloseIdleConnections()
	})
	response, err := t.http.RoundTrip(attempt)
	a.silent.Stop()
	if err != nil {
		err = a.reason(err)
		cancel(nil)
		return nil, err
	}
	a.body, response.Body = response.Body, a
	return response, nil
}

// keepBody has the request keep its body in memory. The SDK closes its body as soon as it has the answer; if net/http
// has not seen the end by then, it closes the connection. It can now also repeat a request of which nothing was sent,
// because AWS had closed the idle connection.
func keepBody(r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return errors.Join(err, r.Body.Close())
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, err = r.GetBody()
	return err
}

// answer is the body of a response.
type answer struct {
	body    io.ReadCloser
	silence time.Duration
	silent  *time.Timer // runs while something is waited for
	ctx     context.Context
	cancel  context.CancelCauseFunc
}

// Read waits for the next part no longer than the silence.
func (a *answer) Read(p []byte) (int, error) {
	a.silent.Reset(a.silence)
	n, err := a.body.Read(p)
	a.silent.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = a.reason(err)
	}
	return n, err
}

// Close gives the connection back if the body was read to its end.
func (a *answer) Close() error {
	defer a.cancel(nil)
	return a.body.Close()
}

// reason is the silence, if that ended the attempt.
func (a *answer) reason(err error) error {
	if cause := context.Cause(a.ctx); errors.Is(cause, os.ErrDeadlineExceeded) {
		return cause
	}
	return err
}

// open leaves an idle connection: AWS's endpoints answer a request without credentials as a health check.
func (t *transport) open(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := t.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// openConnection opens a connection to the table, so that the first call does not wait for name, TCP and TLS. It only
// logs an error, since the call would open its own.
func (a *App) openConnection(ctx context.Context) {
	if a.connects == nil {
		return
	}
	url, err := a.tableAddress(ctx)
	if err == nil {
		err = a.connects.open(ctx, url)
	}
	if err != nil {
		a.Log.WarnContext(ctx, "no connection opened in advance", "error", err)
	}
}

// tableAddress is where the store's client finds the table's service.
func (a *App) tableAddress(ctx context.Context) (string, error) {
	if a.DynamoDBEndpoint != "" {
		return a.DynamoDBEndpoint, nil
	}
	found, err := dynamodb.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx,
		dynamodb.EndpointParameters{Region: aws.String(a.Region)})
	return found.URI.String(), err
}
