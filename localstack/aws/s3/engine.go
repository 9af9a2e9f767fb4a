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

// Config of an Engine. Its clocks must be safe for concurrent use.
type Config struct {
	Now         func() time.Time // the clock, by which links expire; nil is the real one
	CallsNow    func() time.Time // by which headers are signed; nil is the real clock, which the SDK always takes
	Random      io.Reader        // where ids of versions come from; nil is crypto/rand. It must not fail.
	Credentials aws.Credentials  // that sign every request
	Region      string           // that they sign for; "" is us-east-1
	Notice      func(error)      // is given what an operator should know; nil drops it
}

// Engine has buckets. It is safe for concurrent use.
type Engine struct {
	config  Config
	objects *objects
	api     http.Handler
}

// New returns an Engine without buckets, in memory.
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

// CreateBucket makes a bucket, unless there is one of that name. Error: the log's.
func (e *Engine) CreateBucket(name string) error {
	if err := e.objects.CreateBucket(name); err != nil && !gofakes3.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// ServeHTTP answers over a port.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if problem := cmp.Or(e.check(r), supported(r)); problem != nil {
		problem.write(w)
		return
	}
	withoutSigning(r)
	keepHeaders(r)
	e.api.ServeHTTP(w, r)
}

// RoundTrip answers one request in process. It fails only when the request's body or context does.
func (e *Engine) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context()) // ServeHTTP changes its headers
	served.Host = cmp.Or(r.Host, r.URL.Host)
	return reply.From(e, served)
}
