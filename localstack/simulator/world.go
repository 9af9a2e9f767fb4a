package simulator

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/gateway"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// epoch is when every world begins; a bubble begins in 2000.
var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))

// World is one simulated world.
type World struct {
	Seed         uint64
	RNG          *rand.Rand // the root goroutine's alone
	FaultProfile FaultProfile
	FaultsOn     bool // faults happen
	calls.Mutation

	Config    app.Config
	overrides app.Overrides
	routes    gateway.Routes
	table     *dynamodb.Engine
	urls      map[string]string // of queues, by name
	queues    *sqs.Engine
	Mails     *ses.Engine

	sched    scheduler
	history  record
	findings []finding
	Errors   record // logged by the functions

	mu            sync.Mutex
	offset        time.Duration // of all clocks, from the bubble's
	idleProcesses map[string][]*process
	started       map[string]int

	// Of the event sources. Only the one chain that runs touches them.
	streamARN, shard, iterator      string
	reading                         sync.Mutex    // of the stream: one at a time, whatever goroutine it is
	filter                          filter.Filter // of what relay gets of the stream
	Changes                         []*Change
	relayed, relayFailures, batches int
	relaying                        bool
	polls, ticks                    int
	Consuming                       atomic.Int64 // calls of queues' consumers under way
	LastTick, queueWakes            time.Time

	Replies  []*Reply
	Received []Delivery
	Answers  []OperatorAnswer
	sequence int64           // the last logical time (LogicalTime)
	done     map[string]bool // tokens of transactions that were done
	later    []func()        // checks when the world has ended

	// Settled has the time that each payment and refund of unknown outcome took.
	Settled []time.Duration

	workload Workload

	// What the workload may choose before the world begins:
	Begins        time.Duration             // when the world begins, after a bubble does
	Held          float64                   // how often a write waits for other calls
	LiveCards     bool                      // the acquirer charges live cards, so that the minimum balance is reached
	Jumps         []time.Duration           // how far clocks jump
	IdleDoublings int                       // after which waits for time get no longer
	Consumers     []string                  // functions whose queues deliver
	BetweenBank   func(bank.Bank) bank.Bank // comes between the platform and the sandbox's bank
	Hangs         func(host string) bool    // reports whether a receiver takes a callback and never answers
	Objects       objectStore               // nil: nothing calls S3
}

type objectStore interface {
	http.RoundTripper
	CheckCall(by *Invocation, r *http.Request) // finds what is wrong with a call of the platform
}

// Run simulates one seed's world, in which something may be missing, and returns it when all is quiet. t must not be
// parallel: the randomness of the whole process follows the seed.
func Run(t *testing.T, seed uint64, workload func(*World) Workload, without calls.Mutation) *World {
	t.Helper()
	var w *World
	cryptotest.SetGlobalRandom(t, seed)
	// Goroutines that could run at the same time always do so in the same order.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(*testing.T) {
		w = newWorld(seed, workload, without)
		w.workload.Act()
		w.workload.Check()
	})
	for _, check := range w.later {
		check()
	}
	return w
}

// Now returns the world's time, which jumps.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.Begins + w.offset).UTC().Round(0)
}

func newWorld(seed uint64, workload func(*World) Workload, without calls.Mutation) *World {
	w := &World{Seed: seed, RNG: rand.New(rand.NewPCG(seed, 0)), Mutation: without,
		idleProcesses: map[string][]*process{}, urls: map[string]string{}, started: map[string]int{},
		done: map[string]bool{}, Begins: epoch, Jumps: Jumps, IdleDoublings: 16,
		Consumers:   []string{"callbacks", "polls", "mails"},
		BetweenBank: func(b bank.Bank) bank.Bank { return b }, Hangs: func(string) bool { return false }}
	w.sched.active = map[string]int{}
	w.FaultProfile = newFaultProfile(w.RNG)
	w.workload = workload(w)
	w.table = dynamodb.New(dynamodb.Config{Now: w.Now, IndexLag: w.FaultProfile.IndexLag, TTLLag: w.FaultProfile.ttlLag})
	w.queues = sqs.New(w.queueConfig())
	w.Mails = ses.New(ses.Config{Now: w.Now})
	w.Config = w.configure()
	w.overrides = w.makeOverrides()
	routes, err := gateway.NewRoutes(functions.All, app.New(w.Config, w.overrides))
	w.Must(err)
	w.routes = routes
	w.Must(w.OpenStore().CreateTable(context.Background()))
	w.openStream()
	w.LastTick = w.Now()
	return w
}

