// Package files simulates uploads by links, and changes of files and collections. Use New with simulator.Run.
package files

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
	"github.com/cashwrap/cashwrap/shared/file"
)

// files is the workload of the clients of one or two tenants. The clients create, upload, complete, move and delete
// files at the same time. They upload and download by links that may have expired.
type files struct {
	*simulator.World
	shops          []*shops.Shop
	engine         *s3.Engine
	rng            *rand.Rand // for the root goroutine only
	narrow         bool       // clients use one collection of each tenant, so that their changes conflict
	tenants        []*fileTenant
	documents      map[string]*document  // by file id
	versions       map[string][]*version // versions that S3 has had, by key
	deletions      map[string]bool       // ids of files that a client asked to delete
	links          []string              // signatures of links, which must not be stored or logged
	currentItems   map[string]calls.Item // items of files and objects by key, after the first appliedChanges changes
	states         map[string]string     // last states of the entries of objects, by key
	appliedChanges int
}

// fileTenant is a tenant with its clients.
type fileTenant struct {
	*shops.Scenario
	files       *files
	collections []string    // ids of collections that exist from the beginning
	others      [2]int      // files and collections that are counted but not stored
	history     []fileState // states of the tenant, in order
	documents   []*document
}

// New returns the workload.
func New(w *simulator.World) simulator.Workload {
	f := &files{World: w, rng: w.Random(5_000), documents: map[string]*document{},
		versions: map[string][]*version{}, deletions: map[string]bool{}, currentItems: map[string]calls.Item{},
		states: map[string]string{}}
	w.Jumps = fileJumps
	w.Held, f.narrow = []float64{0, 0.7, 0.95}[f.rng.IntN(3)], f.rng.IntN(2) == 0
	given, _ := simulator.Credentials.Retrieve(context.Background())
	f.engine = s3.New(s3.Config{Now: w.Now, Region: runner.Region, Credentials: given})
	w.Must(f.engine.CreateBucket(runner.Bucket))
	w.Objects = witness{f}
	w.Consumers = append(w.Consumers, "files")
	return f
}

// Check checks all records, and compares them with S3.
func (f *files) Check() {
	books.Reconcile(f.World)
	f.Drain() // the function "files" gets messages, reconciles files, and logs the breaks that it finds
	books.Check(f.World)
	f.checkFiles()
}

// Interfere reads the stream first, because the stream's iterators may expire while clients wait for links to expire.
func (f *files) Interfere() {
	f.ReadStream()
	f.World.Interfere()
}

// Act creates collections before the faults begin. Then all clients compete.
func (f *files) Act() {
	f.shops = shops.Open(f.World)
	first := f.rng.IntN(len(f.shops))
	for n := range 1 + f.rng.IntN(2) {
		c := &fileTenant{files: f,
			Scenario: shops.NewScenario(f.World, f.shops[(first+n)%len(f.shops)], f.Random(5_001+n), fmt.Sprintf("files-%d", n))}
		f.tenants = append(f.tenants, c)
		f.Go(simulator.Clients, c.makeCollections)
		f.Steer(simulator.Clients)
		c.startNearLimits()
	}
	f.recordStates()
	f.FaultsOn = true
	for _, c := range f.tenants {
		c.populate()
	}
	shops.Recover(f.World)
}

func (c *fileTenant) makeCollections() {
	many := 1 + c.RNG.IntN(2)
	if c.files.narrow {
		many = 1
	}
	for n := range many {
		answer := c.sendRequest(c.Name, client.Request{Method: "POST", Path: c.path("collections"),
			Body: fmt.Sprintf(`{"name":"%s %d"}`, c.Name, n)})
		if answer.Status != 201 {
			c.Panicf("a collection is not made: %s", answer.Body)
		}
		c.collections = append(c.collections, answer.View().ID)
	}
}

func (c *fileTenant) startNearLimits() {
	near := func(name string, most, has int) int {
		to := most - 1 - c.RNG.IntN(2)
		c.SetCount(calls.Item{"pk": "FILES#" + c.Tenant, "sk": "COUNT#" + name}, "count", "N", to)
		return to - has
	}
	switch c.RNG.IntN(4) {
	case 0:
		c.others[0] = near("FILES", file.MaxFiles, 0)
	case 1:
		c.others[1] = near("COLLECTIONS", file.MaxCollections, len(c.collections))
	}
}

func (c *fileTenant) path(of string) string { return "/v0.1/merchants/" + c.Merchant + "/" + of }

func (c *fileTenant) sendRequest(actor string, r client.Request) simulator.Response {
	r.APIKey = c.Token
	return c.Settle(actor, c.Tenant, r)
}

// repeatSometimes sometimes repeats the same request at the same time, like an impatient client.
func (c *fileTenant) repeatSometimes(actor string, rng *rand.Rand, r client.Request) {
	c.Impatient(actor, rng, func(twin string) { c.sendRequest(twin, r) })
}

// fileJumps lists jumps of the clock. A jump of 16 minutes passes a link's end. A jump of 76 minutes also passes the
// time when the object of a deleted file is deleted again. A jump of 24 hours passes file.PendingTime.
var fileJumps = []time.Duration{5 * time.Second, 61 * time.Second, 61 * time.Second, 5 * time.Minute, 16 * time.Minute,
	76 * time.Minute, 3 * time.Hour, 24 * time.Hour}
