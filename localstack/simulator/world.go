package simulator

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"maps"
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
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
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

// epoch is the time from the start of a bubble, in 2000, to the start of a world.
var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))

// World is one simulated world.
type World struct {
	Seed         uint64
	RNG          *rand.Rand // for the root goroutine only
	FaultProfile FaultProfile
	FaultsOn     bool // true while calls can fail
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
	Errors   record // errors that the functions logged

	mu            sync.Mutex
	offset        time.Duration // difference between the platform's clocks and the bubble's
	idleProcesses map[string][]*process
	started       map[string]int

	// Fields of the event sources. Only one chain of events runs at any time, so most of these fields need no lock.
	streamARN, shard, iterator      string
	streamMutex                     sync.Mutex    // held while the stream is read, by any goroutine
	filter                          filter.Filter // selects the records of the stream that relay gets
	Changes                         []*Change
	relayed, relayFailures, batches int
	relaying                        bool
	polls, ticks, notices           int
	Consuming                       atomic.Int64 // calls of queue consumers in progress
	LastTick, queueWakes            time.Time

	Replies       []*Reply
	Received      []Delivery
	Answers       []OperatorAnswer
	sequence      int64           // the last logical time (LogicalTime)
	writtenTokens map[string]bool // tokens of transactions that were written
	laterChecks   []func()        // checks that run after the world has ended

	// Settled lists the time that each payment and refund of unknown outcome took.
	Settled []time.Duration

	workload Workload

	// A workload may set these before the world begins:
	Begins        time.Duration             // time from the start of the bubble to the start of the world
	Held          float64                   // probability at each turn that writes wait for other calls
	Jumps         []time.Duration           // the possible sizes of a jump
	IdleDoublings int                       // maximum number of times that idle waits double
	Consumers     []string                  // functions that get a batch from their queue (Consume)
	BetweenBank   func(bank.Bank) bank.Bank // wraps the sandbox's bank for the platform
	Hangs         func(host string) bool    // returns true for receivers that take a callback and never answer
	Objects       objectStore               // nil: nothing calls S3

	liveAcquirer func(*app.App) acquirer.Acquirer // nil: no acquirer charges live cards
	Stripe       *stripetest.StandIn              // nil unless the stand-in charges them (GoLiveAtStripe)
}

type objectStore interface {
	http.RoundTripper
	CheckCall(by *Invocation, r *http.Request) // finds faults of a call by the platform
}

// Run simulates the world of one seed, and returns the world once it is at rest. The world lacks the condition or
// feature that without names (a mutation control). t must not be parallel: the randomness of the whole process follows
// the seed.
func Run(t *testing.T, seed uint64, workload func(*World) Workload, without calls.Mutation) *World {
	t.Helper()
	var w *World
	cryptotest.SetGlobalRandom(t, seed)
	// With one processor, goroutines that could run at the same time always run in the same order.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(*testing.T) {
		w = newWorld(seed, workload, without)
		w.workload.Act()
		w.workload.Check()
	})
	for _, check := range w.laterChecks {
		check()
	}
	return w
}

// Now returns the world's time. The time can jump.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.Begins + w.offset).UTC().Round(0)
}

