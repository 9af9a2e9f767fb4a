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

// Table returns the endpoint of the engine: in memory, or DynamoDB Local by CASHWRAP_ENGINE=dynamodb-local.
func Table(tb testing.TB) string {
	tb.Helper()
	if OnDynamoDBLocal() {
		return DynamoDB(tb)
	}
	return memory().URL
}

// Queues returns the queues beside Table's engine, which all tests share: name yours after something random.
func Queues(tb testing.TB) string {
	tb.Helper()
	if OnDynamoDBLocal() {
		return Fauxqs(tb)
	}
	return memory().URL
}

// OnDynamoDBLocal reports whether the platform's tests run over the real engines.
func OnDynamoDBLocal() bool { return os.Getenv("CASHWRAP_ENGINE") == "dynamodb-local" }

// InMemory skips a test over the real engines: they do not know virtual time, and charge by rules of their own.
func InMemory(t *testing.T) {
	t.Helper()
	if OnDynamoDBLocal() {
		t.Skip("only the engines in memory take part")
	}
	record.Note(t, record.Test{InMemory: true})
}

// Do carries a request for Table's endpoint. It needs no socket in memory, whose faults would add to the test's.
func Do(r *http.Request) (*http.Response, error) {
	if OnDynamoDBLocal() {
		return Real{}.RoundTrip(r)
	}
	return tables.of(r).RoundTrip(r)
}

// Real is the transport to real engines without retries. The SDK closes a request's body at the answer. If net/http has
// not seen its end, WriteTo then fails and closes the connection; Read does not, so Real hides WriteTo.
type Real struct{}

// RoundTrip implements http.RoundTripper.
func (Real) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r = r.Clone(r.Context())
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// tables are those in memory, of the whole test process.
var tables = databases{byKey: map[string]func() *record.Table{}}

var memory = sync.OnceValue(func() *httptest.Server {
	queues := sqs.New(sqs.Config{})
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.") {
			queues.ServeHTTP(w, r)
			return
		}
		tables.of(r).ServeHTTP(w, r)
	}))
})

// never expires anything: tests move clocks of their own, often far behind the engine's.
const never = 100 * 365 * 24 * time.Hour

// databases are apart by access key, as DynamoDB Local's are.
type databases struct {
	mu    sync.Mutex
	byKey map[string]func() *record.Table
}

// add has a test's database made when its first request comes.
func (d *databases) add(tb testing.TB, key string) {
	tb.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byKey[key] = sync.OnceValue(func() *record.Table {
		return record.NewTable(tb, dynamodb.New(dynamodb.Config{TTLLag: never}))
	})
}

func (d *databases) of(r *http.Request) *record.Table {
	_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	key, _, _ := strings.Cut(scope, "/")
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.byKey[key]()
}
