package dynamodb

import "time"

// change is an item's row before and after a write. Either row may be nil.
type change struct {
	table     *table
	old, next *row
	by        writer
}

// apply logs the changes together with note, and then makes the changes. If it returns an error, it has made none of
// them. Callers hold mu.
func (e *Engine) apply(note []byte, changes ...change) error {
	for _, c := range changes {
		if err := e.checkExists(c.table); err != nil {
			return err
		}
	}
	if e.log != nil {
		if err := e.persist(encode(note, changes)); err != nil {
			return err
		}
	}
	now := e.now()
	for _, c := range changes {
		switch {
		case c.next != nil:
			e.put(c.table, c.next, now)
		case c.old != nil:
			e.remove(c.table, c.old.order, now)
		}
		c.table.stream.recordChange(c, now)
	}
	return nil
}

// checkExists refuses a table that was deleted after the request looked it up. Callers hold mu.
func (e *Engine) checkExists(t *table) error {
	if e.tables[t.name] != t {
		return errNoTable
	}
	return nil
}

// put stores a row in the table and updates the table's indexes and expiry.
func (e *Engine) put(t *table, r *row, now time.Time) {
	old := t.rows.put(r)
	for i, ix := range t.indexes {
		e.propagate(t, ix, entryOf(old, i), r.entries[i], now)
	}
	if t.ttl.track(r) {
		e.wakeAt(e.deletionTime(t.ttl.deadlines[0].at))
	}
}

func (e *Engine) remove(t *table, order string, now time.Time) {
	old := t.rows.remove(order)
	for i, ix := range t.indexes {
		e.propagate(t, ix, entryOf(old, i), nil, now)
	}
}
