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

// subject identifies a transaction or a payout. An id that belongs to neither is a subject, too.
type subject struct {
	tenant uint32 // index in matcher.tenants
	plain  bool   // the id has no hyphens, like a payout's id
	id     uuid.UUID
}

// residual is a sum that is zero when everything about a subject matches. The sum is taken modulo 2⁶⁴. Each expected
// line adds the line's random number, and each actual line subtracts that number. The subject's sums are added, each
// multiplied by a random number. If something does not match, the residual is practically never zero: random numbers
// of 63 or 64 bits would have to cancel out by chance.
type residual [comparisonCount]uint64

// Comparisons. The lines and sums of each comparison cancel out separately.
const (
	internalComparison = iota // compares our own records with each other
	acquirerComparison        // compares the entries with the acquirer's statement
	bankComparison            // compares the entries with the bank's statement
	comparisonCount
)

// balanceKey identifies a tenant's balances in one currency.
type balanceKey struct {
	tenant   identity.Tenant
	currency money.Currency
}

// matcher holds the data that the first pass keeps. It deletes a subject whose lines cancel out.
type matcher struct {
	mu      sync.Mutex
	seed    maphash.Seed
	weights [sumCount]uint64
	tenants []identity.Tenant
	numbers map[identity.Tenant]uint32
	left    map[subject]residual
	marked  map[subject]bool   // subjects that are always read again
	notUUID map[subject]string // ids that are not UUIDs

	journals   map[balanceKey]int64 // sums of all postings; sums of zero are absent
	reserves   map[balanceKey]reserve
	currencies map[balanceKey]bool // tenants' currencies that have payables
	totals     map[totalKey]int64
	imbalances map[balanceKey]sums // sums of the suspects that were checked
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
		m.weights[i] = maphash.Comparable(m.seed, i) | 1 // an odd factor gives zero only for zero
	}
	return m
}

// internSubject returns the subject of an id, and registers the tenant. A usual id is a UUID with or without hyphens.
// For any other id the subject has a hash, and notUUID stores the id itself.
func (m *matcher) internSubject(t identity.Tenant, id string) subject {
	n, known := m.numbers[t]
	if !known {
		n = uint32(len(m.tenants)) //nolint:gosec // there are never 2³² tenants
		m.tenants, m.numbers[t] = append(m.tenants, t), n
	}
	u, err := uuid.Parse(id)
	switch {
	case err == nil && u.String() == id:
		return subject{n, false, u}
	case err == nil && hexOf(u) == id:
		return subject{n, true, u}
	}
	s := subject{n, false, uuid.NewSHA1(uuid.Nil, []byte(id))}
	m.notUUID[s] = id
	return s
}

// hexOf returns the id without hyphens.
func hexOf(id uuid.UUID) string { return hex.EncodeToString(id[:]) }

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

// suspect is a transaction or payout that may have a break, and is read again.
type suspect struct {
	tenant        identity.Tenant
	id            string
	notUUID       bool // the id is no UUID, so it belongs to no transaction
	checkAcquirer bool // the suspect's movements do not match
	checkBank     bool // the suspect's bank lines do not match
}

func (m *matcher) collectSuspects() []suspect {
	for s := range m.left {
		m.marked[s] = true
	}
	all := make([]suspect, 0, len(m.marked))
	for s := range m.marked {
		id, isNotUUID := m.notUUID[s]
		switch {
		case s.plain:
			id, isNotUUID = hexOf(s.id), true
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

func (m *matcher) addTotal(account string, a money.Amount) {
	m.totals[totalKey{account, a.Currency()}] += a.Minor()
}
