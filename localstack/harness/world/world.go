// Package world runs the whole platform in one test. New returns a world. A world has every function over real engines,
// a clock that only the test moves, processes that can be killed at any I/O step, shops, and a receiver for callbacks.
// Each world has a separate table and queues, and checks every message against the contract. When the world ends, it
// searches all stored and logged data for secrets. It also checks the journal, the functions' permissions and the
// filter of the function relay.
package world

import (
	"bytes"
	"crypto/rand"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/record"
	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Start is the time when every world begins.
var Start = clock.Start

// World is one isolated platform.
type World struct {
	testing.TB
	Clock    *clock.Clock // only the test moves the clock
	App      *app.App     // for inspection: its calls never have faults
	Queues   *sqs.Engine
	Mails    *ses.Engine
	Objects  *s3.Engine
	Logs     *Log
	Metrics  *Log     // the functions' metrics
	Permits  *Permits // permissions that the functions needed
	Merchant Merchant // a sandbox merchant in Germany
	Other    Merchant // another sandbox merchant in Germany

	History app.HistoryLimits // of processes that start later

	environment map[string]string
	credentials aws.CredentialsProvider
	table       http.RoundTripper
	secrets     secrets
	refuseMail  atomic.Pointer[func(to string) string]
	refuseFile  atomic.Pointer[func(operation string) bool]
	serial      atomic.Int64                     // makes references and customers unique in the world
	live        func(*app.App) acquirer.Acquirer // nil for no acquirer, like the platform's default
	main        *Process

	relayed   int     // result of Relayed
	relayedTo *string // sequence number of the last record that Relayed has read
}

// Merchant is a provisioned merchant with its bootstrap key.
type Merchant struct {
	Code string `json:"merchant_code"`
	Key  struct {
		ID        string `json:"id"`
		Plaintext string `json:"plaintext"`
	} `json:"api_key"`
}

// Log stores the functions' output. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write stores a line.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the whole output.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// sharedChecker reads the contract once, because that takes a while.
var sharedChecker = sync.OnceValues(checker.New)

// collectRarely lets tests collect garbage at five times the heap in use instead of at twice that heap. This saves a
// quarter of the CPU time. The setting applies below 2 GiB of memory. GOGC and GOMEMLIMIT override it.
var collectRarely = sync.OnceFunc(func() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(2 << 30)
	}
})

// New returns a world with two merchants.
func New(tb testing.TB) *World {
	tb.Helper()
	return NewAt(tb, "http://cashwrap.test")
}

// NewAt returns a world with another base URL. If the URL is https, cookies behave as in a deployment.
func NewAt(tb testing.TB, baseURL string) *World {
	tb.Helper()
	if _, test := tb.(*testing.T); test {
		collectRarely()
	}
	w := &World{TB: tb, Clock: clock.New(), Logs: &Log{}, Metrics: &Log{}, Permits: &Permits{Learning: true}}
	w.Queues = sqs.New(sqs.Config{Now: w.Clock.Now})
	w.Mails = ses.New(ses.Config{Now: w.Clock.Now, Refuse: func(to string) string {
		if refuse := w.refuseMail.Load(); refuse != nil {
			return (*refuse)(to)
		}
		return ""
	}})
	engines := runner.Engines{AccessKey: enginetest.AccessKey(tb), DynamoDB: "http://dynamodb.test",
		SQS: "http://sqs.test", SES: "http://ses.test", S3: "http://s3.test"}
	w.credentials = engines.Credentials()
	w.Objects = newObjects(tb, engines.Keys(), w.Clock.Now)
	w.environment = engines.Environment([]byte(rand.Text()+rand.Text()), Start)
	maps.Copy(w.environment, map[string]string{"BASE_URL": baseURL, "LASTING_SECRET": newSecret(), "STAGE": "test",
		"DUE_SHARDS": "4"})
	w.table = record.NewTable(tb, dynamodb.New(dynamodb.Config{Now: w.Clock.Now}))
	if enginetest.OnDynamoDBLocal() {
		w.environment["DYNAMODB_ENDPOINT"] = enginetest.DynamoDB(tb)
		w.table = enginetest.Real{}
	}
	w.Secret("CVV", CVV)
	w.History.LongPages = store.Bucket{Rate: 1_000_000, Burst: 1_000_000}
	w.main = w.Process()
	w.App = w.AppWith()
	tb.Cleanup(w.findLeaks)
	tb.Cleanup(w.checkFilter)
	tb.Cleanup(w.CheckJournal)
	tb.Cleanup(w.checkPermits)
	w.Merchant = w.Provision(map[string]any{"name": "Kaffeehaus", "email": "kaffee@example.com",
		"country": "DE", "currency": "EUR"})
	w.Other = w.Provision(map[string]any{"name": "Teehaus", "email": "tee@example.com",
		"country": "DE", "currency": "EUR"})
	w.Permits.Learning = false // a test may set it again; checkPermits checks all calls, also the earlier ones
	return w
}

