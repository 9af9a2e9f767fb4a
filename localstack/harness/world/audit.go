package world

import (
	"encoding/json"
	"fmt"
)

// AuditEntry is an entry of a merchant's audit, as an operator lists it.
type AuditEntry struct {
	Operation, Subject, Mode string
	Actor                    struct{ Kind, ID, Email, Source string }
	Before, After            json.RawMessage
}

// String returns the mode, the actor, the operation and the change as one text.
func (e AuditEntry) String() string {
	return fmt.Sprintf("%s %s %s: %s %s %s", e.Mode, e.Actor.Kind, e.Actor.Email, e.Operation, e.Before, e.After)
}

// Audit returns the entries of the merchant's audit, the oldest first.
func (s Shop) Audit() []AuditEntry {
	s.Helper()
	var all []AuditEntry
	for after := ""; ; {
		var page struct {
			Entries []AuditEntry
			After   string
		}
		s.Operate(map[string]any{"command": "list_audit", "merchant_code": s.Merchant.Code, "limit": 1000, "after": after},
			&page)
		all = append(all, page.Entries...)
		if after = page.After; after == "" {
			return all
		}
	}
}

// AuditOf returns the entries about a subject as text, and their operations.
func (s Shop) AuditOf(subject string) (entries, operations []string) {
	s.Helper()
	for _, e := range s.Audit() {
		if e.Subject == subject {
			entries, operations = append(entries, e.String()), append(operations, e.Operation)
		}
	}
	return entries, operations
}
