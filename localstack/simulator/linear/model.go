package linear

import "github.com/anishathalye/porcupine"

const maxRequests = 64 // limits the requests of a history

// model is a transaction whose refunds happen one after the other.
type model struct {
	History
	groups []string
}

// state is comparable because the checker requires it.
type state struct {
	rest         int64
	reserved     [maxRequests]int64 // by group: reserved amount
	reservedBy   [maxRequests]int8  // by group: the request whose release can still end the reserve, or -1
	everReserved uint64             // groups that have reserved something
	closed       uint64             // requests that cannot reserve anything any more
}

// Points in time of a request.
type (
	ask           int // the request takes effect
	returnReserve int // the request's reserve is released, if it reserved anything
)

// operations returns the points in time of all requests.
func (m model) operations() []porcupine.Operation {
	var all []porcupine.Operation
	add := func(i int, point any, until int64) {
		all = append(all, porcupine.Operation{ClientId: i, Input: point, Call: m.Requests[i].Call, Return: until})
	}
	for i, r := range m.Requests {
		add(i, ask(i), r.Return)
		switch {
		case r.Firm, r.Answer == ShowsLeft:
		case m.mustRelease(r):
			add(i, returnReserve(i), r.Return)
		case r.Answer == Unknown || m.declinable(r):
			add(i, returnReserve(i), Never)
		}
	}
	return all
}

// mustRelease returns true if the request's reserve must be released before the request is answered.
func (model) mustRelease(r Request) bool { return r.Answer == Refused || r.Answer == NotTaken }

// declinable returns true if the acquirer may decline the request.
func (m model) declinable(r Request) bool { return r.Amount == 0 || m.Declinable(r.Amount) }

func (m model) porcupine() porcupine.Model {
	n := porcupine.NondeterministicModel{
		Init: func() []any {
			s := state{rest: m.Captured}
			for g := range s.reservedBy {
				s.reservedBy[g] = -1
			}
			return []any{s}
		},
		Step: func(s, point, _ any) []any {
			switch i := point.(type) {
			case ask:
				return m.ask(s.(state), int(i))
			default:
				return m.returnReserve(s.(state), int(i.(returnReserve)))
			}
		},
		Hash: func(s any) uint64 { return s.(state).hash() },
	}
	return n.ToModel()
}

// hash returns a number that differs for most states. The checker needs no more.
func (s state) hash() uint64 {
	h := uint64(s.rest)*0x9E3779B97F4A7C15 ^ s.everReserved<<17 ^ s.closed
	for g, x := range s.reserved {
		if x > 0 {
			h = (h ^ uint64(x)<<8 ^ uint64(g)) * 0x100000001B3
		}
	}
	return h
}

// ask returns the possible states after request i takes effect, if its answer fits the state.
func (m model) ask(s state, i int) (next []any) {
	r, g := m.Requests[i], m.groupOf(i)
	after, fits := m.reserve(s, i)
	switch r.Answer {
	case ShowsLeft: // a read, or a refusal that names the rest
		if r.Rest == s.rest && (r.Group == "" || s.reserved[g] == 0 && !fits) {
			next = append(next, s)
		}
	case Made:
		switch {
		case s.reserved[g] > 0:
			next = append(next, m.seal(s, g))
		case fits:
			next = append(next, m.seal(after, g))
		}
		if s.reserved[g] == 0 && s.everReserved>>g&1 == 1 && m.declinable(r) { // a replay of an earlier answer
			next = append(next, s)
		}
	case Refused:
		if s.reserved[g] == 0 && !fits {
			next = append(next, s)
		}
		if fits && m.Declinable(after.reserved[g]) && s.isOpen(i) && !r.Firm {
			next = append(next, after)
		}
	case NotTaken:
		if fits && s.isOpen(i) {
			next = append(next, after)
		}
	default: // a request without an effect can be last in the order, after every observation
		next = append(next, after)
	}
	return next
}

// reserve reserves the amount of request i. It returns false if that is impossible.
func (m model) reserve(s state, i int) (state, bool) {
	r, g := m.Requests[i], m.groupOf(i)
	x := r.Amount
	if x == 0 {
		x = s.rest
	}
	if s.reserved[g] > 0 || x <= 0 || x > s.rest {
		return s, false
	}
	s.rest -= x
	s.reserved[g], s.everReserved = x, s.everReserved|1<<g
	if !r.Firm {
		s.reservedBy[g] = int8(i)
	}
	return s, true
}

// seal returns the state after a refund of the group was answered as made. From then on, no request can release the
// reserve. The only exception is an amount that the acquirer may decline.
func (m model) seal(s state, g int) state {
	if !m.Declinable(s.reserved[g]) {
		s.reservedBy[g] = -1
	}
	return s
}

func (s state) isOpen(i int) bool { return s.closed>>i&1 == 0 }

// returnReserve returns the state after the reserve of request i was released. If the release may never have happened,
// the order can place it last, after every observation.
func (m model) returnReserve(s state, i int) []any {
	r, g := m.Requests[i], m.groupOf(i)
	mine := s.reserved[g] > 0 && s.reservedBy[g] == int8(i)
	released := s
	released.rest += s.reserved[g]
	released.reserved[g], released.reservedBy[g] = 0, -1
	switch {
	case mine:
		s = released
	case m.mustRelease(r):
		s.closed |= 1 << i
	}
	return []any{s}
}

func (m model) groupOf(i int) int {
	for g, name := range m.groups {
		if name == m.Requests[i].Group {
			return g
		}
	}
	panic("linear: a request without a group")
}
