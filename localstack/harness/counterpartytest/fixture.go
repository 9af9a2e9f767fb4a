// Package counterpartytest gives tests of acquirers and banks an empty table, a clock, and a network with faults (New).
package counterpartytest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Fixture is a table for one acquirer or bank. The table is empty at first.
type Fixture struct {
	*clock.Clock
	DB    *dynamo.DB
	Table dynamo.Table
	Wire  *faults.Wire // carries the SDK's requests
}

// New returns a fixture.
func New(tb testing.TB) *Fixture {
	tb.Helper()
	f := &Fixture{Clock: clock.New(), Wire: &faults.Wire{Send: enginetest.Do}}
	s := store.Open(store.Config{
		Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(tb),
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(tb), "none", ""),
		HTTP:        f.Wire, MaxAttempts: 1, Now: f.Now,
	})
	if err := s.CreateTable(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	f.DB, f.Table = s.Raw()
	return f
}
