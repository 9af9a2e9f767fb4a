package simulator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/store"
)

// peopleWrites is what has been written about roles, members and keys.
type peopleWrites struct {
	made    map[string]string // tenant and mark of what was made → its id
	marks   map[string]string // id → mark
	mails   map[string]item   // that are owed, by id
	revoked map[string]int64  // when keys were, in logical time, by id
	entries map[string]bool   // of the audit, by key
	tokens  map[string]bool   // of transactions
	before  map[string]item   // members as they are, or were last, by id
	sent    map[string][]any  // when addresses were invited of late, by key
	days    map[string]string // tenant and day of invitations and new keys, by id
	keep    map[string]bool   // whether the keys of a member who has left stay, by the member's id
}

func newPeopleWrites() peopleWrites {
	return peopleWrites{made: map[string]string{}, marks: map[string]string{}, mails: map[string]item{},
		revoked: map[string]int64{}, entries: map[string]bool{}, tokens: map[string]bool{}, before: map[string]item{},
		days: map[string]string{}, sent: map[string][]any{}, keep: map[string]bool{}}
}

// ofPeople says whether a partition holds a tenant's roles, members or keys.
func ofPeople(pk string) bool {
	return slices.Contains([]store.Kind{store.KindMembers, store.KindRoles, store.KindAPIKey}, partition(pk).Kind)
}

// writesPeople says whether a call writes any of those.
func writesPeople(operation string, body []byte) bool {
	return (operation == "TransactWriteItems" || operation == "PutItem" || operation == "UpdateItem") &&
		slices.ContainsFunc(valuesOf(string(body), "pk"), ofPeople)
}

// committed is called with each write of an item that has been done.
func (p *people) committed(by *invocation, operation string, body []byte) {
	if len(p.offices) == 0 || !writesPeople(operation, body) { // merchants are made before, with all that they have
		return
	}
	call := readTransaction(body)
	if p.writes.tokens[call.ClientRequestToken] { // it was done before, and its reply lost
		return
	}
	p.record(func() { p.writes.tokens[call.ClientRequestToken] = call.ClientRequestToken != "" })
	w := &peopleWrite{people: p}
	for _, one := range call.TransactItems {
		if put := item(plainItem(one.Put.Item)); len(put) > 0 {
			w.put(put)
		}
		if key := item(plainItem(one.Delete.Key)); len(key) > 0 {
			w.deleted(key)
		}
	}
	w.check()
	for _, o := range p.offices {
		o.checkRightsOf(by, w.changed)
	}
	p.checkOffices()
}

// peopleWrite is one transaction.
type peopleWrite struct {
	*people
	changed []string // keys of members, roles and keys
	entries []item
	mails   []item
	owes    string // what a mail has to tell of
	about   string // id of the member that is changed
	keys    int    // number of keys that end
}

// put notes an item that was put.
func (w *peopleWrite) put(i item) {
	pk, sk := i.text("pk"), i.text("sk")
	at := partition(pk)
	switch {
	case at.Kind == store.KindAudit:
		w.entries = append(w.entries, i)
	case strings.HasPrefix(pk, "MAIL#"):
		w.mails = append(w.mails, i)
	case strings.HasPrefix(pk, "INVITATION#"):
		tenant := i.text("mode") + "#" + i.text("merchant_code")
		w.record(func() { w.writes.made[tenant+" invitation "+at.Last] = i.text("member_id") })
	case at.Kind == store.KindMembers && strings.HasPrefix(sk, "MEMBER#"):
		w.changed, w.about = append(w.changed, pk+" "+sk), i.text("id")
		w.made(i, cmp.Or(noteOf(i.text("metadata")), i.text("nickname")))
		w.owe(i)
	case at.Kind == store.KindMembers && strings.HasPrefix(sk, "INVITED#"):
		w.invitedTo(i)
	case at.Kind == store.KindRoles && sk == "ROLES":
		w.changed = append(w.changed, pk+" "+sk)
		for _, role := range i.list("roles") {
			role["pk"] = pk
			w.made(role, role.text("name"))
		}
	case at.Kind == store.KindAPIKey && strings.HasPrefix(sk, "KEY#"):
		w.changed = append(w.changed, pk+" "+sk)
		w.made(i, i.text("name"))
		if i["version"] == "1" {
			w.owes = i.text("id")
			w.counts(i)
		}
	case at.Kind == store.KindAPIKey && strings.HasPrefix(sk, "DELETED#"):
		now := w.logicalTime()
		w.record(func() { w.writes.revoked[i.text("id")] = now })
	}
}

