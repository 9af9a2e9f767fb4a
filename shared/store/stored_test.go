package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// fixture is an empty table in memory, and the filler of the fields that are stored there.
type fixture struct {
	testing.TB
	*store.Store
	*storedtest.Filler
	clock  *clock.Clock
	tenant identity.Tenant
}

// stored is a write by a method, and the reads of it.
type stored struct {
	// sets says which fields the method sets itself or does not store, and why. The others are read as they were written.
	sets   string
	write  func(fixture) []storedtest.Read
	unseen storedtest.NotRead
}

// notRead is the reason why no read needs an attribute that lets a write recognise itself. TestResolveWrite_LostReply
// checks these attributes.
const notRead = "by which a write recognises itself, see TestResolveWrite_LostReply"

// TestStoredFields_ReadBack checks that each stored field is read back, and that a missing attribute would be noticed.
// It takes seconds, because it leaves out each attribute of each kind of item once.
func TestStoredFields_ReadBack(t *testing.T) {
	t.Parallel()
	for _, cases := range []map[string]stored{storedCheckouts, storedTransactions, storedReaderCheckouts,
		storedCallbacks, storedMails, storedCustomers, storedMerchants, storedKeys, storedMembers, storedRoles,
		storedPayouts, storedRequests, storedOAuth, storedTestProfiles, storedSignIns, storedReaders,
		storedFiles, storedCollections, storedReceiptLinks, storedPasswordLinks, storedStatements,
		storedNights, storedCorrections} {
		for method, c := range cases {
			t.Run(method, func(t *testing.T) {
				t.Parallel()
				now := clock.New()
				s := storedtest.Open(t, now.Now, nil)
				w := fixture{t, s, &storedtest.Filler{}, now, tenant}
				answers := append(c.write(w), w.changes())
				storedtest.RoundTrip(t, s, answers, c.unseen, cmp.AllowUnexported(store.Record{}))
			})
		}
	}
}

// must fails the test when a write that prepares it fails.
func (w fixture) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// wantAnswer compares the answer of a write.
func wantAnswer[T any](w fixture, want, got T, err error) {
	w.Helper()
	if diff := cmp.Diff(want, got, storedtest.Options); err != nil || diff != "" {
		w.Fatalf("the write answers %v, (-want +got):\n%s", err, diff)
	}
}

