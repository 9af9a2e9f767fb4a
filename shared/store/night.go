package store

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// Nights is the progress of the nights of reconcile.
type Nights struct {
	Latest  string `dynamo:"latest"` // id of the latest run: first a proof of the whole table, then nights
	Version int    `dynamo:"version"`
}

// nightsKey returns a key that no run has, like importsKey.
func nightsKey() key { return proofKey("", "NIGHTS") }

// Nights reads the progress of the nights. It is zero before the first run.
func (s *View) Nights(ctx context.Context) (Nights, error) {
	return readOne[Nights](ctx, s, nightsKey(), nil)
}

// SaveNights saves the progress of the nights. Error: ErrStale when another process was faster.
func (s *Store) SaveNights(ctx context.Context, n Nights) error {
	n.Version++
	return s.save(ctx, newItem(nightsKey(), n, n.Version))
}

// NightPlace is a place in a night's walk through a segment: how far the current tenant is proven.
type NightPlace struct {
	Tenant   string `dynamo:"tenant"`   // "" before the first tenant
	Stage    int    `dynamo:"stage"`    // of the tenant
	Position string `dynamo:"position"` // within the stage
	// Touched has the first day that has changed, where Balance begins, by book and currency.
	Touched map[string]string `dynamo:"touched"`
}

// ProvenSubject is what the nights remember about a transaction, payout or settlement. Nothing is remembered about a
// transaction that has not changed since the night after its creation.
type ProvenSubject struct {
	Tenant  identity.Tenant `dynamo:"tenant"`
	ID      string          `dynamo:"id"`
	Open    bool            `dynamo:"open,omitempty"`     // the next night proves it again
	Closed  time.Time       `dynamo:"closed,omitempty"`   // closings have its entries from before this time; zero: unknown
	LinesTo time.Time       `dynamo:"lines_to,omitempty"` // closings have its lines that were imported until then
	// Reopened counts the calls of Reopen. A night that closes the subject must have seen them all.
	Reopened int `dynamo:"reopened,omitempty"`
	// ReopenedAt is the time of the last Reopen since a night has proven the subject. The line may be stored later.
	ReopenedAt time.Time `dynamo:"reopened_at,omitempty"`
}

// Compare orders subjects by their keys.
func (p ProvenSubject) Compare(other ProvenSubject) int {
	return provenKey(p.Tenant, p.ID).compare(provenKey(other.Tenant, other.ID))
}

// ProvenKept is the time after which the table deletes what is remembered about a subject that is not open. It is
// longer than a night takes, and longer than a night looks back for payouts.
const ProvenKept = 14 * 24 * time.Hour

const subjectPrefix = "SUBJECT#"

func provenKey(t identity.Tenant, id string) key {
	return key{KindProven.of(t), subjectPrefix + bounded(id)}
}

// Reopen makes the next night prove a subject again.
func (s *Store) Reopen(ctx context.Context, t identity.Tenant, id string) error {
	return s.reopening(t, id).Run(ctx)
}

func (s *Store) reopening(t identity.Tenant, id string) *dynamo.Update {
	return s.update(provenKey(t, id)).Set("open", true).Set("tenant", t).Set("id", id).Add("reopened", 1).
		Set("reopened_at", s.now()).Remove(expiresAt)
}

// putProven replaces what is remembered about a subject. It closes the subject only if Reopen was not called since the
// night read the subject.
func (s *Store) putProven(p ProvenSubject) *dynamo.Put {
	item := storedItem{key: provenKey(p.Tenant, p.ID), value: p}
	if p.Open {
		return s.table.Put(item)
	}
	item.TTL = s.now().Add(ProvenKept)
	if p.Reopened == 0 {
		return s.table.Put(item).If("attribute_not_exists(reopened)")
	}
	return s.table.Put(item).If("reopened = ?", p.Reopened)
}

