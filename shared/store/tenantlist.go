package store

import (
	"context"
	"hash/fnv"
	"iter"
	"strconv"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
)

// TenantShards is the number of partitions of the directory of tenants. A night has a segment for each.
const TenantShards = 16

// ListedTenant is an entry of the directory of all tenants, which the nights of reconcile walk.
type ListedTenant struct {
	Tenant identity.Tenant `dynamo:"-"`
	Begun  bool            `dynamo:"begun,omitempty"` // a night has proven the tenant from its first payment on
	// Settled has the currencies in which the tenant has closings of AcquirerBook. Every night checks them, because a
	// settlement that does not come leaves no trace elsewhere.
	Settled []string `dynamo:"settled,set,omitempty"`
}

func tenantKey(t identity.Tenant) key {
	hash := fnv.New32a()
	hash.Write([]byte(t.String()))
	return key{tenantPartition(int(hash.Sum32() % TenantShards)), tenantPrefix + t.String()}
}

const tenantPrefix = "TENANT#"

func tenantPartition(shard int) string { return KindTenants.named(strconv.Itoa(shard)) }

func listedTenantItem(l ListedTenant) storedItem {
	return storedItem{key: tenantKey(l.Tenant), value: l}
}

// ListTenant adds a tenant to the directory, unless the directory has it. CreateMerchant lists the tenants of new
// merchants.
func (s *Store) ListTenant(ctx context.Context, t identity.Tenant) error {
	put := s.table.Put(listedTenantItem(ListedTenant{Tenant: t})).If("attribute_not_exists(pk)")
	return ifRefused(put.Run(ctx), nil)
}

// IsListed returns true if the directory has the tenant.
func (s *View) IsListed(ctx context.Context, t identity.Tenant) (bool, error) {
	found, err := readOne[key](ctx, s, tenantKey(t), nil)
	return found.PK != "", err
}

// NoteSettled adds a currency to the Settled of a listed tenant.
func (s *Store) NoteSettled(ctx context.Context, t identity.Tenant, c money.Currency) error {
	return s.update(tenantKey(t)).AddStringsToSet("settled", string(c)).Run(ctx)
}

// Tenants walks a shard of the directory from a tenant on. "" means all.
func (s *View) Tenants(ctx context.Context, shard int, from string) iter.Seq2[ListedTenant, error] {
	query := s.table.get(partitionKey, tenantPartition(shard)).Consistent(true)
	if from != "" {
		query.Range(sortKey, dynamo.GreaterOrEqual, tenantPrefix+from)
	}
	type item struct {
		key
		ListedTenant
	}
	return func(yield func(ListedTenant, error) bool) {
		for i, err := range each[item](ctx, query.Iter()) {
			i.Tenant, _ = identity.ParseTenant(strings.TrimPrefix(i.SK, tenantPrefix))
			if !yield(i.ListedTenant, err) {
				return
			}
		}
	}
}
