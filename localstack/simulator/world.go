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
	seed         uint64
	rng          *rand.Rand // the root goroutine's alone
	faultProfile faultProfile
	faultsOn     bool // faults happen
	mutation

	config    app.Config
	overrides app.Overrides
	routes    gateway.Routes
	table     *dynamodb.Engine
	urls      map[string]string // of queues, by name
	queues    *sqs.Engine
	mails     *ses.Engine

	sched    scheduler
	history  history
	findings findings
	errors   errorLog

	mu            sync.Mutex
	offset        time.Duration // of all clocks, from the bubble's
	idleProcesses map[string][]*process
	started       map[string]int

	// Of the event sources. Only the one chain that runs touches them.
	streamARN, shard, iterator      string
	reading                         sync.Mutex    // of the stream: one at a time, whatever goroutine it is
	filter                          filter.Filter // of what relay gets of the stream
	changes                         []*change
	relayed, relayFailures, batches int
	relaying                        bool
	polls, ticks                    int
	consuming                       atomic.Int64 // calls of queues' consumers under way
	lastTick, queueWakes            time.Time

	replies  []*reply
	received []delivery
	answers  []operatorAnswer
	sequence int64           // the last logical time (logicalTime)
	done     map[string]bool // tokens of transactions that were done
	views    []linearView

	// Settled is how long each payment and refund of unknown outcome took.
	Settled []time.Duration

	workload workload

	// What the workload may choose before the world begins:
	begins        time.Duration             // when the world begins, after a bubble does
	held          float64                   // how often a write waits for other calls
	liveCards     bool                      // the acquirer charges live cards, so that the minimum balance is reached
	jumps         []time.Duration           // how far clocks jump
	idleDoublings int                       // after which waits for time get no longer
	consumers     []string                  // functions whose queues deliver
	betweenBank   func(bank.Bank) bank.Bank // comes between the platform and the sandbox's bank
	hangs         func(host string) bool    // reports whether a receiver takes a callback and never answers
	objects       objectStore               // nil: nothing calls S3
}

// linearView is what clients saw, or what became of it.
type linearView struct {
	about   string // checkout
	history interface{ Check() error }
}

// objectStore is S3 to the platform.
type objectStore interface {
	http.RoundTripper
	CheckCall(by *invocation, r *http.Request) // finds what is wrong with a call of the platform
}

// Run simulates one seed's world and returns it when all is quiet. t must not be
// parallel: the randomness of the whole process follows the seed.
func Run(t *testing.T, seed uint64, o Options) *World {
	t.Helper()
	var w *World
	cryptotest.SetGlobalRandom(t, seed)
	// Goroutines that could run at the same time always do so in the same order.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(*testing.T) {
		w = newWorld(seed, o)
		w.workload.Act()
		w.workload.Check()
	})
	for _, v := range w.views {
		if err := v.history.Check(); err != nil {
			w.findings.add(finding{v.about, err.Error()})
		}
	}
	return w
}

// now is the world's time, which jumps.
func (w *World) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.begins + w.offset).UTC().Round(0)
}

func newWorld(seed uint64, o Options) *World {
	w := &World{seed: seed, rng: rand.New(rand.NewPCG(seed, 0)), mutation: mutation{Options: o},
		idleProcesses: map[string][]*process{}, urls: map[string]string{}, started: map[string]int{}, done: map[string]bool{}, begins: epoch,
		jumps: jumps, idleDoublings: 16, consumers: []string{"callbacks", "polls", "mails"},
		betweenBank: func(b bank.Bank) bank.Bank { return b }, hangs: func(string) bool { return false }}
	w.sched.active = map[string]int{}
	w.faultProfile = newFaultProfile(w.rng)
	w.workload = o.Workload(w)
	w.table = dynamodb.New(dynamodb.Config{Now: w.now, IndexLag: w.faultProfile.indexLag, TTLLag: w.faultProfile.ttlLag})
	w.queues = sqs.New(w.queueConfig())
	w.mails = ses.New(ses.Config{Now: w.now})
	w.config = w.configure()
	w.overrides = w.makeOverrides()
	w.routes = w.makeRoutes()
	w.must(w.openStore().CreateTable(context.Background()))
	w.openStream()
	w.lastTick = w.now()
	return w
}

// makeRoutes are those of the HTTP API.
func (w *World) makeRoutes() gateway.Routes {
	routes, err := gateway.NewRoutes(functions.All, app.New(w.config, w.overrides))
	w.must(err)
	return routes
}

// configure reads the functions' configuration from their environment, with the
// queues that it makes.
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
	w.must(err)
	return c
}

// credentials never expire, so nothing asks for others.
var credentials = runner.Engines{AccessKey: "AKIAIOSFODNN7EXAMPLE"}.Credentials()