// OpenSubjects walks the open subjects of a tenant whose ids follow the given one. Ids of corrections sort before all
// subjects, so the query reads none of them.
func (s *View) OpenSubjects(ctx context.Context, t identity.Tenant, after string) iter.Seq2[ProvenSubject, error] {
	return each[ProvenSubject](ctx, s.table.get(partitionKey, KindProven.of(t)).
		Range(sortKey, dynamo.Greater, subjectPrefix+bounded(after)).Consistent(true).Filter("'open' = ?", true).Iter())
}

// ProvenSubjects reads what is remembered about subjects, by id.
func (s *View) ProvenSubjects(ctx context.Context, t identity.Tenant, ids []string) (map[string]ProvenSubject, error) {
	wanted := make([]key, len(ids))
	for i, id := range ids {
		wanted[i] = provenKey(t, id)
	}
	return readIndexed(ctx, s, wanted, true, func(p ProvenSubject) (string, ProvenSubject) { return p.ID, p })
}

// NightStep is a part of a night. It is written as a whole or not at all.
type NightStep struct {
	Closings []Closing // with what the step adds to the closings of these days
	Subjects []ProvenSubject
	Begun    *identity.Tenant // the first night has proven this tenant
	Day      string           // the first day of the night's time; an earlier closing is reopened
}

// ErrReopened reports that a subject of a step was reopened after the night had read it, or that a closing changed. The
// step wrote nothing; prove its subjects again.
var ErrReopened = errors.New("store: a subject was reopened meanwhile")

// MaxNightStep is the greatest number of closings and subjects of a step. DynamoDB's limit is 100 items.
const MaxNightStep = 90

// SaveNightStep saves the progress of a segment of a night like SaveProofSegment, together with a step, and returns the
// progress. Errors: ErrStale when another message about the segment was faster; ErrReopened.
func (s *Store) SaveNightStep(ctx context.Context, run ProofRun, progress ProofSegment, counts map[string]int64,
	step NightStep) (ProofSegment, error) {
	progress.Counts = addSums(progress.Counts, counts)
	progress.Version++
	item := newItem(proofKey(run.ID, segmentSort(progress.Segment)), progress, progress.Version)
	tx := s.db.WriteTx().Idempotent(true).Put(s.replace(item))
	for _, added := range step.Closings {
		before, err := readOne[Closing](ctx, s.View, closingKey(added), nil)
		if err != nil {
			return progress, err
		}
		if before.Version == 0 {
			before = Closing{Series: added.Series, Day: added.Day}
		}
		after := before.Add(added)
		after.ProvenAt = run.Until
		after.Version++
		if added.Book == JournalBook && added.Day != OpeningDay && added.Day < step.Day {
			after.Reopened++
		}
		tx.Put(s.replace(newItem(closingKey(after), after, after.Version)))
	}
	for _, subject := range step.Subjects {
		tx.Put(s.putProven(subject))
	}
	if step.Begun != nil {
		tx.Update(s.update(tenantKey(*step.Begun)).Set("begun", true))
	}
	return progress, s.resolve(ctx, item, ErrReopened, tx.Run(ctx))
}

// NightEntry is a payment, refund or chargeback that an index names, in the order of positions.
type NightEntry struct {
	Position    string
	Key         ItemKey
	Transaction string // its id; "" of a refund or chargeback
	CreatedAt   time.Time
	Record      *payout.Record // that names the payment
}

// nightsRead is more entries than a tenant has.
const nightsRead = 1 << 40

// CreatedBetween walks the payments, refunds and chargebacks that were created from since on and before until, after a
// position.
func (s *View) CreatedBetween(ctx context.Context, t identity.Tenant, shards int, since, until time.Time,
	after string) iter.Seq2[NightEntry, error] {
	r := Range{Oldest: &Bound{At: since, Inclusive: true}, Newest: &Bound{At: until}}
	if after != "" {
		r = r.After(Bound{At: timeOf(after), ID: idOf(after)})
	}
	return func(yield func(NightEntry, error) bool) {
		for e, err := range s.History(ctx, t, shards, r, nightPage, nightsRead) {
			if !yield(newNightEntry(e, e.Sort), err) {
				return
			}
		}
	}
}

