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

// Table returns the endpoint of the engine that tests of the platform use: the one in memory, or DynamoDB Local with
// CASHWRAP_ENGINE=dynamodb-local. Either keeps a database for each AccessKey.
func Table(tb testing.TB) string {
	tb.Helper()
	if OnDynamoDBLocal() {
		return DynamoDB(tb)
	}
	return memory().URL
}

// Queues returns the endpoint of the queues beside Table's engine: those in memory, or fauxqs. All tests share them:
// name yours after something random.
func Queues(tb testing.TB) string {
	tb.Helper()
	if OnDynamoDBLocal() {
		return Fauxqs(tb)
	}
	return memory().URL
}

// OnDynamoDBLocal reports whether the platform's tests run over the real engines.
func OnDynamoDBLocal() bool { return os.Getenv("CASHWRAP_ENGINE") == "dynamodb-local" }

// InMemory skips a test over the real engines that runs in virtual time, which their sockets do not know.
func InMemory(t *testing.T) {
	t.Helper()
	if OnDynamoDBLocal() {
		t.Skip("in virtual time only the engines in memory take part")
	}
	record.Note(t, record.Test{InMemory: true})
}

// Do carries a request that is meant for Table's endpoint, for tests that put faults before it: to the engine in memory
// without a socket, whose own faults on a busy machine would add to the test's.
func Do(r *http.Request) (*http.Response, error) {
	if OnDynamoDBLocal() {
		return Real{}.RoundTrip(r)
	}
	return tables.of(r).RoundTrip(r)
}

// Real is the transport to the real engines under an AWS SDK whose calls are not tried again. The SDK closes a
// request's body as soon as it has the answer. If net/http has not seen the body's end by then, the body's WriteTo
// fails, and net/http closes the connection while the answer is read. Read does not fail then: so Real hides WriteTo.
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

// memory is started once for the whole test process.
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
