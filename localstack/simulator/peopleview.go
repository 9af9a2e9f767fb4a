package simulator

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// checkHistories: what all saw of each office's people can have happened one after the
// other. The search is bounded by real time, which a bubble has not.
func (p *people) checkHistories() {
	for _, o := range p.offices {
		if err := o.clientView().Check(); err != nil {
			p.findings.add(finding{"", o.name + ": " + err.Error()})
		}
	}
}

// clientView is what clients saw of the office, and what is there in the end.
func (o *office) clientView() linear.PeopleHistory {
	h := linear.PeopleHistory{Begin: o.begin}
	first := map[string]*reply{} // to the first request of a group
	for _, r := range o.replies {
		n, err := strconv.Atoi(r.Header[askHeader])
		if err != nil {
			continue
		}
		a := *o.asks[n]
		if f, known := first[a.group]; a.group != "" && (!known || r.asked < f.asked) {
			first[a.group] = r
		}
		switch f := first[a.group]; {
		case r.replayed(): // it was decided before
			r.asked = f.asked
		case r.wrote && f != nil && r.at.Sub(f.at) >= interrupted && changesAgain(a.do):
			a.group = ""
		}
		h.Requests = append(h.Requests, o.understand(r, a)...)
	}
	h.Requests = append(h.Requests, o.outs...)
	h.Requests = append(h.Requests, o.end)
	return h
}

// interrupted is how long a request counts as running whose end was not recorded. Sent again after that under the same
// Idempotency-Key it makes its change again, also over another one that came between (contract §2.8).
const interrupted = 60 * time.Second

// changesAgain says whether what is asked for can be done twice: nothing is made or deleted twice.
func changesAgain(do any) bool {
	switch do := do.(type) {
	case linear.RoleChange:
		return !do.Make && !do.Delete
	case linear.MemberChange:
		return do.Make == nil && !do.Delete && !do.Accept && !do.Password
	case linear.KeyChange:
		return !do.Make && !do.Delete
	default:
		return false
	}
}

// request is one that is made and answered now, by nobody in particular.
func (o *office) request(do any) linear.PeopleRequest {
	return linear.PeopleRequest{Do: do, Answer: linear.Done, Call: o.logicalTime(), Return: o.logicalTime()}
}

// understand is the reply as its client understands it; none when it says nothing about
// this office.
func (o *office) understand(r *reply, a ask) []linear.PeopleRequest {
	if _, all := a.do.(memberships); all {
		return o.shownMembership(r, a)
	}
	if a.holder == nil { // a link says of which office it is
		if _, leads := o.writes.made[o.shop.tenant+" "+a.mark]; leads {
			a.office = o
		}
	}
	if a.office != o {
		return nil
	}
	seen := linear.PeopleRequest{Do: a.do, Group: a.group, Answer: r.peopleAnswer(), Call: r.asked, Return: r.answered}
	visits := false
	if a.holder != nil {
		seen.By, visits = a.holder.by, a.holder.home != o
	}
	if visits && (r.Status == http.StatusNotFound || r.Status == http.StatusUnauthorized) {
		return nil // it may be about the token's own office
	}
	if what, lists := a.do.(listing); lists {
		return o.shownList(r, seen, what)
	}
	if seen.Answer == linear.Unanswered {
		if !r.wrote {
			return nil
		}
		seen.Return = linear.Never
	}
	var known bool
	if seen.Do, known = o.identified(r, a); !known && seen.Answer == linear.Unanswered {
		return nil // nothing was made
	}
	if id := seen.By.Key; id != "" && seen.Answer == linear.Done && o.writes.revoked[id] != 0 &&
		o.writes.revoked[id] < r.asked && !r.replayed() {
		o.findings.add(finding{"", "a key that had been revoked before was accepted: " + seen.String()})
	}
	return []linear.PeopleRequest{seen}
}

// peopleAnswer is what the answer says about a change.
func (r *reply) peopleAnswer() linear.PeopleAnswer {
	switch {
	case !r.received, r.Status == 0, r.Status >= 500, r.Status == http.StatusTooManyRequests:
		return linear.Unanswered
	case r.Status == http.StatusConflict && (r.contended() || r.full()):
		return linear.Unanswered
	case r.Status < 400:
		return linear.Done
	case r.Status == http.StatusUnauthorized:
		return linear.Unauthorized
	case r.Status == http.StatusForbidden:
		return linear.Forbidden
	case r.Status == http.StatusNotFound:
		return linear.Missing
	default:
		return linear.Rejected
	}
}