// nightPage is the number of entries that a query of a night reads.
const nightPage = 1000

func idOf(position string) string {
	_, id, _ := strings.Cut(position, "#")
	return id
}

func newNightEntry(e HistoryEntry, position string) NightEntry {
	n := NightEntry{Position: position, Key: e.key, CreatedAt: timeOf(e.Sort)}
	if strings.HasPrefix(e.SK, transactionPrefix) {
		n.Transaction = strings.TrimPrefix(e.SK, transactionPrefix)
	}
	return n
}

// ChangedSince walks the payments, refunds and chargebacks that changed at the time or later, other than by a payout,
// after a position. An item that changes during the walk may come twice.
func (s *View) ChangedSince(ctx context.Context, t identity.Tenant, shards int, since time.Time,
	after string) iter.Seq2[NightEntry, error] {
	from := micros(since)
	if after != "" {
		from = after + afterID
	}
	return func(yield func(NightEntry, error) bool) {
		for e, err := range (sharded[changeEntry]{
			query: func(shard int) *dynamo.Query {
				return s.table.get(changesPartition, changesList(t, shard)).Range(changesSort, dynamo.Between, from, afterAll).
					Index(changesIndex)
			},
			position: func(e changeEntry) string { return e.changed.Sort },
			shards:   shards, first: nightPage, most: nightsRead,
		}).walk(ctx) {
			if !yield(newNightEntry(e.HistoryEntry, e.Sort), err) {
				return
			}
		}
	}
}

// NightPayout is a payout that a night proves.
type NightPayout struct {
	ID      string
	Records string // prefix of its records
	Changed bool   // the payout has changed payments since the given time
}

// NightPayouts returns the payouts that have records of the day (YYYY-MM-DD) or later, and those that changed payments
// at the time or later, in the order of their records.
func (s *View) NightPayouts(ctx context.Context, t identity.Tenant, day string,
	since time.Time) ([]NightPayout, error) {
	found := map[string]NightPayout{}
	for first, err := range (Reads{View: s}).payoutsFrom(ctx, t, day) {
		if err != nil {
			return nil, err
		}
		prefix := recordPrefix(payout.Payout{Day: first.Day, ID: first.PayoutID})
		found[prefix] = NightPayout{ID: first.PayoutID, Records: prefix}
	}
	for e, err := range each[changeEntry](ctx, s.table.get(changesPartition, changingPayoutsList(t)).
		Range(changesSort, dynamo.Between, micros(since), afterAll).Index(changesIndex).Iter()) {
		if err != nil {
			return nil, err
		}
		prefix := idOf(e.Sort)
		found[prefix] = NightPayout{ID: idOf(strings.TrimSuffix(prefix, "#")), Records: prefix, Changed: true}
	}
	inOrder := func(a, b NightPayout) int { return cmp.Compare(a.Records, b.Records) }
	return slices.SortedFunc(maps.Values(found), inOrder), nil
}

// PartsOfPayout walks the records of a payout for parts of payments, after a record.
func (s *View) PartsOfPayout(ctx context.Context, t identity.Tenant, p NightPayout,
	after string) iter.Seq2[NightEntry, error] {
	from := max(p.Records, after+afterID)
	return func(yield func(NightEntry, error) bool) {
		for record, err := range each[payout.Record](ctx, s.recordsBetween(t, from, p.Records+afterAll, false).
			Consistent(false).Iter()) {
			if record.TransactionID == "" && err == nil {
				continue
			}
			if !yield(NightEntry{Position: p.Records + record.ID, Key: transactionKey(t, record.Code, record.TransactionID),
				Transaction: record.TransactionID, CreatedAt: record.TransactionAt, Record: &record}, err) {
				return
			}
		}
	}
}
