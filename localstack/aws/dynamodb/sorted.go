package dynamodb

import (
	"slices"
	"strings"
)

// maxChunk limits how many rows one insertion moves.
const maxChunk = 256

// sorted keeps rows sorted, in chunks of at most maxChunk.
type sorted struct {
	chunks [][]*row
	count  int
	bytes  int
}

func compareRow(r *row, order string) int { return strings.Compare(r.order, order) }

// locate returns the chunk and place of order, or the place where order would be inserted.
func (s *sorted) locate(order string) (chunk, place int, found bool) {
	if last := len(s.chunks) - 1; last >= 0 { // fast path for a log's snapshot, which is sorted
		if end := s.chunks[last]; end[len(end)-1].order < order {
			return last, len(end), false
		}
	}
	chunk, exact := slices.BinarySearchFunc(s.chunks, order, func(c []*row, o string) int { return compareRow(c[0], o) })
	if !exact && chunk > 0 {
		chunk--
	}
	if chunk == len(s.chunks) {
		return chunk, 0, false
	}
	place, found = slices.BinarySearchFunc(s.chunks[chunk], order, compareRow)
	return chunk, place, found
}

func (s *sorted) get(order string) *row {
	chunk, place, found := s.locate(order)
	if !found {
		return nil
	}
	return s.chunks[chunk][place]
}

// put inserts a row and returns the row that it replaced, or nil.
func (s *sorted) put(r *row) (replaced *row) {
	chunk, place, found := s.locate(r.order)
	s.bytes += r.size
	if found {
		replaced = s.chunks[chunk][place]
		s.bytes -= replaced.size
		s.chunks[chunk][place] = r
		return replaced
	}
	s.count++
	if len(s.chunks) == 0 {
		s.chunks = [][]*row{{r}}
		return nil
	}
	grown := slices.Insert(s.chunks[chunk], place, r)
	s.chunks[chunk] = grown
	if len(grown) > maxChunk {
		half := slices.Clone(grown[maxChunk/2:])
		clear(grown[maxChunk/2:])
		s.chunks[chunk] = grown[:maxChunk/2]
		s.chunks = slices.Insert(s.chunks, chunk+1, half)
	}
	return nil
}

// remove removes a row and returns it, or nil if there is none.
func (s *sorted) remove(order string) (removed *row) {
	chunk, place, found := s.locate(order)
	if !found {
		return nil
	}
	removed = s.chunks[chunk][place]
	s.count--
	s.bytes -= removed.size
	s.chunks[chunk] = slices.Delete(s.chunks[chunk], place, place+1)
	if len(s.chunks[chunk]) == 0 {
		s.chunks = slices.Delete(s.chunks, chunk, chunk+1)
	}
	return removed
}

// span is a half-open range of orders (see schema.order). An empty high means no upper bound.
type span struct{ low, high string }

func (sp span) holds(order string) bool {
	return order >= sp.low && (sp.high == "" || order < sp.high)
}

// ascend visits the rows of a span in ascending order until visit returns false.
func (s *sorted) ascend(sp span, visit func(*row) bool) {
	chunk, place, _ := s.locate(sp.low)
	for ; chunk < len(s.chunks); chunk, place = chunk+1, 0 {
		for _, r := range s.chunks[chunk][place:] {
			if sp.high != "" && r.order >= sp.high || !visit(r) {
				return
			}
		}
	}
}

// descend visits the rows of a span in descending order until visit returns false.
func (s *sorted) descend(sp span, visit func(*row) bool) {
	last := len(s.chunks) - 1
	chunk, place := last, maxChunk
	if sp.high != "" {
		chunk, place, _ = s.locate(sp.high)
	}
	for chunk = min(chunk, last); chunk >= 0; chunk, place = chunk-1, maxChunk {
		rows := s.chunks[chunk]
		for _, r := range slices.Backward(rows[:min(place, len(rows))]) {
			if r.order < sp.low || !visit(r) {
				return
			}
		}
	}
}
