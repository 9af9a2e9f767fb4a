package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// Due is an entry of the due index: a checkout, a refund, a payout, a tenant's payout schedule or growth, a callback, a
// mail, an object that is not uploaded or is to be deleted, or bank accounts to verify.
type Due struct {
	Tenant       identity.Tenant
	CheckoutID   string
	RefundID     string
	CallbackID   string
	MailID       string
	PayoutID     string
	Object       string    // key of an object, whose entry names the tenant
	Schedule     bool      // the tenant's payout schedule
	Growth       bool      // the tenant may need more shards
	BankAccounts bool      // the tenant's bank accounts
	At           time.Time // when the entry became due
	// Position is the entry's place in its shard. A walk can continue after it.
	Position string
}

// Overdue walks the entries of one shard that are due by the time, longest overdue first. Each entry comes once, even
// if entries change during the walk. The index lags, so an entry may have been handled already.
func (s *View) Overdue(ctx context.Context, shard int, by time.Time) iter.Seq2[Due, error] {
	return s.walkDue(ctx, KindDue, shard, dueBound(time.Time{}), by)
}

// DuePayouts walks one shard's payout schedules and open payouts that are due by the time. It begins after the Position
// of an entry; "" begins at the first.
func (s *View) DuePayouts(ctx context.Context, shard int, after string, by time.Time) iter.Seq2[Due, error] {
	from := dueBound(time.Time{})
	if after != "" {
		from = after + afterID
	}
	return s.walkDue(ctx, KindPayoutDue, shard, from, by)
}

// Dead walks one shard's callbacks and mails that were given up between two times, both inclusive.
func (s *View) Dead(ctx context.Context, shard int, from, to time.Time) iter.Seq2[Due, error] {
	return s.walkDue(ctx, KindDead, shard, dueBound(from), to)
}

// walkDue reads one partition of the due index page by page, from a sort key on.
func (s *View) walkDue(ctx context.Context, kind Kind, shard int, from string, to time.Time) iter.Seq2[Due, error] {
	return func(yield func(Due, error) bool) {
		keys := s.table.get(duePartition, kind.named(strconv.Itoa(shard))).
			Range(dueSort, dynamo.Between, from, micros(to)+"#~").
			Index(dueIndex).Iter()
		type dueKey struct {
			key
			Sort string `dynamo:"due_sk"`
		}
		for entry, err := range each[dueKey](ctx, keys) {
			d, ok := entry.dueEntry()
			if d.At, d.Position = timeOf(entry.Sort), entry.Sort; (ok || err != nil) && !yield(d, err) {
				return
			}
		}
	}
}

// timeOf returns the time at the beginning of a sort key, as micros wrote it, or the zero time.
func timeOf(sort string) time.Time {
	text, _, _ := strings.Cut(sort, "#")
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(at).UTC()
}

// dueBound returns the lowest sort key at the time. For the zero time, it returns the lowest of all sort keys.
func dueBound(at time.Time) string {
	if at.IsZero() {
		return "0"
	}
	return micros(at)
}

// due is an item's place in the due index. The zero value keeps the item out.
type due struct {
	Partition string `dynamo:"due_pk,omitempty"`
	Sort      string `dynamo:"due_sk,omitempty"`
}

// dueShards is the number of partitions of the due index.
type dueShards int

func (n dueShards) dueAt(at time.Time, k key) due { return n.place(KindDue, at, k) }

func (n dueShards) deadAt(at time.Time, k key) due { return n.place(KindDead, at, k) }

// payoutAt returns a place that no other payout or schedule has. Each place must be unique, because a walk of payouts
// is continued after the place of an entry.
func (n dueShards) payoutAt(at time.Time, k key) due {
	d := n.place(KindPayoutDue, at, k)
	d.Sort += "#" + k.PK
	return d
}

func (n dueShards) place(kind Kind, at time.Time, k key) due {
	return due{Partition: kind.named(strconv.Itoa(n.shardOf(k.PK))), Sort: micros(at)}
}

// shardOf returns the shard of a partition key.
func (n dueShards) shardOf(pk string) int {
	sum := sha256.Sum256([]byte(pk))
	return int(binary.BigEndian.Uint16(sum[:])) % int(n)
}

// dueEntry returns the entry that the key names, or false if it names none.
func (k key) dueEntry() (Due, bool) {
	p, ok := ParsePartition(k.PK)
	if !ok {
		return Due{}, false
	}
	d := Due{Tenant: p.Tenant}
	switch p.Kind {
	case KindCallback:
		d.CallbackID = p.Last
	case KindMail:
		d.MailID = p.Last
	case KindCheckout:
		d.CheckoutID = p.Last
	case KindTransaction:
		d.RefundID, ok = strings.CutPrefix(k.SK, eventPrefix)
	case KindPayout:
		d.PayoutID = p.Last
	case KindObjects:
		d.Object = file.Prefix + k.SK
	case KindPayoutSchedule:
		d.Schedule = true
	case KindGrowth:
		d.Growth = true
	case KindBankAccounts:
		d.BankAccounts = true
	default:
		ok = false
	}
	if !ok {
		return Due{}, false
	}
	return d, true
}
