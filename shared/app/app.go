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

// Overrides replaces parts of a function. Tests and the local run set a clock, engines and faults with it. The zero
// value is for production.
type Overrides struct {
	Now           func() time.Time                            // platform time; nil: the system clock plus CLOCK_OFFSET
	WallNow       func() time.Time                            // the clocks of other parties; nil: the system clock
	HTTP          aws.HTTPClient                              // for the AWS SDK; nil: the process's shared transport
	SandboxHTTP   aws.HTTPClient                              // for the sandbox acquirer, as for another system; nil: HTTP
	Credentials   aws.CredentialsProvider                     // nil: the credentials in Lambda's environment
	Log           *slog.Logger                                // nil: standard error, JSON or readable
	Metrics       io.Writer                                   // nil: standard output in a deployed function
	Limits        rest.Limits                                 // zero: the limits of contract §2.9
	History       HistoryLimits                               // zero: contract §2.6 and §2.9
	MaxAttempts   int                                         // of one AWS call; 0: the SDK's default
	MaxBackoff    time.Duration                               // between attempts; 0: the SDK's default
	Busy          int                                         // see store.Config
	LiveAcquirer  func(*App) acquirer.Acquirer                // live mode's acquirer; nil: that of the configuration
	WrapAcquirer  func(acquirer.Acquirer) acquirer.Acquirer   // adds network faults to an acquirer
	WrapBank      func(bank.Bank) bank.Bank                   // adds network faults to a bank
	WrapTerminals func(terminal.Terminals) terminal.Terminals // adds faults, or terminals to the virtual ones
	ResolveTarget webhook.Policy                              // added to the callback policy, to reach a test's listener
	PasswordCost  member.Cost                                 // see store.Config; refused in a deployed function
	SecretUsed    func(Secret)                                // called when a key is derived from the secret
	WrapCallbacks func(http.RoundTripper) http.RoundTripper   // adds faults to receivers of callbacks, or replaces them
	tracing       *tracing                                    // of the App that At copies; nil: New creates it
}

// App holds the parts that one function runs with. It is safe for concurrent use.
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
	// Now returns platform time, which decides when anything happens or expires. Functions do not take the time from their
	// events. The exception is run_payouts in test mode (At).
	Now func() time.Time
	// WallNow returns the time on other parties' clocks. It is used only for values that other parties compare with their
	// clocks: timestamps of callbacks, expiries of presigned URLs, and codes of a second factor (ARCHITECTURE.md, "Time").
	// The AWS SDK signs its calls by the system's clock.
	WallNow func() time.Time

	overrides Overrides
	transport *transport // of the AWS clients; nil if Overrides.HTTP is of another type
	tracing   *tracing
	entered   atomic.Bool // see enter
}

// New builds the App. It makes no call. It panics if a deployed function overrides the password cost.
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
		o.HTTP = processTransport()
	}
	connects, _ := o.HTTP.(*transport)
	if o.tracing == nil {
		o.tracing = newTracing(c, o.Log)
		o.HTTP = o.tracing.wrapClient(o.HTTP)
	}
	a := &App{Config: c, Log: slog.New(eventLog{o.Log.Handler()}), overrides: o, transport: connects, tracing: o.tracing,
		Now: inUTC(o.Now), WallNow: inUTC(o.WallNow)}
	a.Metrics = metric.Log{Out: o.Metrics, Stage: c.Stage, Failures: a.Log}
	if o.Metrics == nil && c.Deployed {
		a.Metrics.Out = os.Stdout
	}
	a.Store = a.newStore(o.HTTP)
	a.openAcquirers()
	a.openTerminals()
	a.Processing = processing.New(processing.Config{
		Store: a.Store, Acquirers: a.Acquirers, Terminals: a.Terminals, BaseURL: c.BaseURL, Refunds: c.Refunds,
		Log: a.Log, Metrics: a.Metrics, SessionKey: a.sessionKeyAt, TokenKey: a.lastingKey(forCards),
		AcquirerHosts: c.AcquirerHosts,
	})
	return a
}

func inUTC(now func() time.Time) func() time.Time { return func() time.Time { return now().UTC() } }

func (a *App) newStore(client aws.HTTPClient) *store.Store {
	return store.Open(a.storeConfig(a.DynamoDBEndpoint, client))
}

// AWS returns the configuration for a client of another AWS service. It has the same settings as the store's client.
func (a *App) AWS(endpoint string) aws.Config { return a.storeConfig(endpoint, a.overrides.HTTP).AWS() }

