package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
	"github.com/cashwrap/cashwrap/shared/terminal/virtual"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Overrides replace what a deployed function uses. The zero value is
// production; tests and the local run set a clock, engines and faults.
type Overrides struct {
	Now           func() time.Time                            // the platform's time; nil: the system's, and CLOCK_OFFSET
	WallNow       func() time.Time                            // what others' clocks show; nil: the system's
	HTTP          aws.HTTPClient                              // under the AWS SDK; nil: one for the whole process
	SandboxHTTP   aws.HTTPClient                              // the sandbox acquirer's, as of another system; nil: HTTP
	Credentials   aws.CredentialsProvider                     // nil: the Lambda environment's
	Log           *slog.Logger                                // nil: standard error, JSON or readable
	Metrics       io.Writer                                   // nil: standard output of a deployed function
	Limits        rest.Limits                                 // zero: contract §2.9
	MaxAttempts   int                                         // of one AWS call; 0: the SDK's default
	MaxBackoff    time.Duration                               // between them; 0: the SDK's default
	Busy          int                                         // of store.Config
	LiveAcquirer  func(*App) acquirer.Acquirer                // of live mode; nil: none yet (contract §12)
	WrapAcquirer  func(acquirer.Acquirer) acquirer.Acquirer   // puts a network's faults before an acquirer
	WrapBank      func(bank.Bank) bank.Bank                   // and before a bank
	WrapTerminals func(terminal.Terminals) terminal.Terminals // and before terminals, or adds to the virtual ones
	ResolveTarget webhook.Policy                              // added to the callback policy, e.g. a test's listener
	PasswordCost  member.Cost                                 // of store.Config; refused in a deployed function
	SecretUsed    func(Secret)                                // is called when a key is derived from it
	WrapCallbacks func(http.RoundTripper) http.RoundTripper   // and before receivers of callbacks, or in their place
	tracing       *tracing                                    // of another App; nil: its own
}

// App is what one function runs with. It is safe for concurrent use.
type App struct {
	Config
	Store      *store.Store
	Sandbox    *sandbox.Acquirer
	Acquirers  map[identity.Mode]acquirer.Acquirer
	Virtual    *virtual.Terminals
	Terminals  map[identity.Mode]terminal.Terminals
	Processing *processing.Processor
	Log        *slog.Logger
	Metrics    metric.Log
	// Now is the platform's time, by which everything happens and expires.
	Now func() time.Time
	// WallNow is the time that other parties' clocks show. Only what they compare with it is made by it: signatures
	// (ARCHITECTURE.md, "Time").
	WallNow func() time.Time

	overrides Overrides
	connects  *transport // under the AWS clients, unless they have another
	tracing   *tracing
	entered   atomic.Bool // see enter
}

// New builds the App and makes no call. It panics if a deployed function has another password cost than the default.
func New(c Config, o Overrides) *App {
	if c.Deployed && o.PasswordCost != (member.Cost{}) {
		panic("app: a deployed function hashes passwords at the default cost alone")
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Now().Add(c.ClockOffset) }
	}
	if o.WallNow == nil {
		o.WallNow = time.Now
	}
	if o.Credentials == nil {
		o.Credentials = lambdaCredentials()
	}
	if o.Log == nil {
		o.Log = newLog(os.Stderr, c.ReadableLog, c.Commit)
	}
	if o.HTTP == nil {
		o.HTTP = ofProcess()
	}
	connects, _ := o.HTTP.(*transport)
	if o.tracing == nil {
		o.tracing = newTracing(c, o.Log)
		o.HTTP = o.tracing.calls(o.HTTP)
	}
	a := &App{Config: c, Log: slog.New(eventLog{o.Log.Handler()}), overrides: o, connects: connects, tracing: o.tracing,
		Now: inUTC(o.Now), WallNow: inUTC(o.WallNow)}
	a.Metrics = metric.Log{Out: o.Metrics, Stage: c.Stage, Failures: a.Log}
	if o.Metrics == nil && c.Deployed {
		a.Metrics.Out = os.Stdout
	}
	a.Store = a.open(o.HTTP)
	a.openAcquirers()
	a.openTerminals()
	a.Processing = processing.New(processing.Config{
		Store: a.Store, Acquirers: a.Acquirers, Terminals: a.Terminals, BaseURL: c.BaseURL, Refunds: c.Refunds,
		Log: a.Log, Metrics: a.Metrics, SessionKey: a.sessionKeyAt, TokenKey: a.lastingKey(forCards),
	})
	return a
}

func inUTC(now func() time.Time) func() time.Time { return func() time.Time { return now().UTC() } }

// open returns the table over the given client.
func (a *App) open(client aws.HTTPClient) *store.Store {
	return store.Open(a.reach(a.DynamoDBEndpoint, client))
}

// AWS configures a client of another AWS service, like the store's.
func (a *App) AWS(endpoint string) aws.Config { return a.reach(endpoint, a.overrides.HTTP).AWS() }