func newWorld(seed uint64, workload func(*World) Workload, without calls.Mutation) *World {
	w := &World{Seed: seed, RNG: rand.New(rand.NewPCG(seed, 0)), Mutation: without,
		idleProcesses: map[string][]*process{}, urls: map[string]string{}, started: map[string]int{},
		writtenTokens: map[string]bool{}, Begins: epoch, Jumps: Jumps, IdleDoublings: 16,
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

// configure creates the queues and reads the functions' configuration from an environment that names them.
func (w *World) configure() app.Config {
	environment := map[string]string{
		"TABLE": "cashwrap", "AWS_REGION": runner.Region, "DYNAMODB_ENDPOINT": "http://dynamodb.test",
		"SQS_ENDPOINT": "http://sqs.test", "SES_ENDPOINT": "http://ses.test", "MAIL_FROM": "no-reply@cashwrap.example",
		"BASE_URL": "https://cashwrap.test", "PLATFORM_SECRET": base64.StdEncoding.EncodeToString(
			bytes.Repeat([]byte{7}, 32)),
		"S3_ENDPOINT": "http://s3.test", "FILE_BUCKET": runner.Bucket,
		"DUE_SHARDS": "4", "PLATFORM_SECRET_SINCE": "2000-01-01T00:00:00Z", // before any world begins
	}
	if w.Stripe != nil {
		maps.Copy(environment, stripetest.Variables(stripeAddress))
	}
	for _, q := range functions.Queues {
		w.urls[q.Name] = w.createQueue(q)
		environment[q.Variable] = w.urls[q.Name]
	}
	c, err := app.FromEnvironment(func(name string) string { return environment[name] }, app.Secrets...)
	w.Must(err)
	return c
}

// Credentials never expire, so the SDK never asks for new ones.
var Credentials = runner.Engines{AccessKey: "AKIAIOSFODNN7EXAMPLE"}.Credentials()

func (w *World) makeOverrides() app.Overrides {
	o := app.Overrides{
		Now: w.Now, WallNow: w.Now, HTTP: awsClient{w, toTable}, SandboxHTTP: awsClient{w, toSandbox},
		Credentials: Credentials, MaxBackoff: time.Millisecond, Busy: 1,
		Log:           slog.New(slog.NewTextHandler(&w.Errors, &slog.HandlerOptions{Level: slog.LevelError})),
		PasswordCost:  member.CheapCost,
		WrapCallbacks: faults.Instead(receiver{w}),
		LiveAcquirer:  w.liveAcquirer,
		WrapAcquirer:  w.wrapAcquirer,
		WrapBank:      w.wrapBank,
		WrapTerminals: func(t terminal.Terminals) terminal.Terminals { return counterparty.Terminals(net{w, toTerminal}, t) },
	}
	if w.FaultProfile.LowLimits {
		o.Limits = rest.Limits{Credential: LowLimits, Address: LowLimits}
	}
	return o
}

// LowLimits is a rate limit so low that a few requests reach it.
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

// OpenStore opens the platform's store. Its calls bypass the scheduler.
func (w *World) OpenStore() *store.Store {
	return store.Open(store.Config{Table: w.Config.Table, Region: w.Config.Region, Endpoint: w.Config.DynamoDBEndpoint,
		Credentials: Credentials, HTTP: PlainClient(w.table), Now: w.Now, DueShards: w.Config.DueShards})
}

// createQueue creates a queue with its dead-letter queue, and returns its URL.
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

// Workload defines what clients do in a world, and which rules must hold there. Each workload embeds its World, which
// provides the usual Interfere, and a Committing that does nothing.
type Workload interface {
	// Act creates merchants, and lets clients use the platform while calls fail. Then it lets the platform recover.
	Act()
	// Interfere starts events that no client asks for. The world calls it at each step while faults are on.
	Interfere()
	// Committing runs just before the table, a queue or S3 carries out a call. It returns the function committed, which
	// runs once the call has succeeded.
	Committing(by *Invocation, operation string, body []byte) (committed func())
	// Check reports violations at the end with Find.
	Check()
}

// Committing does nothing.
func (*World) Committing(*Invocation, string, []byte) (committed func()) { return func() {} }

// Recover ends the faults and lets the platform finish, with at most quietTicks ticks of the sweep. Each tick comes
// when the next item is due, but at least a minute after the tick before. The later ticks come every 12 hours. Once the
// platform is at rest, Recover calls its argument as a client. Then it lets the platform finish this work, too.
func (w *World) Recover(more func()) {
	w.EndFaults()
	w.Jump(w.FaultProfile.IndexLag)
	done := false
	for n := range quietTicks {
		pause := max(time.Minute, w.NextDue().Sub(w.Now()))
		if n >= quietTicks/2 { // open items can wait days for a payer
			pause = 12 * time.Hour
		}
		w.Jump(pause)
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

// EndFaults ends the faults, and lets everything that has begun finish.
func (w *World) EndFaults() {
	w.FaultsOn = false
	w.Notef("faults", "are over")
	w.Steer(Clients, Sources, Stragglers)
	w.table.SetIndexLag(0)
}

// Drain lets the functions handle the whole stream and all queues.
func (w *World) Drain() {
	for before := -1; before != w.relayed+w.polls; {
		before = w.relayed + w.polls
		w.Relay()
		w.Consume()
		w.Steer(Sources)
	}
}

// quietTicks limits the ticks until the platform is at rest. Retries of callbacks and the expiry of a boleto need a few
// ticks each.
const quietTicks = 24

// CheckLater adds a check of a history that runs after the world has ended. The check has a limit in real time, and a
// bubble has no real time.
func (w *World) CheckLater(about string, history interface{ Check() error }) {
	w.laterChecks = append(w.laterChecks, func() {
		if err := history.Check(); err != nil {
			w.findings = append(w.findings, finding{about, err.Error()})
		}
	})
}

// Must ends the simulation if err is not nil. It is for errors that no fault can cause.
func (w *World) Must(err error) {
	if err != nil {
		w.Panicf("%v", err)
	}
}

// Panicf ends the simulation.
func (w *World) Panicf(format string, args ...any) {
	panic(fmt.Sprintf("sim: seed %d: ", w.Seed) + fmt.Sprintf(format, args...) + "\n" + w.history.String())
}

// Random returns a random number generator that depends on the seed and is separate from the scheduler's.
func (w *World) Random(sequence int) *rand.Rand {
	return rand.New(rand.NewPCG(w.Seed, uint64(sequence)))
}