func (a *App) storeConfig(endpoint string, client aws.HTTPClient) store.Config {
	return store.Config{
		Table: a.Table, Region: a.Region, Endpoint: endpoint, Credentials: a.overrides.Credentials,
		HTTP: client, Now: a.overrides.Now, MaxAttempts: a.overrides.MaxAttempts, MaxBackoff: a.overrides.MaxBackoff,
		DueShards: a.DueShards, Busy: a.overrides.Busy, PasswordCost: a.overrides.PasswordCost,
	}
}

// openAcquirers gives test mode the sandbox, and live mode the acquirer that LIVE_ACQUIRER names. Without one, live
// payments answer 424 (contract §12).
func (a *App) openAcquirers() {
	db, table := a.CounterpartyTable()
	a.Sandbox = sandbox.New(sandbox.Config{
		DB: db, Table: table, Secret: a.lastingKey(forSandbox), BaseURL: a.BaseURL, Now: a.Now,
	})
	a.Acquirers = map[identity.Mode]acquirer.Acquirer{identity.Test: a.Sandbox, identity.Live: a.openLive()}
	if a.overrides.WrapAcquirer != nil {
		a.Acquirers[identity.Test] = a.overrides.WrapAcquirer(a.Acquirers[identity.Test])
	}
	for mode, one := range a.Acquirers {
		a.Acquirers[mode] = a.tracing.wrapAcquirer(one)
	}
}

// openTerminals gives test mode the virtual terminals. Live mode has no terminals until a deployment brings them. Until
// then no code pairs a terminal in live mode (contract §12).
func (a *App) openTerminals() {
	db, table := a.CounterpartyTable()
	a.Virtual = virtual.New(virtual.Config{DB: db, Table: table, Acquirer: a.Acquirers[identity.Test], Now: a.Now})
	a.Terminals = map[identity.Mode]terminal.Terminals{identity.Test: a.Virtual, identity.Live: terminal.None{}}
	if a.overrides.WrapTerminals != nil {
		a.Terminals[identity.Test] = a.overrides.WrapTerminals(a.Virtual)
	}
}

// HistoryLimits bounds the reading of the history for filters that rarely match, and for changes_since.
type HistoryLimits struct {
	Changes   int          // changed items that the index of changes finds for one page
	Units     int          // read units of one page without items
	LongPages store.Bucket // pages of a merchant in one mode that read more than others
}

// HistoryLimits returns the limits in Overrides. The zero value of each means the default.
func (a *App) HistoryLimits() HistoryLimits { return a.overrides.History }

// CounterpartyTable returns the table for the sandbox acquirer, the sandbox bank and the virtual terminals.
func (a *App) CounterpartyTable() (*dynamo.DB, dynamo.Table) {
	if a.overrides.SandboxHTTP != nil {
		return a.newStore(a.overrides.SandboxHTTP).Raw()
	}
	return a.Store.Raw()
}

// Bank returns b, wrapped by WrapBank if that is set.
func (a *App) Bank(b bank.Bank) bank.Bank {
	if a.overrides.WrapBank == nil {
		return b
	}
	return a.overrides.WrapBank(b)
}

// At returns a copy of the App whose platform time is always now, for commands that simulate a time.
func (a *App) At(now time.Time) *App {
	overrides := a.overrides
	overrides.Now = func() time.Time { return now }
	return New(a.Config, overrides)
}

// CallbackPolicy returns the policy that decides where callbacks may go.
func (a *App) CallbackPolicy() webhook.Policy {
	policy := a.overrides.ResolveTarget
	policy.AllowLoopback = policy.AllowLoopback || a.AllowLoopbackCallbacks
	return policy
}

// CallbackSender returns a sender that posts signed callbacks where the policy allows it. An App should call it once,
// because each sender counts its own limit per host.
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

// Handler returns the HTTP handler of a family's routes.
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

// lambdaCredentials returns the credentials that Lambda puts into the environment. The SDK's default chain also looks
// in other places, which takes seconds if they have no credentials.
func lambdaCredentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken:    os.Getenv("AWS_SESSION_TOKEN"), Source: "environment"}, nil
	})
}

// newLog returns a log that writes JSON for CloudWatch, or text for a terminal. Every line has the commit, because old
// and new code run side by side during a deployment.
func newLog(out io.Writer, readable bool, commit string) *slog.Logger {
	var lines slog.Handler = slog.NewJSONHandler(out, nil)
	if readable {
		lines = slog.NewTextHandler(out, nil)
	}
	return slog.New(lines).With("commit", commit)
}