func (a *App) reach(endpoint string, client aws.HTTPClient) store.Config {
	return store.Config{
		Table: a.Table, Region: a.Region, Endpoint: endpoint, Credentials: a.overrides.Credentials,
		HTTP: client, Now: a.overrides.Now, MaxAttempts: a.overrides.MaxAttempts, MaxBackoff: a.overrides.MaxBackoff,
		DueShards: a.DueShards, Busy: a.overrides.Busy, PasswordCost: a.overrides.PasswordCost,
	}
}

// openAcquirers gives test mode the sandbox. Live mode has none until a
// deployment brings one: live payments answer 424 (contract §12).
func (a *App) openAcquirers() {
	db, table := a.CounterpartyTable()
	a.Sandbox = sandbox.New(sandbox.Config{
		DB: db, Table: table, Secret: a.lastingKey(forSandbox), BaseURL: a.BaseURL, Now: a.Now,
	})
	a.Acquirers = map[identity.Mode]acquirer.Acquirer{identity.Test: a.Sandbox, identity.Live: acquirer.None{}}
	if a.overrides.LiveAcquirer != nil {
		a.Acquirers[identity.Live] = a.overrides.LiveAcquirer(a)
	}
	if a.overrides.WrapAcquirer != nil {
		a.Acquirers[identity.Test] = a.overrides.WrapAcquirer(a.Acquirers[identity.Test])
	}
	for mode, one := range a.Acquirers {
		a.Acquirers[mode] = a.tracing.acquirer(one)
	}
}

// openTerminals gives test mode the virtual terminals. Live mode has none until a deployment brings
// them: no code pairs one (contract §12).
func (a *App) openTerminals() {
	db, table := a.CounterpartyTable()
	a.Virtual = virtual.New(virtual.Config{DB: db, Table: table, Acquirer: a.Acquirers[identity.Test], Now: a.Now})
	a.Terminals = map[identity.Mode]terminal.Terminals{identity.Test: a.Virtual, identity.Live: terminal.None{}}
	if a.overrides.WrapTerminals != nil {
		a.Terminals[identity.Test] = a.overrides.WrapTerminals(a.Virtual)
	}
}

// CounterpartyTable is the table as the sandbox acquirer and bank and the virtual terminals reach it.
func (a *App) CounterpartyTable() (*dynamo.DB, dynamo.Table) {
	if a.overrides.SandboxHTTP != nil {
		return a.open(a.overrides.SandboxHTTP).Raw()
	}
	return a.Store.Raw()
}

// Bank is the bank behind WrapBank, where that is set.
func (a *App) Bank(b bank.Bank) bank.Bank {
	if a.overrides.WrapBank == nil {
		return b
	}
	return a.overrides.WrapBank(b)
}

// At is the same App at another time, for commands that simulate one.
func (a *App) At(now time.Time) *App {
	overrides := a.overrides
	overrides.Now = func() time.Time { return now }
	return New(a.Config, overrides)
}

// CallbackPolicy decides where callbacks may go.
func (a *App) CallbackPolicy() webhook.Policy {
	policy := a.overrides.ResolveTarget
	policy.AllowLoopback = policy.AllowLoopback || a.AllowLoopbackCallbacks
	return policy
}

// CallbackSender posts signed callbacks where the policy allows it. The App has only one, for its limit per host.
func (a *App) CallbackSender() (*webhook.Sender, error) {
	published, err := a.SigningKeys()
	if err != nil {
		return nil, err
	}
	var keys []webhook.SigningKey
	for _, key := range published {
		keys = append(keys, key.SigningKey)
	}
	if a.overrides.WrapCallbacks != nil {
		return webhook.NewSenderOver(a.overrides.WrapCallbacks, a.CallbackPolicy(), keys...).
			WithTimedSignatures(a.SignatureHeader), nil
	}
	return webhook.NewSender(a.CallbackPolicy(), keys...).WithTimedSignatures(a.SignatureHeader), nil
}

// Handler serves a family's routes.
func (a *App) Handler(routes []rest.Route) http.Handler {
	c := rest.Config{
		Routes: routes, Store: a.Store, Now: a.Now, Log: a.Log, BaseURL: a.BaseURL,
		HashKeySince: a.SecretSince, AllowHTTP: a.AllowHTTP, Limits: a.overrides.Limits,
		Proxies: a.Proxies,
	}
	if slices.ContainsFunc(routes, rest.Route.Repeatable) {
		c.HashKey, c.OldHashKey = a.platformKey(forRequests)
	}
	return rest.New(c)
}

// lambdaCredentials are those Lambda puts into the environment. Looking for
// others, as the SDK's default chain does, takes seconds where there are none.
func lambdaCredentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken:    os.Getenv("AWS_SESSION_TOKEN"), Source: "environment"}, nil
	})
}

// newLog writes JSON for CloudWatch, or lines for a terminal. Every line has the commit,
// because during a deployment old and new code run side by side.
func newLog(out io.Writer, readable bool, commit string) *slog.Logger {
	var lines slog.Handler = slog.NewJSONHandler(out, nil)
	if readable {
		lines = slog.NewTextHandler(out, nil)
	}
	return slog.New(lines).With("commit", commit)
}