func collect[T any](walk iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for item, err := range walk {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// forever is after all times of a Filler.
var forever = start.AddDate(100, 0, 0)

// Filled items are in one of several shards, so that a read of only the first shard finds nothing.
const (
	shard     = 1
	allShards = 2
)

// dueItems expects the entries of the due index, of any kind.
func (w fixture) dueItems(want ...store.Due) storedtest.Read {
	inOrder := func(a, b store.Due) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	slices.SortFunc(want, inOrder)
	return storedtest.Expect("due", want, func(ctx context.Context) ([]store.Due, error) {
		var all []store.Due
		for shard := range w.DueShards() {
			for _, walk := range []iter.Seq2[store.Due, error]{w.Overdue(ctx, shard, forever),
				w.DuePayouts(ctx, shard, "", forever), w.Dead(ctx, shard, time.Time{}, forever)} {
				found, err := collect(walk)
				if all = append(all, found...); err != nil {
					return nil, err
				}
			}
		}
		for i := range all {
			all[i].At, all[i].Position = time.Time{}, "" // set by the index, see TestOverdue_ExpiredCheckout
		}
		slices.SortFunc(all, inOrder)
		return all, nil
	})
}

// changes expects the index of changes to stay as it is. TestChangesSince checks what it holds.
func (w fixture) changes() storedtest.Read {
	w.Helper()
	type place struct {
		PK        string `dynamo:"pk"`
		SK        string `dynamo:"sk"`
		Partition string `dynamo:"changes_pk"`
		Sort      string `dynamo:"changes_sk"`
	}
	read := func(ctx context.Context) ([]place, error) {
		_, table := w.Raw()
		var entries []place
		err := table.Scan().Index("changes").All(ctx, &entries)
		return entries, err
	}
	now, err := read(w.Context())
	w.must(err)
	return storedtest.Expect("index of changes", now, read)
}

// expiries expects the times when the table is to delete items, to the second.
func (w fixture) expiries(want ...time.Time) storedtest.Read {
	for i := range want {
		want[i] = want[i].Truncate(time.Second)
	}
	return storedtest.Expect("expiries", want, func(ctx context.Context) ([]time.Time, error) {
		return storedtest.Expiries(ctx, w.Store)
	})
}

// fastPath expects the times of messages about the table's items.
func (w fixture) fastPath(want map[store.Due]time.Time) storedtest.Read {
	return storedtest.Expect("fast path", want, func(ctx context.Context) (map[store.Due]time.Time, error) {
		_, table := w.Raw()
		items, err := storedtest.Items(ctx, table)
		found := map[store.Due]time.Time{}
		for _, item := range items {
			due, at, itemErr := store.FastPath(item)
			if err = errors.Join(err, itemErr); !at.IsZero() {
				found[due] = at
			}
		}
		return found, err
	})
}

// reconciled expects the items that ScanReconciled finds in the whole table.
func (w fixture) reconciled(want ...store.ReconciledItem) storedtest.Read {
	for i := range want {
		want[i].Tenant = w.tenant
	}
	return storedtest.Expect("reconciled", byName(want),
		func(ctx context.Context) (map[string][]store.ReconciledItem, error) {
			found, err := collect(w.ScanReconciled(ctx, 0, 1, store.ItemKey{}))
			return byName(found), err
		})
}

// byName groups the items of ScanReconciled by partition and type, without their keys. Within a group the table has an
// order.
func byName(items []store.ReconciledItem) map[string][]store.ReconciledItem {
	sorted := map[string][]store.ReconciledItem{}
	for _, a := range items {
		kind := ""
		switch {
		case a.Transaction != nil:
			kind = "transaction"
		case a.Event != nil:
			kind = "event"
		case a.Entry != nil:
			kind = "entry"
		case a.Payable != nil:
			kind = "payable"
		case a.Payout != nil:
			kind = "payout"
		case a.Record != nil:
			kind = "record"
		}
		a.Key = store.ItemKey{}
		sorted[kind+" "+a.Name] = append(sorted[kind+" "+a.Name], a)
	}
	return sorted
}

var storedCheckouts = map[string]stored{
	"CreateCheckout": {
		sets: "Version is 1",
		write: func(w fixture) []storedtest.Read {
			c := w.fillCheckout()
			got, err := w.CreateCheckout(w.Context(), w.tenant, c)
			c.Version = 1
			wantAnswer(w, c, got, err)
			return append(w.checkout(c), storedtest.Expect("HostedCheckout", hosted{w.tenant, c},
				func(ctx context.Context) (hosted, error) {
					of, found, err := w.HostedCheckout(ctx, c.ID)
					return hosted{of, found}, err
				}))
		},
		unseen: storedtest.NotRead{"CHECKOUT write_id": "a creation recognises itself by its reference"},
	},
	"SaveCheckout": {
		sets: "Version is the next; the reference is taken by RenameCheckout alone",
		write: func(w fixture) []storedtest.Read {
			c := w.storeDraft()
			got, err := w.SaveCheckout(w.Context(), w.tenant, c)
			c.Version++
			wantAnswer(w, c, got, err)
			return w.checkout(c)
		},
		unseen: storedtest.NotRead{"CHECKOUT write_id": notRead},
	},
	"RenameCheckout": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			c := w.storeDraft()
			before := c.Reference
			c.Reference = "another"
			got, err := w.RenameCheckout(w.Context(), w.tenant, c)
			c.Version++
			wantAnswer(w, c, got, err)
			other := draft(before)
			return append(w.checkout(c), storedtest.Expect("another checkout of the former reference", "DUPLICATED_CHECKOUT",
				func(ctx context.Context) (string, error) { return w.codeOf(w.CreateCheckout(ctx, w.tenant, other)) }))
		},
		unseen: storedtest.NotRead{"CHECKOUT write_id": notRead},
	},
}

// hosted is a checkout as its payment page finds it.
type hosted struct {
	Tenant   identity.Tenant
	Checkout payments.Checkout
}

// fillCheckout returns an online checkout with all its fields.
func (w fixture) fillCheckout() payments.Checkout {
	w.Helper()
	c := w.fillCheckoutAtReader()
	c.Reader = nil
	return c
}

// fillCheckoutAtReader returns a checkout at a reader with all its fields.
func (w fixture) fillCheckoutAtReader() payments.Checkout {
	w.Helper()
	c := storedtest.Fill(w, w.Filler, func(c *payments.Checkout) { c.Shard = shard })
	return c.Restored(c.ID, w.tenant.Merchant)
}

// storeDraft stores the draft of a checkout, and returns the checkout with all its fields.
func (w fixture) storeDraft() payments.Checkout {
	w.Helper()
	c := w.fillCheckout()
	d := draft(c.Reference)
	d.ID = c.ID
	_, err := w.CreateCheckout(w.Context(), w.tenant, d)
	w.must(err)
	c.Version = 1
	return c
}

// checkout expects the only checkout from each read.
func (w fixture) checkout(c payments.Checkout) []storedtest.Read {
	due := store.Due{Tenant: w.tenant, CheckoutID: c.ID}
	return []storedtest.Read{
		storedtest.Expect("Checkout", c, func(ctx context.Context) (payments.Checkout, error) {
			return w.Checkout(ctx, w.tenant, c.ID)
		}),
		storedtest.Expect("Checkouts", []payments.Checkout{c}, func(ctx context.Context) ([]payments.Checkout, error) {
			return collect(w.Checkouts(ctx, w.tenant, allShards))
		}),
		storedtest.Expect("CheckoutsByReference", []payments.Checkout{c},
			func(ctx context.Context) ([]payments.Checkout, error) {
				return w.CheckoutsByReference(ctx, w.tenant, c.Reference)
			}),
		storedtest.Expect("CheckoutWithInstrument", c, func(ctx context.Context) (payments.Checkout, error) {
			found, _, err := w.CheckoutWithInstrument(ctx, w.tenant, c.ID, "nobody", "none")
			return found, err
		}),
		w.dueItems(due),
		w.fastPath(map[store.Due]time.Time{due: c.PollAt()}),
	}
}
