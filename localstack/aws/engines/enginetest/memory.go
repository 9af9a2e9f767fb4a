package enginetest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/record"
	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
)

// Table returns the endpoint of a table: the in-memory engine, or DynamoDB Local with CASHWRAP_ENGINE=dynamodb-local.
func Table(tb testing.TB) string {
	tb.Helper()
	if OnDynamoDBLocal() {
		return DynamoDB(tb)
	}
	return memory().URL
}

// Queues returns the endpoint of the queues that go with Table. All tests share them, so give yours random names.
func Queues(tb testing.TB) string {
	tb.Helper()
	if OnDynamoDBLocal() {
		return Fauxqs(tb)
	}
	return memory().URL
}

// OnDynamoDBLocal returns true if the platform's tests run over the real engines.
func OnDynamoDBLocal() bool { return os.Getenv("CASHWRAP_ENGINE") == "dynamodb-local" }

// InMemory skips the test if the run uses the real engines. The real engines do not know virtual time, and charge by
// different rules.
func InMemory(t *testing.T) {
	t.Helper()
	if OnDynamoDBLocal() {
		t.Skip("only the engines in memory take part")
	}
	record.Note(t, record.Test{InMemory: true})
}

// Do sends a request to Table's endpoint. In memory it uses no socket, because a socket's faults would add to the
// faults that the test makes.
func Do(r *http.Request) (*http.Response, error) {
	if OnDynamoDBLocal() {
		return Real{}.RoundTrip(r)
	}
	return tables.open(r).RoundTrip(r)
}

// Real is the transport to real engines, without retries. The SDK closes a request's body when the answer arrives. If
// net/http has not read the body to its end by then, WriteTo fails and closes the connection. Read does not fail, so
// Real hides WriteTo.
type Real struct{}

// RoundTrip implements http.RoundTripper.
func (Real) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r = r.Clone(r.Context())
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// tables are the in-memory tables of the test process.
var tables = databases{byKey: map[string]func() *record.Table{}}

var memory = sync.OnceValue(func() *httptest.Server {
	queues := sqs.New(sqs.Config{})
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.") {
			queues.ServeHTTP(w, r)
			return
		}
		tables.open(r).ServeHTTP(w, r)
	}))
})

// never is a TTLLag that keeps expired items for longer than any test runs. Tests often set their clocks far behind the
// engine's clock, so with a shorter lag the engine would delete items too early.
const never = 100 * 365 * 24 * time.Hour

// databases keeps a separate database per access key, like DynamoDB Local.
type databases struct {
	mu    sync.Mutex
	byKey map[string]func() *record.Table
}

// add registers a database for a test. The first request creates it.
func (d *databases) add(tb testing.TB, key string) {
	tb.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byKey[key] = sync.OnceValue(func() *record.Table {
		return record.NewTable(tb, dynamodb.New(dynamodb.Config{TTLLag: never}))
	})
}

func (d *databases) open(r *http.Request) *record.Table {
	_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	key, _, _ := strings.Cut(scope, "/")
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.byKey[key]()
}