func (w *World) makeOverrides() app.Overrides {
	o := app.Overrides{
		Now: w.now, WallNow: w.now, HTTP: awsClient{w, toTable}, SandboxHTTP: awsClient{w, toSandbox},
		Credentials: credentials, MaxBackoff: time.Millisecond, Busy: 1,
		Log:           slog.New(slog.NewTextHandler(&w.errors, &slog.HandlerOptions{Level: slog.LevelError})),
		PasswordCost:  member.CheapCost,
		WrapCallbacks: faults.Instead(receiver{w}),
		WrapAcquirer:  func(a acquirer.Acquirer) acquirer.Acquirer { return counterparty.Acquirer(far{w, toAcquirer}, a) },
		WrapBank:      w.wrapBank,
		WrapTerminals: func(t terminal.Terminals) terminal.Terminals { return counterparty.Terminals(far{w, toTerminal}, t) },
	}
	if w.faultProfile.lowLimits {
		o.Limits = rest.Limits{Credential: lowLimits, Address: lowLimits}
	}
	return o
}

// lowLimits is a limit that a few requests reach.
var lowLimits = rest.Limit{Rate: 2, Burst: 6}

func (w *World) queueConfig() sqs.Config {
	c := sqs.Config{Now: w.now}
	if w.faultProfile.duplicates {
		again := func(string) bool { return w.faultsOn && w.rng.IntN(4) == 0 }
		c.Duplicate, c.Redeliver = again, again
		c.Pick = func(n int) int { return w.rng.IntN(n) }
	}
	return c
}

// openStore opens the platform's store past the scheduler.
func (w *World) openStore() *store.Store {
	return store.Open(store.Config{Table: w.config.Table, Region: w.config.Region, Endpoint: w.config.DynamoDBEndpoint,
		Credentials: credentials, HTTP: plainClient(w.table), Now: w.now, DueShards: w.config.DueShards})
}

// createQueue makes a queue with its dead-letter queue, and answers its URL.
func (w *World) createQueue(q functions.Queue) string {
	var out struct{ QueueUrl string }
	create := func(name string, attributes map[string]string) string {
		w.aws(w.queues, queues+"CreateQueue", map[string]any{"QueueName": name, "Attributes": attributes}, &out)
		return out.QueueUrl
	}
	create(q.DeadName(), nil)
	arn := "arn:aws:sqs:us-east-1:000000000000:" + q.DeadName()
	return create(q.Name, map[string]string{
		"VisibilityTimeout": fmt.Sprint(int(q.Visibility.Seconds())),
		"RedrivePolicy":     fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":"%d"}`, arn, q.MaxReceives),
	})
}

// workload is what clients do in a world, and what must hold there. Each workload embeds its World, which has the usual
// Interfere, and a Committing that does nothing.
type workload interface {
	// Act makes merchants, has clients use the platform while calls fail, and lets the platform recover.
	Act()
	// Interfere lets happen what no client asks for. The world calls it at each step with faults.
	Interfere()
	// Committing is called just before the table, a queue or S3 does a call, and committed once the call is done.
	Committing(by *invocation, operation string, body []byte) (committed func())
	// Check finds what must not be in the end.
	Check()
}

// Committing does nothing.
func (*World) Committing(*invocation, string, []byte) (committed func()) { return func() {} }

// recover ends the faults and lets the platform finish: at most quietTicks
// ticks of the sweep, each when something is due, or a minute later. Once at rest, a client does what is given, and the
// platform finishes that.
func (w *World) recover(more func()) {
	w.endFaults()
	w.jump(w.faultProfile.indexLag)
	done := false
	for n := range quietTicks {
		pause := max(time.Minute, w.nextDue().Sub(w.now()))
		if n >= quietTicks/2 { // what is still open waits for a payer, for days
			pause = 12 * time.Hour
		}
		w.jump(pause)
		if w.rng.IntN(2) == 0 { // the fast paths are faster than the sweep
			w.drain()
		}
		w.tick()
		w.steer(sources)
		w.drain()
		if !w.atRest() {
			continue
		}
		if done {
			return
		}
		done = true
		w.run(clients, more)
		w.steer(clients)
	}
	w.find("", "not at rest after %d quiet ticks", quietTicks)
}

// endFaults ends the faults, and lets finish what has begun.
func (w *World) endFaults() {
	w.faultsOn = false
	w.notef("faults", "are over")
	w.steer(clients, sources, stragglers)
	w.table.SetIndexLag(0)
}

// drain has the functions handle all that the stream and the queues hold.
func (w *World) drain() {
	for before := -1; before != w.relayed+w.polls; {
		before = w.relayed + w.polls
		w.relay()
		w.consume()
		w.steer(sources)
	}
}

// quietTicks bounds how long the platform may take to come to rest: a
// callback's retries and a boleto's expiry need a few each.
const quietTicks = 24

// checkLater has a history checked when the world has ended: the search is bounded by real time, which a bubble has not.
func (w *World) checkLater(about string, history interface{ Check() error }) {
	w.views = append(w.views, linearView{about, history})
}

// must ends the simulation at an error that no fault explains.
func (w *World) must(err error) {
	if err != nil {
		w.panicf("%v", err)
	}
}

func (w *World) panicf(format string, args ...any) {
	panic(fmt.Sprintf("sim: seed %d: ", w.seed) + fmt.Sprintf(format, args...) + "\n" + w.history.String())
}

// random returns random numbers of the seed, apart from the scheduler's.
func (w *World) random(sequence int) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed, uint64(sequence)))
}
