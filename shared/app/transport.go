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
	// silence ends an attempt if the service sends nothing for this long. AWS answers within tens of milliseconds, so a
	// later answer is probably lost. The SDK's next attempt uses another connection.
	silence = 2 * time.Second
	// idleConnections is the number of idle connections that stay open for each host. No function uses more at once. With
	// net/http's default of two, every third call needed a new TLS handshake while eight calls ran at a time.
	idleConnections = 64
)

// transport carries the calls of all AWS clients of the process, which share its connections. Its limits apply to each
// attempt. The context of a call limits all attempts of the call together. A transport is safe for concurrent use.
type transport struct {
	http    *http.Transport
	silence time.Duration
}

// processTransport returns the transport that all Apps of the process share, unless an App has its own.
var processTransport = sync.OnceValue(func() *transport { return newTransport(silence, nil) })

// newTransport returns a transport that gives up an attempt after a silence. It measures the time until the answer
// begins, and the time before each part of the answer's body. The time that the caller takes does not count. roots
// replace the system's trusted certificates, unless nil.
func newTransport(silence time.Duration, roots *x509.CertPool) *transport {
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxIdleConnsPerHost: idleConnections,
		// A dial may outlast the attempt that started it; these timeouts end it.
		DialContext:         (&net.Dialer{Timeout: silence}).DialContext,
		TLSHandshakeTimeout: silence,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		// With HTTP/2 all attempts would share one connection, even a silent one.
		Protocols: new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	return &transport{http: t, silence: silence}
}

// Do makes one attempt. It returns the network's error. After a silence it returns a timeout, which the SDK retries.
func (t *transport) Do(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	attempt := r.WithContext(ctx)
	if err := keepBody(attempt); err != nil {
		cancel(nil)
		return nil, err
	}
	a := &timedBody{silence: t.silence, ctx: ctx, cancel: cancel}
	a.silent = time.AfterFunc(t.silence, func() {
		cancel(fmt.Errorf("nothing heard for %v: %w", t.silence, os.ErrDeadlineExceeded))
		// The other idle connections are probably silent for the same reason.
		t.http.CloseIdleConnections()
	})
	response, err := t.http.RoundTrip(attempt)
	a.silent.Stop()
	if err != nil {
		err = a.endReason(err)
		cancel(nil)
		return nil, err
	}
	a.body, response.Body = response.Body, a
	return response, nil
}

// keepBody reads the request's body into memory. The SDK closes the body as soon as it has the answer. If net/http has
// not read the body to its end by then, net/http closes the connection. A body in memory has another advantage: if AWS
// had closed the idle connection before the request left, net/http can send the request again.
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

// timedBody is the body of a response. It ends the attempt after a silence.
type timedBody struct {
	body    io.ReadCloser
	silence time.Duration
	silent  *time.Timer // runs while a read waits
	ctx     context.Context
	cancel  context.CancelCauseFunc
}

// Read waits for the next part, at most as long as the silence.
func (a *timedBody) Read(p []byte) (int, error) {
	a.silent.Reset(a.silence)
	n, err := a.body.Read(p)
	a.silent.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = a.endReason(err)
	}
	return n, err
}

// Close returns the connection to the pool if the body was read to its end.
func (a *timedBody) Close() error {
	defer a.cancel(nil)
	return a.body.Close()
}

// endReason returns the timeout error of the silence if a silence ended the attempt. Otherwise it returns err.
func (a *timedBody) endReason(err error) error {
	if cause := context.Cause(a.ctx); errors.Is(cause, os.ErrDeadlineExceeded) {
		return cause
	}
	return err
}

// connect opens a connection and leaves it idle. The request has no credentials. AWS endpoints answer such a request as
// a health check.
func (t *transport) connect(ctx context.Context, url string) error {
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

// openConnection opens a connection to the table, so that the first call does not wait for DNS, TCP and TLS. It only
// logs an error, because the first call can open its own connection.
func (a *App) openConnection(ctx context.Context) {
	if a.transport == nil {
		return
	}
	url, err := a.resolveTableURL(ctx)
	if err == nil {
		err = a.transport.connect(ctx, url)
	}
	if err != nil {
		a.Log.WarnContext(ctx, "no connection opened in advance", "error", err)
	}
}

// resolveTableURL returns the URL of the table's service, as the store's client resolves it.
func (a *App) resolveTableURL(ctx context.Context) (string, error) {
	if a.DynamoDBEndpoint != "" {
		return a.DynamoDBEndpoint, nil
	}
	found, err := dynamodb.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx,
		dynamodb.EndpointParameters{Region: aws.String(a.Region)})
	return found.URI.String(), err
}
