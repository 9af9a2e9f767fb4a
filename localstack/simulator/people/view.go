package people

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

var collections = []string{"members", "roles", "api-keys"}

// shown returns the elements of a collection as clients see them, by id.
func (r records) shown(collection string) map[string]linear.Record {
	all := map[string]linear.Record{}
	switch collection {
	case "members":
		for id, m := range r.members {
			all[id] = linear.Record{Name: noteOf(m), Rights: joinSorted(m.Roles)}
		}
	case "roles":
		for _, role := range r.roles.Own {
			all[role.ID] = linear.Record{Name: role.Name, Rights: joinSorted(role.Permissions)}
		}
	default:
		for id, k := range r.keys {
			all[id] = linear.Record{Name: k.Name, Rights: joinSorted(k.Scopes)}
		}
	}
	return all
}

// joinSorted joins the elements of a set, sorted.
func joinSorted[T ~string](set []T) string {
	texts := make([]string, len(set))
	for i, one := range set {
		texts[i] = string(one)
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), " ")
}

// element is a role, a member or a key in the JSON of requests and lists.
type element struct {
	ID, Name                   string
	Roles, Permissions, Scopes []string // for a member, Permissions includes the roles' permissions
	Metadata                   map[string]string
	Predefined                 bool `json:"is_predefined"`
}

func (e element) record() linear.Record {
	return linear.Record{Name: cmp.Or(e.Name, e.Metadata["note"]),
		Rights: cmp.Or(joinSorted(e.Roles), joinSorted(e.Scopes), joinSorted(e.Permissions))}
}

type meaning struct {
	collection string
	id         string               // "" if mark names a new element
	mark       string               // name or note of a new element
	change     *linear.RecordChange // nil if the request lists the collection
}

// meaningOf returns the change of a name, note or right that a request asks for, or the collection that it lists. ok is
// false for other requests.
func (p *people) meaningOf(r *simulator.Reply) (m meaning, ok bool) {
	path, _, _ := strings.Cut(r.Path, "?")
	path, ok = strings.CutPrefix(path, p.path())
	m.collection, m.id, _ = strings.Cut(path, "/")
	body := simulator.Decoded[element]([]byte(simulator.Encoded(r.Body)))
	switch r.Method {
	case http.MethodPost:
		m.mark, m.change = body.record().Name, &linear.RecordChange{Make: true, Set: body.record()}
	case http.MethodDelete:
		m.change = &linear.RecordChange{Delete: true}
	case http.MethodPut, http.MethodPatch:
		m.change = &linear.RecordChange{Set: body.record()}
	}
	return m, ok
}

// checkViews schedules a check that some order of the requests explains the answers that clients saw.
func (p *people) checkViews() {
	v := peopleView{people: p, first: map[string]*simulator.Reply{}, at: map[string]int{}}
	byCall := func(a, b *simulator.Reply) int { return cmp.Compare(a.Asked, b.Asked) }
	for _, r := range slices.SortedFunc(slices.Values(p.Replies), byCall) {
		v.checkCredential(r)
		if m, ok := p.meaningOf(r); ok {
			v.addReply(r, m)
		}
	}
	h := linear.RecordHistory{Begin: map[string]linear.Record{}, Requests: append(v.requests, p.ends...)}
	now := p.LogicalTime()
	for _, collection := range collections {
		maps.Copy(h.Begin, p.begin.shown(collection))
		end := p.last.shown(collection)
		for _, id := range p.ids[collection] {
			h.Requests = append(h.Requests, linear.RecordRequest{ID: id, Shows: end[id], Call: now, Return: now})
		}
	}
	p.CheckLater("", h)
}

type peopleView struct {
	*people
	requests []linear.RecordRequest
	first    map[string]*simulator.Reply // by Idempotency-Key: the reply to the first request
	at       map[string]int              // by Idempotency-Key: the index in requests
}

// interrupted is the time after which a request without a recorded end counts as interrupted. A later retry with the
// same Idempotency-Key makes the change again, even over a change made in between (contract §2.8).
const interrupted = 60 * time.Second

// addReply adds a reply as its client understands it.
func (v *peopleView) addReply(r *simulator.Reply, m meaning) {
	answered := r.Received && r.Status > 0 && r.Status < 500 && r.Status != http.StatusTooManyRequests && !r.Contended()
	done := answered && r.Status < 400
	if v.first[r.Keyed()] == nil {
		v.first[r.Keyed()] = r
	}
	thing, known := made{id: m.id}, true
	if m.mark != "" {
		thing, known = v.made[m.mark]
	}
	request := linear.RecordRequest{ID: thing.id, Change: m.change, Call: r.Asked, Return: r.Answered}
	switch {
	case m.change == nil && done:
		v.addList(r, m.collection)
	case m.change == nil:
	case !known && done:
		v.Find("", "%s was answered as made, and is not there", m.mark)
	case !known:
	case done:
		v.addChange(r, request)
	case !answered && slices.ContainsFunc(r.Tried, isPeopleWrite):
		request.Return = linear.Never
		v.addChange(r, request)
	case !answered, r.Replayed(), r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
	case r.Status == http.StatusNotFound:
		request.Change = nil
		v.requests = append(v.requests, request)
	case thing.at > 0 && thing.at < r.Asked:
		v.Find("", "%s had been made when its request was sent again, and was refused", m.mark)
	}
}

// addChange adds a change that may have happened. Requests with one Idempotency-Key count as one change, from the first
// call to a success.
func (v *peopleView) addChange(r *simulator.Reply, request linear.RecordRequest) {
	key := r.Keyed()
	n, again := v.at[key]
	wrote := slices.ContainsFunc(r.Tried, isPeopleWrite)
	once := request.Change.Delete || request.Change.Make
	switch {
	case r.IdempotencyKey == "", again && wrote && !once && r.At.Sub(v.first[key].At) >= interrupted:
		v.requests = append(v.requests, request)
	case again:
		v.requests[n].Return = min(v.requests[n].Return, request.Return)
	default:
		v.at[key] = len(v.requests)
		request.Call = v.first[key].Asked
		v.requests = append(v.requests, request)
	}
}

// checkCredential checks that a credential is accepted until it ends, and never afterwards.
func (p *people) checkCredential(r *simulator.Reply) {
	at := slices.IndexFunc(p.bearers, func(h *holder) bool { return h.text == r.APIKey })
	if at < 0 || !r.Received { // no known credential, or from a browser
		return
	}
	by := p.bearers[at]
	switch {
	case r.Status < 400 && by.ended > 0 && by.ended < r.Asked && !r.Replayed():
		p.Find("", "%s's credential had ended, and was accepted: %s %s", by.name, r.Method, r.Path)
	case r.Status == http.StatusUnauthorized && (by.ended == 0 || by.ended > r.Answered):
		p.Find("", "%s's credential is valid, and was refused: %s %s", by.name, r.Method, r.Path)
	}
}

// addList adds a list as a read of each element that the collection ever had. A missing element reads as absent.
func (v *peopleView) addList(r *simulator.Reply, collection string) {
	var list struct{ Items []element }
	if err := r.Into(&list); err != nil {
		v.Find("", "%s are listed as %s", collection, r.Response.Body)
		return
	}
	shown := map[string]linear.Record{}
	for _, id := range v.ids[collection] {
		shown[id] = linear.Record{}
	}
	for _, e := range list.Items {
		if !e.Predefined {
			shown[e.ID] = e.record()
		}
	}
	for _, id := range simulator.Sorted(shown) {
		v.requests = append(v.requests, linear.RecordRequest{ID: id, Shows: shown[id], Call: r.Asked, Return: r.Answered})
	}
}