// invitedTo: of the invitations to an address none is forgotten within an hour.
func (w *peopleWrite) invitedTo(i item) {
	key := i.text("pk") + " " + i.text("sk")
	times, _ := i["times"].([]any)
	for _, was := range w.writes.sent[key] {
		at, _ := time.Parse(time.RFC3339Nano, fmt.Sprint(was))
		if !slices.Contains(times, was) && w.now().Before(at.Add(time.Hour-2*maxSkew)) {
			w.find("", "an invitation of %v is forgotten: %s has those of %v", was, key, times)
		}
	}
	w.record(func() { w.writes.sent[key] = times })
}

// made notes what is seen for the first time.
func (w *peopleWrite) made(i item, mark string) {
	id := i.text("id")
	w.record(func() {
		if _, known := w.writes.marks[id]; !known {
			w.writes.marks[id] = mark
			w.writes.made[i.tenant()+" "+mark] = id
		}
	})
}

// owe notes that a member's change owes it a mail: its invitation, or that it was disabled.
func (w *peopleWrite) owe(i item) {
	before := w.writes.before[i.text("id")]
	invited := i.object("invite").text("id")
	switch {
	case before == nil && invited != "":
		w.expects(i)
		w.owes = "invitation of " + i.text("id")
		w.counts(i)
	case before != nil && before.text("disabled_at") == "" && i.text("disabled_at") != "":
		w.owes = "disabling of " + i.text("id")
	}
	w.writes.before[i.text("id")] = i
}

// expects has all offices' plots turn to who was invited to the address that all invite.
func (w *peopleWrite) expects(i item) {
	for _, o := range w.offices {
		if i.tenant() == o.shop.tenant && i.text("email") == sameGuest {
			w.record(func() { o.hot.guest = i.text("id") })
		}
	}
}

// counts notes the day of an invitation or a new key, of which there is a limit.
func (w *peopleWrite) counts(i item) {
	day, _, _ := strings.Cut(i.text("created_at"), "T")
	w.record(func() { w.writes.days[i.text("id")] = i.text("pk") + " " + day })
}

func (w *peopleWrite) deleted(key item) {
	pk, sk := key.text("pk"), key.text("sk")
	if !ofPeople(pk) || !strings.HasPrefix(sk, "MEMBER#") && !strings.HasPrefix(sk, "KEY#") {
		return
	}
	w.changed = append(w.changed, pk+" "+sk)
	for _, o := range w.offices {
		for _, was := range append(slices.Clone(o.last.apiKeys), o.last.members...) {
			switch {
			case was.text("pk") != pk || was.text("sk") != sk:
			case strings.HasPrefix(sk, "KEY#"):
				w.keys++
				now := w.logicalTime()
				w.record(func() { w.writes.revoked[was.text("id")] = now })
			default:
				w.about = was.text("id")
			}
		}
	}
}

// check: each change writes one audit entry, and the mail that it owes, and nothing else
// writes any.
func (w *peopleWrite) check() {
	want := min(len(w.changed), 1)
	if w.about != "" { // the keys of a member who leaves have an entry each
		want += w.keys
	}
	if len(w.entries) != want {
		w.find("", "a change of %v has %d audit entries, want %d", w.changed, len(w.entries), want)
	}
	for _, e := range w.entries {
		key := e.text("pk") + " " + e.text("sk")
		if e.object("actor").text("kind") == "" || e.text("operation") == "" {
			w.find("", "audit entry %s does not say who did what: %v", key, e)
		}
		w.record(func() { w.writes.entries[key] = true })
	}
	w.checkKeysMail()
	want = 0
	if w.owes != "" {
		want = 1
	}
	if len(w.mails) != want {
		w.find("", "the change %v owes %d mails, and writes %d", w.changed, want, len(w.mails))
	}
	for _, m := range w.mails {
		if owed := w.writes.mails[m.text("id")]; owed != nil && owed.text("about what") != w.owes {
			w.find("", "the mail %s tells of %s and of %s", m.text("id"), owed.text("about what"), w.owes)
		}
		m["about what"] = w.owes
		w.record(func() { w.writes.mails[m.text("id")] = m })
	}
}

// checkKeysMail checks that the mail about the keys of a member who leaves tells whether they end in this change. It
// then removes that mail from w.mails, and records whether the keys stay.
func (w *peopleWrite) checkKeysMail() {
	at := slices.IndexFunc(w.mails, func(m item) bool { return mail.Kind(m.text("kind")).Lists() })
	kept := at >= 0 && w.mails[at].text("kind") == string(mail.MemberKeysKept)
	if ended := w.about != "" && w.keys > 0; ended != (at >= 0 && !kept) {
		w.find("", "the change %v ends %d keys, and tells of it: %t", w.changed, w.keys, at >= 0)
	}
	if at >= 0 {
		w.record(func() { w.writes.keep[w.about] = kept })
		w.mails = slices.Delete(w.mails, at, at+1)
	}
}
