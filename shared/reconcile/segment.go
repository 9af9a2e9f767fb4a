package reconcile

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// chunkSize is the number of items of a segment that are kept in memory at a time. One batch request reads the files'
// entries, and another the transactions and payouts that the items are about.
const chunkSize = 100

// chunk is a part of a segment.
type chunk struct {
	items []store.ReconciledItem
	files []store.ReconciledItem
	tasks map[subject]*task
	order []*task // the tasks in the order of the scan, so that a run repeats with the same calls
}

// balanceKey identifies a tenant's balances in one currency.
type balanceKey struct {
	tenant   identity.Tenant
	currency money.Currency
}

// proveSegment proves the items of a segment of the table that follow the item with the key after, until the context
// starting ends. It returns the key of the last item that it has proven, and true if it has proven the whole segment.
//
// Each transaction and payout is proven when the scan finds it. Any other item is part of a proof if the item's
// transaction or payout exists and expects the item under this key. Otherwise the item needs a proof itself.
func (r *run) proveSegment(ctx, starting context.Context, segment, segments int,
	after store.ItemKey) (last store.ItemKey, whole bool, err error) {
	c := &chunk{}
	for a, err := range r.Store.ScanReconciled(ctx, segment, segments, after) {
		if err != nil {
			return after, false, err
		}
		if c.items = append(c.items, a); len(c.items) < chunkSize {
			continue
		}
		if err := r.proveChunk(ctx, c); err != nil {
			return after, false, err
		}
		if after = a.Key; starting.Err() != nil {
			return after, false, nil
		}
		c = &chunk{}
	}
	return after, true, r.proveChunk(ctx, c)
}

// proveChunk proves the subjects of a chunk, and checks its files.
func (r *run) proveChunk(ctx context.Context, c *chunk) error {
	c.tasks = map[subject]*task{}
	if err := r.planProofs(ctx, c); err != nil {
		return err
	}
	if err := r.listTenants(ctx, c.tenants()); err != nil {
		return err
	}
	if err := r.proveAll(ctx, c.order); err != nil {
		return err
	}
	return r.checkFiles(ctx, c.files)
}

// listTenants adds tenants to the directory, which the nights walk. It adds each tenant once in a run.
func (r *run) listTenants(ctx context.Context, tenants []identity.Tenant) error {
	var unlisted []identity.Tenant
	for _, t := range tenants {
		if _, listed := r.listed.LoadOrStore(t, true); !listed {
			unlisted = append(unlisted, t)
		}
	}
	return inParallel(ctx, unlisted, r.Store.ListTenant)
}

// writers is the number of items that inParallel writes at a time.
const writers = 16

// inParallel writes items, several in parallel. It returns the first error.
func inParallel[Item any](ctx context.Context, all []Item, write func(context.Context, Item) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for _, item := range all {
		group.Go(func() error { return write(ctx, item) })
	}
	return group.Wait()
}

// about is an item and a subject that the item is about.
type about struct {
	item    store.ReconciledItem
	subject subject
}

// planProofs adds the tasks of the chunk's items.
func (r *run) planProofs(ctx context.Context, c *chunk) error {
	var parts []about
	roots := map[store.ItemKey]*store.ReconciledItem{} // nil: not read
	for _, a := range c.items {
		breaks, fits := appendItemBreaks(nil, a)
		r.addBreaks(breaks)
		if a.Broken == "" {
			r.count(a)
		}
		switch {
		case !fits:
		case a.File != nil:
			c.files = append(c.files, a)
		case a.Transaction != nil || a.Payout != nil:
			roots[a.Key] = &a
			c.task(rootOf(a)).primary = true
		}
		if !fits {
			continue
		}
		for _, s := range partOf(a) {
			parts = append(parts, about{a, s})
			if _, known := roots[s.key()]; !known {
				roots[s.key()] = nil
			}
		}
	}
	if err := r.readRoots(ctx, roots); err != nil {
		return err
	}
	for _, p := range parts {
		root := roots[p.subject.key()]
		if root != nil && reads(*root, p) {
			continue
		}
		t := c.task(p.subject)
		t.extras, t.primary = append(t.extras, p.item.Key), t.primary || root == nil
	}
	return nil
}

// readRoots reads those transactions and payouts that are nil in the map. The reads may lag, because a transaction or
// payout is never deleted: an item whose root was not found yet is only proven once more.
func (r *run) readRoots(ctx context.Context, roots map[store.ItemKey]*store.ReconciledItem) error {
	var keys []store.ItemKey
	for k, root := range roots {
		if root == nil {
			keys = append(keys, k)
		}
	}
	items, err := store.Reads{View: r.Store.View}.MoneyByKey(ctx, keys)
	for i := range items {
		if items[i].Transaction != nil || items[i].Payout != nil {
			roots[items[i].Key] = &items[i]
		}
	}
	return err
}

// tenants returns the tenants of the primary tasks.
func (c *chunk) tenants() []identity.Tenant {
	var tenants []identity.Tenant
	for _, t := range c.order {
		if t.primary {
			tenants = append(tenants, t.tenant)
		}
	}
	return tenants
}

func (c *chunk) task(s subject) *task {
	if c.tasks[s] == nil {
		c.tasks[s] = &task{subject: s}
		c.order = append(c.order, c.tasks[s])
	}
	return c.tasks[s]
}

// key returns the key of the transaction or payout with the subject's id.
func (s subject) key() store.ItemKey {
	if s.isTransaction() {
		return store.TransactionKey(s.tenant, s.id)
	}
	return store.PayoutKey(s.tenant, s.id)
}

// rootOf returns the subject of a transaction or payout.
func rootOf(a store.ReconciledItem) subject {
	if a.Transaction != nil {
		return subject{a.Tenant, a.Transaction.ID}
	}
	return subject{a.Tenant, a.Payout.ID}
}

// partOf returns the subjects that an item is a part of. An item that is a transaction or payout itself is part of
// none.
func partOf(a store.ReconciledItem) []subject {
	switch {
	case a.Event != nil:
		return []subject{{a.Tenant, a.Event.TransactionID}}
	case a.Entry != nil:
		return []subject{{a.Tenant, a.Entry.About.ID}}
	case a.Payable != nil:
		return []subject{{a.Tenant, aboutPayable(*a.Payable)}}
	case a.Record != nil:
		return []subject{{a.Tenant, a.Record.PayoutID}, {a.Tenant, aboutPayable(a.Record.Payable)}}
	case a.Line != nil:
		return []subject{{a.Tenant, a.Line.Subject}}
	default:
		return nil
	}
}

// reads returns true if the proof of the transaction or payout certainly reads the item.
func reads(root store.ReconciledItem, p about) bool {
	a := p.item
	switch {
	case a.Event != nil, a.Line != nil:
		return true
	case a.Entry != nil:
		return a.Name == payments.CodeOfID(p.subject.id) || root.Payout != nil && a.Name == p.subject.id
	case a.Record != nil && root.Payout != nil && a.Record.PayoutID == root.Payout.ID:
		return a.Record.Day == root.Payout.Day && a.Key == store.RecordKey(a.Tenant, *a.Record)
	case root.Transaction != nil:
		return expectsKey(a.Tenant, *root.Transaction, a.Key)
	default:
		return false
	}
}

// expectsKey returns true if a part of the transaction expects a payable or record under the key.
func expectsKey(t identity.Tenant, of payments.Transaction, k store.ItemKey) bool {
	for _, p := range of.Payouts {
		if expected, ok := partKey(t, of, p); ok && expected == k {
			return true
		}
	}
	return false
}
