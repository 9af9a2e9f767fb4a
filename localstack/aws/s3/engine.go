package s3

import (
	"cmp"
	"crypto/rand"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/johannesboyne/gofakes3"

	"github.com/cashwrap/cashwrap/localstack/aws/reply"
)

// Config configures an Engine. Its clocks must be safe for concurrent use.
type Config struct {
	Now         func() time.Time // returns the time for the expiry of links; nil means time.Now
	CallsNow    func() time.Time // returns the time for signatures in headers; nil means time.Now, as in the SDK
	Random      io.Reader        // source of version ids, which must not fail; nil means crypto/rand
	Credentials aws.Credentials  // must sign every request
	Region      string           // region of the signatures; "" means us-east-1
	Notice      func(error)      // receives errors that an operator should see; nil drops them
}

// Engine holds buckets. It is safe for concurrent use.
type Engine struct {
	config  Config
	objects *objects
	api     http.Handler
}

// New returns an in-memory Engine without buckets.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.CallsNow == nil {
		c.CallsNow = time.Now
	}
	if c.Notice == nil {
		c.Notice = func(error) {}
	}
	c.Random = cmp.Or(c.Random, rand.Reader)
	c.Region = cmp.Or(c.Region, "us-east-1")
	o := &objects{now: c.Now, random: c.Random, notice: c.Notice, buckets: map[string]bucket{}}
	return &Engine{config: c, objects: o, api: gofakes3.New(o, gofakes3.WithTimeSource(source(c.Now)),
		gofakes3.WithTimeSkewLimit(0), gofakes3.WithUnimplementedPageError()).Server()}
}

type source func() time.Time

func (s source) Now() time.Time                      { return s() }
func (s source) Since(t time.Time) (d time.Duration) { return s().Sub(t) }

// CreateBucket creates a bucket, unless it exists. It returns the log's error, if any.
func (e *Engine) CreateBucket(name string) error {
	if err := e.objects.CreateBucket(name); err != nil && !gofakes3.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// ServeHTTP answers a request that came over a port.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if problem := cmp.Or(e.checkRequest(r), checkSupported(r)); problem != nil {
		problem.write(w)
		return
	}
	removeSigningHeaders(r)
	keepHeaders(r)
	e.api.ServeHTTP(w, r)
}

// RoundTrip answers a request in process. It fails only if reading the body fails or the context has ended.
func (e *Engine) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context()) // ServeHTTP changes the headers
	served.Host = cmp.Or(r.Host, r.URL.Host)
	return reply.From(e, served)
}