func (w *World) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// AppWith opens the platform for inspection with changed settings. Its calls never have faults.
func (w *World) AppWith(change ...func(*app.Config, *app.Overrides)) *app.App {
	config, err := app.FromEnvironment(func(name string) string { return w.main.Environment()[name] }, app.Secrets...)
	w.must(err)
	overrides := app.Overrides{Now: w.Clock.Now, WallNow: w.Clock.Now, Credentials: w.credentials,
		HTTP: &http.Client{Transport: w.Permits.wrap(w.engines(), true)}, LiveAcquirer: w.live,
		Log: slog.New(slog.NewJSONHandler(w.Logs, nil)), PasswordCost: member.CheapCost,
		WrapCallbacks: refuseHostNames}
	for _, set := range change {
		set(&config, &overrides)
	}
	return app.New(config, overrides)
}

// Main returns the world's long-lived process. Only faults that the test plans affect this process.
func (w *World) Main() *Process { return w.main }

// Process is one set of warm functions that live and die together. The test runs the set's schedules and queues.
type Process struct {
	*runner.Runner
	Steps *faults.Steps
	Meter *Meter // of the platform's calls, not of the acquirer's
	world *World
}

// Process starts another set of functions over the same table and queues.
func (w *World) Process() *Process {
	w.Helper()
	steps, meter := &faults.Steps{}, &Meter{next: w.Permits.wrap(w.engines(), false)}
	engines := &http.Client{Transport: w.engines()}
	log := slog.New(slog.NewJSONHandler(w.Logs, nil))
	unlimited := rest.Limit{Rate: 1_000_000, Burst: 1_000_000}
	running, err := runner.Start(w.Context(), runner.Config{
		SecretUsed: func(function string, s app.Secret) {
			w.Permits.note(function, "Secret "+string(s))
		},
		Environment: w.environment, Manual: true, HTTP: engines, Log: log,
		Overrides: app.Overrides{
			Now: w.Clock.Now, WallNow: w.Clock.Now, Credentials: w.credentials, Log: log, Metrics: w.Metrics,
			PasswordCost: member.CheapCost, WrapCallbacks: refuseHostNames,
			SandboxHTTP:   &http.Client{Transport: w.Permits.wrap(w.engines(), false)},
			HTTP:          &http.Client{Transport: steps.AWS(meter)},
			LiveAcquirer:  w.live,
			WrapAcquirer:  func(a acquirer.Acquirer) acquirer.Acquirer { return counterparty.Acquirer(steps, a) },
			WrapBank:      func(b bank.Bank) bank.Bank { return counterparty.Bank(steps, b) },
			WrapTerminals: func(t terminal.Terminals) terminal.Terminals { return counterparty.Terminals(steps, t) },
			MaxBackoff:    time.Millisecond, Busy: busy,
			Limits:  rest.Limits{Credential: unlimited, Tenant: unlimited, Address: unlimited},
			History: w.History,
		},
	})
	w.must(err)
	w.Cleanup(running.Stop)
	return &Process{Runner: running, Steps: steps, Meter: meter, world: w}
}

// refuseHostNames returns a network that refuses callbacks to host names, so that the platform asks no name server.
func refuseHostNames(next http.RoundTripper) http.RoundTripper {
	return faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
		if _, err := netip.ParseAddr(r.URL.Hostname()); err != nil {
			return nil, &net.DNSError{Err: "no such host", Name: r.URL.Hostname(), IsNotFound: true}
		}
		return next.RoundTrip(r)
	})
}

func (w *World) engines() http.RoundTripper {
	return faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.") {
			return w.Queues.RoundTrip(r)
		}
		if ses.Sends(r) {
			return w.Mails.RoundTrip(r)
		}
		if s3.Calls(r) {
			refuse := w.refuseFile.Load()
			if refuse != nil && functionOf(r) != "" && (*refuse)(s3.Action(r)) {
				return s3.Refusal(r, http.StatusServiceUnavailable, "ServiceUnavailable"), nil
			}
			return w.Objects.RoundTrip(r)
		}
		return w.table.RoundTrip(r)
	})
}

// RefuseMails sets a function that returns SES's error for a mail to an address, such as TooManyRequestsException. ""
// means no error.
func (w *World) RefuseMails(refuse func(to string) string) { w.refuseMail.Store(&refuse) }

// Provision creates a merchant with the given arguments. The merchant is in the sandbox unless the arguments say
// otherwise.
func (w *World) Provision(arguments map[string]any) Merchant {
	w.Helper()
	if _, given := arguments["sandbox"]; !given {
		arguments["sandbox"] = true
	}
	arguments["command"] = "create_merchant"
	var m Merchant
	w.Operate(arguments, &m)
	w.Secret("API key", m.Key.Plaintext)
	return m
}

// Operate runs an operator's command and decodes its answer.
func (w *World) Operate(command map[string]any, answer any) {
	w.Helper()
	if err := client.Invoke(w.main.Invoke).Operate(w.Context(), command, answer); err != nil {
		w.Fatalf("%s: %v", command["command"], err)
	}
}
