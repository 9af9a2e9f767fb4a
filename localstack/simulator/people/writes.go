package people

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// made is a role, member or key that a request has created.
type made struct {
	id string
	at int64 // in logical time
}

// isPeoplePartition returns true for a partition with a tenant's roles, members or keys.
func isPeoplePartition(pk string) bool {
	p, ok := store.ParsePartition(pk)
	return ok && slices.Contains([]store.Kind{store.KindMembers, store.KindRoles, store.KindAPIKey}, p.Kind)
}

// isPeopleWrite returns true for the summary of a write of roles, members or keys.
func isPeopleWrite(call string) bool {
	operation, keys, _ := strings.Cut(call, " ")
	return (operation == "TransactWriteItems" || operation == "PutItem" || operation == "UpdateItem") &&
		slices.ContainsFunc(strings.Fields(keys), isPeoplePartition)
}

// peopleWrite is one transaction that changes roles, members or keys.
type peopleWrite struct {
	*people
	actor       string
	inBrowser   bool               // a guest's request without a credential
	caller      identity.Principal // with its rights just before the write
	err         error              // set if the credential is invalid just before the write
	after       records
	memberEdits []edit[member.Member]
	roleEdits   []edit[member.Role]
	keyEdits    []edit[identity.APIKey]
}

// edit is a change of a role, member or key. before is zero for a new one, and after for a deleted one.
type edit[T any] struct{ before, after T }

// edits returns the changes from before to after, in the order of their ids.
func edits[T any](before, after map[string]T) (list []edit[T]) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, id := range simulator.Sorted(all) {
		if !reflect.DeepEqual(before[id], after[id]) {
			list = append(list, edit[T]{before[id], after[id]})
		}
	}
	return list
}

// Committing reads the caller's rights just before a write. The function committed then checks the write.
func (p *people) Committing(by *simulator.Invocation, operation string, body []byte) (committed func()) {
	if p.begin.members == nil || !isPeopleWrite(calls.Summary(operation, body)) {
		return func() {}
	}
	w := &peopleWrite{people: p, actor: by.Actor, inBrowser: by.Bearer == ""}
	if !w.inBrowser {
		token, _ := identity.ParseToken(by.Bearer)
		w.caller, _, w.err = p.store.Authenticate(p.ctx(), token, p.Merchant)
	}
	return func() {
		if _, first := p.ReadWrite(body); !first { // a retry after a lost reply
			return
		}
		w.after = p.readRecords()
		w.memberEdits, w.roleEdits = edits(p.last.members, w.after.members), edits(p.last.customRoles, w.after.customRoles)
		w.keyEdits = edits(p.last.keys, w.after.keys)
		w.check()
		p.checkRecords(w.after)
		p.last = w.after
	}
}

func (w *peopleWrite) check() {
	if len(w.memberEdits)+len(w.roleEdits)+len(w.keyEdits) > 0 && !w.inBrowser {
		w.checkRights()
	}
	for key, times := range w.last.invited {
		for _, was := range times {
			at, _ := time.Parse(time.RFC3339Nano, fmt.Sprint(was))
			if now, there := w.after.invited[key]; there && !slices.Contains(now, was) &&
				w.Now().Before(at.Add(member.InvitationsWithin-2*simulator.MaxSkew)) {
				w.Find("", "an invitation of %v is forgotten: %s has those of %v", was, key, now)
			}
		}
	}
	for _, m := range w.memberEdits {
		w.noteMember(m)
	}
	for _, r := range w.roleEdits {
		w.noteMade("roles", r.before.ID, r.after.ID, r.after.Name)
	}
	for _, k := range w.keyEdits {
		w.noteMade("api-keys", k.before.ID, k.after.ID, k.after.Name)
		switch {
		case k.before.ID == "":
			w.created[keysOn+k.after.CreatedAt.Format(time.DateOnly)]++
		case k.after.ID == "":
			w.endCredentials(func(h *holder) bool { return h.key == k.before.ID })
			if len(w.memberEdits) > 0 { // when a member leaves, no request names the member's keys
				now := w.LogicalTime()
				w.ends = append(w.ends, linear.RecordRequest{ID: k.before.ID, Change: &linear.RecordChange{Delete: true},
					Call: now, Return: now})
			}
		}
	}
}

// noteMade records a new role, member or key by the mark of its request. The request must not have made another.
func (w *peopleWrite) noteMade(collection, before, after, mark string) {
	if before != "" {
		return
	}
	if first, again := w.made[mark]; again {
		w.Find("", "%s was made twice, as %s and %s", mark, first.id, after)
	}
	w.made[mark] = made{after, w.LogicalTime()}
	w.ids[collection] = append(w.ids[collection], after)
}

// noteMember records the effects of a change of a member. It ends the member's access if the member is deleted or
// disabled, loses a role, or changes its passwords.
func (w *peopleWrite) noteMember(m edit[member.Member]) {
	w.noteMade("members", m.before.ID, m.after.ID, noteOf(m.after))
	w.accepted[m.before.ID] = w.accepted[m.before.ID] || m.before.UserID != ""
	w.accepted[m.after.ID] = w.accepted[m.after.ID] || m.after.UserID != ""
	if m.before.ID == "" && m.after.Invited() {
		w.created[invitationsOn+m.after.CreatedAt.Format(time.DateOnly)]++
		if m.after.Email == sameGuest {
			w.guest = m.after.ID
		}
	}
	disabled := m.after.Disabled() && !m.before.Disabled()
	if had := w.last.keysOf(m.before.ID); had > 0 && (disabled || m.after.ID == "") {
		w.kept[m.before.ID] = w.after.keysOf(m.before.ID) == had
	}
	lost := func(role string) bool { return !slices.Contains(m.after.Roles, role) }
	if m.after.ID == "" || m.after.Disabled() || slices.ContainsFunc(m.before.Roles, lost) ||
		!reflect.DeepEqual(m.before.Passwords, m.after.Passwords) {
		w.endCredentials(func(h *holder) bool { return m.before.ID != "" && h.member == m.before.ID })
	}
}

// endCredentials records that the platform must refuse the selected credentials from now on.
func (p *people) endCredentials(whose func(*holder) bool) {
	now := p.LogicalTime()
	for _, h := range p.bearers {
		if h.ended == 0 && whose(h) {
			h.ended = now
		}
	}
}

// checkRights checks that the caller has the right to the change just before the write. The caller may have had more
// rights when the platform admitted the request. If requests overlap, no answer to a client shows this.
func (w *peopleWrite) checkRights() {
	err := w.err
	for _, m := range w.memberEdits {
		err = errors.Join(err, member.CheckMayChange(w.caller, m.before, m.after, w.last.roles))
	}
	for _, r := range w.roleEdits {
		err = errors.Join(err, member.CheckMayChangeRole(w.caller, r.before, r.after))
	}
	mayChange := w.caller.Has(identity.MembersWrite) && w.caller.May("user.subaccounts", "members.write", "roles.write")
	for _, k := range w.keyEdits {
		if len(w.memberEdits) == 0 { // otherwise the keys end with their maker
			mayChange = w.caller.MayManage(k.before) && w.caller.MayManage(k.after)
		}
	}
	if err != nil || !mayChange {
		w.Find("", "%s changed something without the right to, as %+v: %v", w.actor, w.caller, err)
	}
}

// keysOf counts the keys that the member stands behind (identity.Maker.Person).
func (r records) keysOf(id string) (n int) {
	for _, k := range r.keys {
		if id != "" && k.Maker.Person == id {
			n++
		}
	}
	return n
}
