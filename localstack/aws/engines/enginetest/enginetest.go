// Package enginetest gives tests of the platform a table and queues, in memory or real, and other tests the real
// engines to compare with. Under localstack/aws/engines/with these are running already; otherwise the first call starts
// one for the whole test process, and it ends with that process, however the process ends.
package enginetest

import (
	"context"
	"crypto/rand"
	"os"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
)

// Oracle reports whether this run compares with the real engines: always when CASHWRAP_ORACLE=required, otherwise when
// the machine has what they need.
func Oracle(tb testing.TB) bool {
	tb.Helper()
	if os.Getenv("CASHWRAP_ORACLE") == "required" {
		return true
	}
	if err := checked(); err != nil {
		tb.Logf("without the real engines: %v", err)
		return false
	}
	return true
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
	return rand.Text()
}

var (
	checked   = sync.OnceValue(engines.Check)
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
	if err := checked(); err != nil {
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