// full says whether the office has all members that it can have. How many that are, the
// counts show.
func (r response) full() bool {
	return strings.Contains(string(r.Body), "as many accounts as it can have")
}

// identified is what is asked for, with the id of what is made; false when nothing was.
func (o *office) identified(r *reply, a ask) (do any, known bool) {
	id, known := o.writes.made[o.shop.tenant+" "+a.mark]
	if !known {
		id = "nothing"
	}
	switch d := a.do.(type) {
	case linear.RoleChange:
		if d.Make {
			d.ID = id
			return d, known
		}
	case linear.MemberChange:
		if d.Make != nil || d.Accept {
			d.ID = id
			return d, known
		}
	case linear.KeyChange:
		if d.Make {
			d.ID = id
			return d, known
		}
	}
	return a.do, true
}

// shownList is a list of all members, roles or keys: the credential was accepted, and at
// one time all was as it is shown. What the roles allow may have been read at another.
func (o *office) shownList(r *reply, seen linear.PeopleRequest, what listing) []linear.PeopleRequest {
	admitted := seen
	admitted.Do = linear.Admission{}
	if seen.Answer == linear.Unauthorized {
		return []linear.PeopleRequest{admitted}
	}
	if seen.Answer != linear.Done {
		return nil
	}
	seen.By = linear.Caller{}
	requests := []linear.PeopleRequest{admitted}
	var list struct{ Items []shownItem }
	if err := r.Into(&list); err != nil {
		o.find("", "%s lists %s", what, r.response.Body)
		return nil
	}
	shown, rights := linear.People{}, linear.Rights{}
	switch what {
	case "members":
		shown.Members = map[string]linear.Member{}
		for _, i := range list.Items {
			m := i.member()
			if m.Managed {
				m.Own = o.own[o.writes.marks[i.ID]]
			}
			shown.Members[i.ID] = m
			rights = append(rights, linear.Held{Roles: m.Roles, Own: m.Own, Permissions: i.Permissions})
		}
		with := seen
		with.Do = rights
		requests = append(requests, with)
	case "roles":
		shown.Roles = map[string]linear.Role{}
		for _, i := range list.Items {
			if !i.Predefined {
				shown.Roles[i.ID] = linear.Role{Name: i.Name, Permissions: i.Permissions}
			}
		}
	default:
		shown.Keys = map[string]linear.Key{}
		for _, i := range list.Items {
			shown.Keys[i.ID] = linear.Key{Name: i.Name, Scopes: i.Scopes, Maker: i.CreatedBy.Member}
		}
	}
	seen.Do = linear.Sight{People: shown}
	return append(requests, seen)
}

// shownItem is a member, a role or a key as it is shown.
type shownItem struct {
	ID          string
	Name        string
	Scopes      []string
	Roles       []string
	Permissions []identity.Permission
	Predefined  bool `json:"is_predefined"`
	Status      string
	Metadata    map[string]string
	Invite      struct{ Email string }
	User        struct{ Email, Type string }
	Resource    struct{ ID string } // of a membership
	CreatedBy   struct {
		Member string `json:"member_id"`
	} `json:"created_by"` // of a key
}

func (i shownItem) member() linear.Member {
	return linear.Member{Address: strings.ToLower(cmp.Or(i.User.Email, i.Invite.Email)), Roles: i.Roles,
		Note: i.Metadata["note"], Managed: i.User.Type == "managed_user", Pending: i.Status == "pending",
		Disabled: i.Status == "disabled"}
}

// shownMembership is what a list of a user's memberships says about the office.
func (o *office) shownMembership(r *reply, a ask) []linear.PeopleRequest {
	var list struct{ Items []shownItem }
	if r.peopleAnswer() != linear.Done || r.Into(&list) != nil {
		return nil
	}
	sight := linear.Sight{Having: map[string][]string{}}
	at := slices.IndexFunc(list.Items, func(i shownItem) bool { return i.Resource.ID == o.merchant })
	id := o.memberOf(a.holder.user)
	switch {
	case id == "":
		return nil
	case at < 0:
		sight.Not = []string{id}
	default:
		sight.Having[list.Items[at].ID] = list.Items[at].Roles
	}
	return []linear.PeopleRequest{{Do: sight, Answer: linear.Done, Call: r.asked, Return: r.answered}}
}

// memberOf is the member that a user is, or was in the beginning; "": none.
func (o *office) memberOf(user string) string {
	for _, name := range sorted(o.holders) {
		if h := o.holders[name]; h.user == user {
			return h.by.Member
		}
	}
	return ""
}