// configure reads the functions' configuration from their environment, with the queues that it makes.
func (w *World) configure() app.Config {
	environment := map[string]string{
		"TABLE": "cashwrap", "AWS_REGION": runner.Region, "DYNAMODB_ENDPOINT": "http://dynamodb.test",
		"SQS_ENDPOINT": "http://sqs.test", "SES_ENDPOINT": "http://ses.test", "MAIL_FROM": "no-reply@cashwrap.example",
		"BASE_URL": "https://cashwrap.test", "PLATFORM_SECRET": base64.StdEncoding.EncodeToString(
			bytes.Repeat([]byte{7}, 32)),
		"S3_ENDPOINT": "http://s3.test", "FILE_BUCKET": runner.Bucket,
		"DUE_SHARDS": "4", "PLATFORM_SECRET_SINCE": "2000-01-01T00:00:00Z", // before any world begins
	}
	for _, q := range functions.Queues {
		w.urls[q.Name] = w.createQueue(q)
		environment[q.Variable] = w.urls[q.Name]
	}
	c, err := app.FromEnvironment(func(name string) string { return environment[name] }, app.Secrets...)
	w.Must(err)
	return c
}

// Credentials never expire, so nothing asks for others.
var Credentials = runner.Engines{AccessKey: "AKIAIOSFODNN7EXAMPLE"}.Credentials()

func (w *World) makeOverrides() app.Overrides {
	o := app.Overrides{
		Now: w.Now, WallNow: w.Now, HTTP: awsClient{w, toTable}, SandboxHTTP: awsClient{w, toSandbox},
		Credentials: Credentials, MaxBackoff: time.Millisecond, Busy: 1,
		Log:           slog.New(slog.NewTextHandler(&w.Errors, &slog.HandlerOptions{Level: slog.LevelError})),
		PasswordCost:  member.CheapCost,
		WrapCallbacks: faults.Instead(receiver{w}),
		WrapAcquirer:  func(a acquirer.Acquirer) acquirer.Acquirer { return counterparty.Acquirer(far{w, toAcquirer}, a) },
		WrapBank:      w.wrapBank,
		WrapTerminals: func(t terminal.Terminals) terminal.Terminals { return counterparty.Terminals(far{w, toTerminal}, t) },
	}
	if w.FaultProfile.LowLimits {
		o.Limits = rest.Limits{Credential: LowLimits, Address: LowLimits}
	}
	return o
}

// LowLimits is a limit that a few requests reach.
var LowLimits = rest.Limit{Rate: 2, Burst: 6}

func (w *World) queueConfig() sqs.Config {
	c := sqs.Config{Now: w.Now}
	if w.FaultProfile.Duplicates {
		again := func(string) bool { return w.FaultsOn && w.RNG.IntN(4) == 0 }
		c.Duplicate, c.Redeliver = again, again
		c.Pick = func(n int) int { return w.RNG.IntN(n) }
	}
	return c
}

// OpenStore opens the platform's store past the scheduler.
func (w *World) OpenStore() *store.Store {
	return store.Open(store.Config{Table: w.Config.Table, Region: w.Config.Region, Endpoint: w.Config.DynamoDBEndpoint,
		Credentials: Credentials, HTTP: PlainClient(w.table), Now: w.Now, DueShards: w.Config.DueShards})
}

