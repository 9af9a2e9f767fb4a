package store

import (
	"context"
	"iter"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
)

// AuditCursor returns the place of an entry in the audit of its merchant.
func AuditCursor(e audit.Entry) string { return auditKey("", e).SK }

// AuditEntries walks the entries of a merchant's audit between two times, oldest first, consistently. With a cursor
// other than "" it yields only the entries after the cursor. An error ends the walk.
func (s *View) AuditEntries(ctx context.Context, code string, from, to time.Time,
	after string) iter.Seq2[audit.Entry, error] {
	first, last := max(micros(from), after), micros(to)+afterTime
	return func(yield func(audit.Entry, error) bool) {
		if first > last { // DynamoDB refuses such a range
			return
		}
		items := s.table.get(partitionKey, auditPartition(code)).
			Range(sortKey, dynamo.Between, first, last).Consistent(true).Iter()
		for e, err := range each[audit.Entry](ctx, items) {
			if (err != nil || AuditCursor(e) != after) && !yield(e, err) {
				return
			}
		}
	}
}
