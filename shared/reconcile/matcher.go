package reconcile

import (
	"cmp"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
)

// subject is a transaction or payout, or whatever an id that is neither's names.
type subject struct {
	tenant uint32 // its index in matcher.tenants
	plain  bool   // the id has no hyphens: a payout's
	id     uuid.UUID
}

// residual is what does not cancel out for a subject: the sum, modulo 2⁶⁴, of a random number for each expected line,
// less those of the actual lines, plus the subject's sums, each times a random number. It is zero when everything
// matches, and otherwise with a probability of 2⁻⁶⁴.
type residual [comparisonCount]uint64

// The comparisons, each of which cancels out by itself.
const (
	internalComparison = iota // of our own records with each other
	acquirerComparison        // of the entries with the acquirer's statement
	bankComparison            // of the entries with the bank's statement
	comparisonCount
)

// balanceKey names a tenant's balances in one currency.
type balanceKey struct {
	tenant   identity.Tenant
	currency money.Currency
}

// matcher is all that the first pass keeps. What has cancelled out is deleted.
type matcher struct {
	mu      sync.Mutex
	seed    maphash.Seed
	weights [sumCount]uint64
	tenants []identity.Tenant
	numbers map[identity.Tenant]uint32
	left    map[subject]residual
	marked  map[subject]bool   // to be read again in any case
	notUUID map[subject]string // ids that are not UUIDs

	journals   map[balanceKey]int64 // sums of all postings; those of zero are absent
	reserves   map[balanceKey]reserve
	currencies map[balanceKey]bool // those with payables
	totals     map[totalKey]int64
	imbalances map[balanceKey]sums // of the suspects that were checked
}

type totalKey struct {
	account  string
	currency money.Currency
}

func newMatcher() *matcher {
	m := &matcher{seed: maphash.MakeSeed(), numbers: map[identity.Tenant]uint32{}, left: map[subject]residual{},
		marked: map[subject]bool{}, notUUID: map[subject]string{}, journals: map[balanceKey]int64{},
		reserves: map[balanceKey]reserve{}, currencies: map[balanceKey]bool{}, totals: map[totalKey]int64{},
		imbalances: map[balanceKey]sums{}}
	for i := range m.weights {
		m.weights[i] = maphash.Comparable(m.seed, i) | 1 // times an odd number, only zero is zero
	}
	return m
}

// subject is the one of an id: a UUID, with or without hyphens. Any other id is
// represented by its hash, and kept in notUUID.
func (m *matcher) subject(t identity.Tenant, id string) subject {
	n, known := m.numbers[t]
	if !known {
		n = uint32(len(m.tenants)) //nolint:gosec // each has a partition of its own: there are not four billion
		m.tenants, m.numbers[t] = append(m.tenants, t), n
	}
	u, err := uuid.Parse(id)
	switch {
	case err == nil && u.String() == id:
		return subject{n, false, u}
	case err == nil && digitsOf(u) == id:
		return subject{n, true, u}
	}
	s := subject{n, false, uuid.NewSHA1(uuid.Nil, []byte(id))}
	m.notUUID[s] = id
	return s
}

// digitsOf is the id without hyphens.
func digitsOf(id uuid.UUID) string { return hex.EncodeToString(id[:]) }

// add adds an item's sides to a comparison of the subject.
func (m *matcher) add(s subject, item sides, comparison int) {
	var x uint64
	for _, l := range item.expected {
		x += maphash.Comparable(m.seed, l)
	}
	for _, l := range item.actual {
		x -= maphash.Comparable(m.seed, l)
	}
	for i, minor := range item.sums {
		x += m.weights[i] * uint64(minor) //nolint:gosec // modulo 2⁶⁴, as the sum is
	}
	left := m.left[s]
	left[comparison] += x
	if left == (residual{}) {
		delete(m.left, s)
	} else {
		m.left[s] = left
	}
}

// suspect is a transaction or payout that may have a break, to be read again.
type suspect struct {
	tenant        identity.Tenant
	id            string
	notUUID       bool // ids of transactions are UUIDs
	checkAcquirer bool // its movements do not match
	checkBank     bool // its bank lines do not match
}

func (m *matcher) suspects() []suspect {
	for s := range m.left {
		m.marked[s] = true
	}
	all := make([]suspect, 0, len(m.marked))
	for s := range m.marked {
		id, isNotUUID := m.notUUID[s]
		switch {
		case s.plain:
			id, isNotUUID = digitsOf(s.id), true
		case !isNotUUID:
			id = s.id.String()
		}
		left := m.left[s]
		all = append(all, suspect{tenant: m.tenants[s.tenant], id: id, notUUID: isNotUUID,
			checkAcquirer: left[acquirerComparison] != 0, checkBank: left[bankComparison] != 0})
	}
	slices.SortFunc(all, func(a, b suspect) int {
		return cmp.Or(cmp.Compare(a.tenant.String(), b.tenant.String()), cmp.Compare(a.id, b.id))
	})
	return all
}

func (m *matcher) total(account string, a money.Amount) {
	m.totals[totalKey{account, a.Currency()}] += a.Minor()
}