// createQueue makes a queue with its dead-letter queue, and answers its URL.
func (w *World) createQueue(q functions.Queue) string {
	var out struct{ QueueUrl string }
	create := func(name string, attributes map[string]string) string {
		w.AWS(w.queues, queues+"CreateQueue", map[string]any{"QueueName": name, "Attributes": attributes}, &out)
		return out.QueueUrl
	}
	create(q.DeadName(), nil)
	arn := "arn:aws:sqs:us-east-1:000000000000:" + q.DeadName()
	return create(q.Name, map[string]string{
		"VisibilityTimeout": fmt.Sprint(int(q.Visibility.Seconds())),
		"RedrivePolicy":     fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":"%d"}`, arn, q.MaxReceives),
	})
}

// Workload is what clients do in a world, and what must hold there. Each workload embeds its World, which has the usual
// Interfere, and a Committing that does nothing.
type Workload interface {
	// Act makes merchants, has clients use the platform while calls fail, and lets the platform recover.
	Act()
	// Interfere lets happen what no client asks for. The world calls it at each step with faults.
	Interfere()
	// Committing is called just before the table, a queue or S3 does a call, and committed once the call is done.
	Committing(by *Invocation, operation string, body []byte) (committed func())
	// Check finds what must not be in the end.
	Check()
}

// Committing does nothing.
func (*World) Committing(*Invocation, string, []byte) (committed func()) { return func() {} }

// Recover ends the faults and lets the platform finish: at most quietTicks ticks of the sweep, each when something is
// due, or a minute later. Once at rest, a client does what is given, and the platform finishes that.
func (w *World) Recover(more func()) {
	w.EndFaults()
	w.jump(w.FaultProfile.IndexLag)
	done := false
	for n := range quietTicks {
		pause := max(time.Minute, w.NextDue().Sub(w.Now()))
		if n >= quietTicks/2 { // what is still open waits for a payer, for days
			pause = 12 * time.Hour
		}
		w.jump(pause)
		if w.RNG.IntN(2) == 0 { // the fast paths are faster than the sweep
			w.Drain()
		}
		w.Tick()
		w.Steer(Sources)
		w.Drain()
		if !w.NextDue().IsZero() || !w.Empty(functions.Callbacks) || !w.Empty(functions.Files) {
			continue
		}
		if done {
			return
		}
		done = true
		w.Go(Clients, more)
		w.Steer(Clients)
	}
	w.Find("", "not at rest after %d quiet ticks", quietTicks)
}

// EndFaults ends the faults, and lets finish what has begun.
func (w *World) EndFaults() {
	w.FaultsOn = false
	w.Notef("faults", "are over")
	w.Steer(Clients, Sources, Stragglers)
	w.table.SetIndexLag(0)
}

// Drain has the functions handle the whole stream and all queues.
func (w *World) Drain() {
	for before := -1; before != w.relayed+w.polls; {
		before = w.relayed + w.polls
		w.Relay()
		w.Consume()
		w.Steer(Sources)
	}
}

// quietTicks bounds how long the platform may take to rest: a callback's retries and a boleto's expiry need a few each.
const quietTicks = 24

// CheckLater checks a history when the world has ended: the search is bounded by real time, which a bubble has not.
func (w *World) CheckLater(about string, history interface{ Check() error }) {
	w.later = append(w.later, func() {
		if err := history.Check(); err != nil {
			w.findings = append(w.findings, finding{about, err.Error()})
		}
	})
}

// Must ends the simulation at an error that no fault explains.
func (w *World) Must(err error) {
	if err != nil {
		w.Panicf("%v", err)
	}
}

// Panicf ends the simulation.
func (w *World) Panicf(format string, args ...any) {
	panic(fmt.Sprintf("sim: seed %d: ", w.Seed) + fmt.Sprintf(format, args...) + "\n" + w.history.String())
}

// Random returns random numbers of the seed, apart from the scheduler's.
func (w *World) Random(sequence int) *rand.Rand {
	return rand.New(rand.NewPCG(w.Seed, uint64(sequence)))
}
