package simulator

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/gateway"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
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
	queues    *sqs.Engine
	mails     *ses.Engine
	objects   *s3.Engine // nil but in a world of files

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

	shops               []*shop
	replies             []*reply
	received            []delivery
	claims              []claim
	answers             []operatorAnswer
	sequence            int64           // the last logical time (logicalTime)
	done                map[string]bool // tokens of transactions that were done
	clientViews         []clientView
	chargebacksRepeated bool // every chargeback has been reported again after the faults

	begins time.Duration // when the world begins, after a bubble does
	life   life
	payees *month  // of a world of payouts
	people *people // of a world of roles, members and keys
	files  *files  // of a world of files
	held   float64 // how often a write waits for other calls

	// Settled is how long each payment and refund of unknown outcome took.
	Settled []time.Duration

	liveCards     bool            // the acquirer charges live cards, so that the minimum balance is reached
	jumps         []time.Duration // how far clocks jump
	idleDoublings int             // after which waits for time get no longer
	hungTries     int             // at receivers that hang
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
		w.life.simulate()
	})
	w.checkLinearizable()
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
		idleProcesses: map[string][]*process{}, started: map[string]int{}, done: map[string]bool{}, begins: epoch,
		jumps: jumps, idleDoublings: 16}
	w.sched.active = map[string]int{}
	if o.Workload != Unknown {
		w.faultProfile = newFaultProfile(w.rng)
	}
	w.life = lives[o.Workload](w)
	w.table = dynamodb.New(dynamodb.Config{Now: w.now, IndexLag: w.faultProfile.indexLag, TTLLag: w.faultProfile.ttlLag})
	w.queues = sqs.New(w.queueConfig())
	w.mails = ses.New(ses.Config{Now: w.now})
	w.config = w.configure()
	w.overrides = w.makeOverrides()
	w.routes = w.makeRoutes()
	w.createTable()
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
		environment[q.Variable] = w.createQueue(q)
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

// createTable makes the table as the CDK app defines it.
func (w *World) createTable() {
	s := store.Open(store.Config{Table: w.config.Table, Region: w.config.Region, Endpoint: w.config.DynamoDBEndpoint,
		Credentials: credentials, HTTP: plainClient(w.table), Now: w.now})
	w.must(s.CreateTable(context.Background()))
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

// life runs one workload. Each life embeds its World, which has the usual simulate and interfere, and a play, committed
// and checkHistories that do nothing.
type life interface {
	simulate()                                               // from the first client to the last check
	play()                                                   // while merchants exist, and up to the recovery
	interfere()                                              // beside what clients do, at each step with faults
	committed(by *invocation, operation string, body []byte) // after each call that the table has done
	checkHistories()                                         // when the world has ended
}

var lives = map[Workload]func(*World) life{
	Everything: func(w *World) life { return everything{w} },
	Refunds:    newRefundSales,
	Month:      func(w *World) life { w.payees = newMonth(w); return w.payees },
	Unknown:    newUnknown,
	Hanging:    newHanging,
	People:     func(w *World) life { w.people = newPeople(w); return w.people },
	Readers:    func(w *World) life { return readers{w} },
	Files:      func(w *World) life { w.files = newFiles(w); return w.files },
}

// simulate starts a world without faults, then injects them, then lets the platform
// recover.
func (w *World) simulate() {
	w.run(clients, w.setUpMerchants)
	w.steer(clients)
	w.life.play()
	w.steer(clients, stragglers)
	w.recover()
	w.check()
}

func (*World) play() {}

func (*World) committed(*invocation, string, []byte) {}

func (*World) checkHistories() {}

// recover ends the faults and lets the platform finish: at most quietTicks
// ticks of the sweep, each when something is due, or a minute later.
func (w *World) recover() {
	w.faultsOn = false
	w.notef("faults", "are over")
	w.steer(clients, sources, stragglers)
	w.table.SetIndexLag(0)
	w.jump(w.faultProfile.indexLag)
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
		if w.chargebacksRepeated {
			return
		}
		w.chargebacksRepeated = true
		w.run(clients, w.repeatChargebacks)
		w.steer(clients)
	}
	w.find("", "not at rest after %d quiet ticks", quietTicks)
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

// must ends the simulation at an error that no fault explains.
func (w *World) must(err error) {
	if err != nil {
		w.panicf("%v", err)
	}
}

func (w *World) panicf(format string, args ...any) {
	panic(fmt.Sprintf("sim: seed %d: ", w.seed) + fmt.Sprintf(format, args...) + "\n" + w.history.String())
}
