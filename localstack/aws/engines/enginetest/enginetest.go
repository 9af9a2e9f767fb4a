// Package enginetest gives tests a table and queues, in memory or real, and the real engines to compare with: those of
// localstack/aws/engines/with, else engines that start with the first call and end with the test process.
package enginetest

import (
	"context"
	"crypto/rand"
	"os"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/record"
)

// All reports whether this run plays what needs more than Go, such as real engines, a browser or Python, and builds all
// functions: with CASHWRAP_TESTS=all, as in `make test-all`. Such tests then fail where something is missing.
func All(tb testing.TB) bool {
	tb.Helper()
	all := os.Getenv("CASHWRAP_TESTS") == "all"
	if !all {
		tb.Log("left to make test-all")
		record.Note(tb, record.Test{Left: true})
	}
	return all
}

// Only skips the test unless this run plays All.
func Only(tb testing.TB) {
	tb.Helper()
	if !All(tb) {
		tb.SkipNow()
	}
}

// DynamoDB returns the endpoint of DynamoDB Local. Take an AccessKey for a database of your own.
func DynamoDB(tb testing.TB) string {
	tb.Helper()
	return endpoint(tb, "CASHWRAP_DYNAMODB_LOCAL", amazons)
}

// Fauxqs returns the endpoint of fauxqs. All tests share its queues: name yours after something random.
func Fauxqs(tb testing.TB) string {
	tb.Helper()
	return endpoint(tb, "CASHWRAP_FAUXQS", fauxqs)
}

// AccessKey returns a new random access key id; DynamoDB Local keeps a separate database for each.
func AccessKey(tb testing.TB) string {
	tb.Helper()
	key := rand.Text()
	tables.add(tb, key)
	return key
}

var (
	installed = sync.OnceValue(install)
	amazons   = sync.OnceValues(func() (*engines.Engine, error) { return started(engines.StartDynamoDB) })
	fauxqs    = sync.OnceValues(func() (*engines.Engine, error) { return started(engines.StartFauxqs) })
)

func endpoint(tb testing.TB, variable string, engine func() (*engines.Engine, error)) string {
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

func install() error {
	if err := engines.Check(); err != nil {
		return err
	}
	root, err := engines.Root()
	if err != nil {
		return err
	}
	return engines.Install(context.Background(), root)
}

func started(start func(context.Context, engines.Options) (*engines.Engine, error)) (*engines.Engine, error) {
	if err := installed(); err != nil {
		return nil, err
	}
	return start(context.Background(), engines.Options{})
}
