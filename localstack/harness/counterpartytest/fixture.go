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

	config store.Config // of the table, without the network
}

// New returns a fixture.
func New(tb testing.TB) *Fixture {
	tb.Helper()
	c := clock.New()
	f, s := open(c, store.Config{
		Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(tb),
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(tb), "none", ""),
		MaxAttempts: 1, Now: c.Now,
	})
	if err := s.CreateTable(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return f
}

// OtherProcess returns a fixture with the same table and clock, and its own network.
func (f *Fixture) OtherProcess() *Fixture {
	other, _ := open(f.Clock, f.config)
	return other
}

func open(c *clock.Clock, config store.Config) (*Fixture, *store.Store) {
	f := &Fixture{Clock: c, Wire: &faults.Wire{Send: enginetest.Do}, config: config}
	config.HTTP = f.Wire
	s := store.Open(config)
	f.DB, f.Table = s.Raw()
	return f, s
}
