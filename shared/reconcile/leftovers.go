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

// subject is a transaction or a payout, or what claims to belong to one.
type subject struct {
	tenant uint32 // its place in leftovers.tenants
	plain  bool   // the id has no hyphens: a payout's
	id     uuid.UUID
}

// leftover is what does not cancel out of a subject: the sum, modulo 2⁶⁴, of a
// random number for each fact called for, less those of the facts found, and
// of the subject's sums, each times a random number. It is zero when all
// agree, and else with a probability of 2⁻⁶⁴.
type leftover [sourceCount]uint64

// The sources of evidence, each of which comes to zero by itself.
const (
	ofBooks    = iota
	ofAcquirer // its statement, against the entries
	ofBank     // likewise
	sourceCount
)

// purse is a tenant's money in one currency.
type purse struct {
	tenant   identity.Tenant
	currency money.Currency
}

// leftovers are all that a pass remembers. What has cancelled out is forgotten.
type leftovers struct {
	mu      sync.Mutex
	seed    maphash.Seed
	weights [sumCount]uint64
	tenants []identity.Tenant
	numbers map[identity.Tenant]uint32
	left    map[subject]leftover
	marked  map[subject]bool   // to be read again whatever is left
	odd     map[subject]string // ids that are no UUIDs

	journals   map[purse]int64 // sums of all postings; those of zero are absent
	holdings   map[purse]holding
	currencies map[purse]bool // those in which rows wait
	totals     map[totalKey]int64
	apart      map[purse]sums // of the suspects, once they were judged
}

type totalKey struct {
	account  string
	currency money.Currency
}

func newLeftovers() *leftovers {
	l := &leftovers{seed: maphash.MakeSeed(), numbers: map[identity.Tenant]uint32{}, left: map[subject]leftover{},
		marked: map[subject]bool{}, odd: map[subject]string{}, journals: map[purse]int64{}, holdings: map[purse]holding{},
		currencies: map[purse]bool{}, totals: map[totalKey]int64{}, apart: map[purse]sums{}}
	for i := range l.weights {
		l.weights[i] = maphash.Comparable(l.seed, i) | 1 // an odd number cancels nothing but zero
	}
	return l
}

// subject is that of the id. Ids are UUIDs, or as many digits; another is
// remembered by its hash, and kept beside.
func (l *leftovers) subject(t identity.Tenant, id string) subject {
	n, known := l.numbers[t]
	if !known {
		n = uint32(len(l.tenants))
		l.tenants, l.numbers[t] = append(l.tenants, t), n
	}
	u, err := uuid.Parse(id)
	switch {
	case err == nil && u.String() == id:
		return subject{n, false, u}
	case err == nil && digitsOf(u) == id:
		return subject{n, true, u}
	}
	s := subject{n, false, uuid.NewSHA1(uuid.Nil, []byte(id))}
	l.odd[s] = id
	return s
}

// digitsOf the id, without hyphens.
func digitsOf(id uuid.UUID) string { return hex.EncodeToString(id[:]) }

// add weighs the evidence against what is left of the subject.
func (l *leftovers) add(s subject, e evidence, source int) {
	var x uint64
	for _, f := range e.calls {
		x += maphash.Comparable(l.seed, f)
	}
	for _, f := range e.is {
		x -= maphash.Comparable(l.seed, f)
	}
	for i, minor := range e.sums {
		x += l.weights[i] * uint64(minor)
	}
	left := l.left[s]
	left[source] += x
	if left == (leftover{}) {
		delete(l.left, s)
	} else {
		l.left[s] = left
	}
}

// suspect is a subject to be read again; moves and booked say that the
// acquirer's or the bank's statement is part of the suspicion.
type suspect struct {
	tenant identity.Tenant
	id     string
	odd    bool // the id is no UUID
	moves  bool
	booked bool
}

func (l *leftovers) suspects() []suspect {
	for s := range l.left {
		l.marked[s] = true
	}
	all := make([]suspect, 0, len(l.marked))
	for s := range l.marked {
		id, isOdd := l.odd[s]
		switch {
		case s.plain:
			id, isOdd = digitsOf(s.id), true
		case !isOdd:
			id = s.id.String()
		}
		left := l.left[s]
		all = append(all, suspect{l.tenants[s.tenant], id, isOdd, left[ofAcquirer] != 0, left[ofBank] != 0})
	}
	slices.SortFunc(all, func(a, b suspect) int {
		return cmp.Or(cmp.Compare(a.tenant.String(), b.tenant.String()), cmp.Compare(a.id, b.id))
	})
	return all
}

func (l *leftovers) total(account string, a money.Amount) {
	l.totals[totalKey{account, a.Currency()}] += a.Minor()
}
