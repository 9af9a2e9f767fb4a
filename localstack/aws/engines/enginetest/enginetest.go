// Package enginetest gives tests a table and queues (Table, Queues), in memory or real, and the real engines for
// comparison (DynamoDB, Fauxqs). If the command localstack/aws/engines/with runs the tests, the real engines are the
// engines that it started. Otherwise the first call starts an engine, which ends with the test process. FreePort and
// StartServer are for tests that start other servers.
package enginetest

import (
	"context"
	"crypto/rand"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/record"
)

// All returns true if this run includes tests that need more than Go (real engines, a browser, Python) or build all
// functions. The run includes them with CASHWRAP_TESTS=all, which `make test-all` sets. Such a test then fails if a
// program is missing. Without that setting, the function records that `make test-all` must run the rest of the test.
func All(tb testing.TB) bool {
	tb.Helper()
	all := os.Getenv("CASHWRAP_TESTS") == "all"
	if !all {
		tb.Log("left to make test-all")
		record.Note(tb, record.Test{Left: true})
	}
	return all
}

// Only is like All, but skips the test where All returns false.
func Only(tb testing.TB) {
	tb.Helper()
	if !All(tb) {
		tb.SkipNow()
	}
}

// Number returns the number in an environment variable. Without the variable it skips the test, and records that
// `make test-all` must run the test: .ci/run sets the variable there.
func Number(tb testing.TB, variable string) int {
	tb.Helper()
	text := os.Getenv(variable)
	if text == "" {
		record.Note(tb, record.Test{Left: true})
		tb.Skip("left to .ci/run")
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		tb.Fatal(err)
	}
	return number
}

// DynamoDB returns the endpoint of DynamoDB Local. Use an AccessKey to have a separate database.
func DynamoDB(tb testing.TB) string {
	tb.Helper()
	return findEndpoint(tb, "CASHWRAP_DYNAMODB_LOCAL", dynamodbLocal)
}

// Fauxqs returns the endpoint of fauxqs. All tests share its queues, so give yours random names.
func Fauxqs(tb testing.TB) string {
	tb.Helper()
	return findEndpoint(tb, "CASHWRAP_FAUXQS", fauxqs)
}

// AccessKey returns a new random access key id. Each key has a separate database.
func AccessKey(tb testing.TB) string {
	tb.Helper()
	key := rand.Text()
	tables.add(tb, key)
	return key
}

var (
	installOnce   = sync.OnceValue(installEngines)
	dynamodbLocal = sync.OnceValues(func() (*engines.Engine, error) { return launch(engines.StartDynamoDB) })
	fauxqs        = sync.OnceValues(func() (*engines.Engine, error) { return launch(engines.StartFauxqs) })
)

func findEndpoint(tb testing.TB, variable string, engine func() (*engines.Engine, error)) string {
	tb.Helper()
	if url := os.Getenv(variable); url != "" {
		return url
	}
	e, err := engine()
	if err != nil {
		tb.Fatal(err)
	}
	return e.Endpoint
}

func installEngines() error {
	if err := engines.Check(); err != nil {
		return err
	}
	root, err := engines.Root()
	if err != nil {
		return err
	}
	return engines.Install(context.Background(), root)
}

func launch(start func(context.Context, engines.Options) (*engines.Engine, error)) (*engines.Engine, error) {
	if err := installOnce(); err != nil {
		return nil, err
	}
	return start(context.Background(), engines.Options{})
}
