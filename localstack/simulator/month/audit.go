package month

import (
	"maps"
	"reflect"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/shared/store"
)

// checkAudited sees that a write that has been done, and changes what an operator or a
// merchant may change of its account, writes one audit entry, and that any other write
// of it writes none.
func (m *month) checkAudited(puts []simulator.Item) {
	changed, entries := []string{}, 0
	for _, i := range puts {
		if i.Kind() == store.KindAudit {
			if m.checkEntry(i); i.Text("subject") == "merchant" { // others are of its keys
				entries++
			}
			continue
		}
		if view := audited(i); view != nil {
			pk := i.Text("pk")
			was, known := m.audited[pk]
			if !known && i.Text("sk") == "SCHEDULE" {
				was = simulator.Item{"held": false}
			}
			if m.audited[pk] = view; !reflect.DeepEqual(was, view) {
				changed = append(changed, pk)
			}
		}
	}
	books.CheckEntryCount(m.World, changed, entries)
}

// audited is what of an item is changed by an operator or a merchant; nil: nothing.
func audited(i simulator.Item) simulator.Item {
	switch sk := i.Text("sk"); {
	case sk == "MERCHANT", sk == "BANKACCOUNTS" && len(i.List("accounts")) > 0:
		view := maps.Clone(i)
		for _, name := range []string{"version", "write_id", "check_at", "due_pk", "due_sk"} {
			delete(view, name)
		}
		return view
	case sk == "SCHEDULE":
		return simulator.Item{"held": i["held"] == true}
	}
	return nil
}

// checkEntry: an audit entry says who did what, and is written once.
func (m *month) checkEntry(i simulator.Item) {
	key := i.Text("pk") + " " + i.Text("sk")
	if actor := i.Object("actor"); actor.Text("kind") == "" || i.Text("operation") == "" {
		m.Find("", "audit entry %s does not say who did what: %v", key, i)
	}
	if m.entries[key] {
		m.Find("", "audit entry %s is written twice", key)
	}
	m.entries[key] = true
}

// checkAudit: what is in the audit in the end is what was written into it.
func (m *month) checkAudit(items []simulator.Item) {
	kept := 0
	for _, i := range items {
		if i.Kind() == store.KindAudit {
			kept++
		}
	}
	if kept < len(m.entries) {
		m.Find("", "%d audit entries are left of %d", kept, len(m.entries))
	}
}
