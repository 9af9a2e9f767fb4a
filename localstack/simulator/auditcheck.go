package simulator

import (
	"maps"
	"reflect"

	"github.com/cashwrap/cashwrap/shared/store"
)

// checkAudited sees that a write that has been done, and changes what an operator or a
// merchant may change of its account, writes one audit entry, and that any other write
// of it writes none.
func (m *month) checkAudited(puts []item) {
	changed, entries := []string{}, 0
	for _, i := range puts {
		if i.kind() == store.KindAudit {
			if m.checkEntry(i); i.text("subject") == "merchant" { // others are of its keys
				entries++
			}
			continue
		}
		if view := audited(i); view != nil {
			pk := i.text("pk")
			was, known := m.audited[pk]
			if !known && i.text("sk") == "SCHEDULE" {
				was = item{"held": false}
			}
			if m.audited[pk] = view; !reflect.DeepEqual(was, view) {
				changed = append(changed, pk)
			}
		}
	}
	checkEntryCount(m.World, changed, entries)
}

// audited is what of an item is changed by an operator or a merchant; nil: nothing.
func audited(i item) item {
	switch sk := i.text("sk"); {
	case sk == "MERCHANT", sk == "BANKACCOUNTS" && len(i.list("accounts")) > 0:
		view := maps.Clone(i)
		for _, name := range []string{"version", "write_id", "check_at", "due_pk", "due_sk"} {
			delete(view, name)
		}
		return view
	case sk == "SCHEDULE":
		return item{"held": i["held"] == true}
	}
	return nil
}

// checkEntry: an audit entry says who did what, and is written once.
func (m *month) checkEntry(i item) {
	key := i.text("pk") + " " + i.text("sk")
	if actor := i.object("actor"); actor.text("kind") == "" || i.text("operation") == "" {
		m.find("", "audit entry %s does not say who did what: %v", key, i)
	}
	if m.entries[key] {
		m.find("", "audit entry %s is written twice", key)
	}
	m.entries[key] = true
}

// checkAudit: what is in the audit in the end is what was written into it.
func (m *month) checkAudit(items []item) {
	kept := 0
	for _, i := range items {
		if i.kind() == store.KindAudit {
			kept++
		}
	}
	if kept < len(m.entries) {
		m.find("", "%d audit entries are left of %d", kept, len(m.entries))
	}
}
