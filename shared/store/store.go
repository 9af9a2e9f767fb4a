// Package store reads and writes the platform's one DynamoDB table. Open a Store, and call its methods with domain
// types; they return domain types and failures, never items. keys.go lists the entities, keys and access patterns.
//
// The following holds for every method unless its comment says otherwise. A method reads consistently, but indexes lag.
// An iteration ends at the first error. Save… returns ErrStale if the item changed since it was read. Other methods
// that change stored data apply concurrent changes one after the other, and write nothing for a change without effect.
// They return ErrContended, and the errors of the functions passed to them. Methods that give or take rights also
// return ErrCallerChanged, or Unauthorized when the caller's credential is gone.
//
// Three rules hold everywhere (ARCHITECTURE.md, "Data rules"): money moves only in TransactWriteItems with conditions;
// after any write error the operation checks whether its write was applied before it reports a failure; a guard against
// duplicates is never deleted.
package store

import (
	"cmp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// Config names the table and the way to reach it.
type Config struct {
	Table        string
	Region       string
	Endpoint     string                  // empty: the AWS service
	Credentials  aws.CredentialsProvider // static or from the Lambda environment
	HTTP         aws.HTTPClient          // nil: the SDK's own
	MaxAttempts  int                     // tries of one call, 0: the SDK's default
	MaxBackoff   time.Duration           // longest wait between tries, 0: the SDK's default
	Now          func() time.Time        // nil: the system's clock
	Busy         int                     // new entries in ten seconds that let a shard grow; 0: DefaultBusy
	PasswordCost member.Cost             // of new hashes; zero: the default
	DueShards    int                     // partitions of the due index, never fewer than before; 0: DefaultDueShards
}

// The due index is spread over shards. Each is a partition that takes 1,000 writes a second. To find everything that is
// due, walk shards 0 to DueShards()-1. The number may grow, because existing items are in shards that are still walked,
// but must never shrink. To find all items in any case, walk shards 0 to MaxDueShards-1.
const (
	DefaultDueShards = 64
	MaxDueShards     = 256 // each is a query of sweep, every minute
)

// Store reads and writes the table. It is safe for concurrent use.
type Store struct {
	*View
	db           *dynamo.DB
	table        dynamo.Table
	passwordCost member.Cost // of new hashes
}

// Open returns the store. It makes no call.
func Open(c Config) *Store {
	if c.Now == nil {
		c.Now = time.Now
	}
	view := &View{now: func() time.Time { return c.Now().UTC().Truncate(time.Millisecond) },
		shards: dueShards(cmp.Or(c.DueShards, DefaultDueShards)), busyAt: cmp.Or(c.Busy, DefaultBusy)}
	s := &Store{View: view, passwordCost: c.PasswordCost}
	client := c.AWS()
	watch := &throttleWatch{now: s.now, note: s.noteThrottled, noted: map[identity.Tenant]time.Time{}}
	client.APIOptions = append(client.APIOptions, watch.attach, newConflicts(c).attach)
	s.db = dynamo.New(client)
	s.table = s.db.Table(c.Table)
	s.View.table = readOnlyTable{s.db, s.table}
	return s
}

// Raw returns the table for the sandbox acquirer and the banks, which keep records in it under separate keys.
func (s *Store) Raw() (*dynamo.DB, dynamo.Table) { return s.db, s.table }

// AWS configures a client of the SDK without LoadDefaultConfig, which costs 0.9 ms and 2 MB at start and searches for
// files that a Lambda does not have.
func (c Config) AWS() aws.Config {
	cfg := aws.Config{Region: c.Region, Credentials: c.Credentials, HTTPClient: c.HTTP}
	if c.Endpoint != "" {
		cfg.BaseEndpoint = aws.String(c.Endpoint)
	}
	cfg.Retryer = func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) {
			o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(isThrottled))
			if c.MaxAttempts > 0 {
				o.MaxAttempts = c.MaxAttempts
			}
			if c.MaxBackoff > 0 {
				o.MaxBackoff = c.MaxBackoff
			}
		})
	}
	return cfg
}
