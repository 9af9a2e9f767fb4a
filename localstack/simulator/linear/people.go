package linear

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Role is one of a tenant's own, as clients are shown it.
type Role struct {
	Name        string
	Permissions []identity.Permission
}

// Member is a member of a tenant (contract §8.1). Two changes of different fields must
// both be there in the end; Note stands for those without a meaning of their own.
type Member struct {
	Address  string
	Roles    []string              // ids
	Own      []identity.Permission // a managed user's own, beside those of its roles
	Note     string
	Managed  bool
	Pending  bool // it has not accepted its invitation
	Disabled bool
}

// Key is an API key (contract §8.2).
type Key struct {
	Name   string
	Scopes []string
	Maker  string // id of the member who stands behind the key; "": none
}

// People are the roles, members and keys of a tenant, by id.
type People struct {
	Roles   map[string]Role
	Members map[string]Member
	Keys    map[string]Key
}

// Caller is who makes a request: a key, or a member whose token has the scopes. The zero
// Caller is somebody whose rights are not in question, such as who accepts an invitation.
type Caller struct {
	Key    string // its id
	Member string // its id
	Token  string // a name of it; "" for one that is never revoked
	Scopes []string
}

// What a request asks for. In a change, nil leaves a field as it is. One that makes
// something names all of its fields.
type (
	// RoleChange makes, changes or deletes a role.
	RoleChange struct {
		ID          string
		Make        bool
		Delete      bool
		Name        *string
		Permissions *[]identity.Permission
	}
	// MemberChange makes, changes or deletes a member, or accepts its invitation.
	MemberChange struct {
		ID       string
		Operator bool // by the operations on operators (contract §7.4), which leave owners alone
		Make     *Member
		Delete   bool
		Accept   bool
		Roles    *[]string
		Own      *[]identity.Permission
		Note     *string
		Disabled *bool
		Password bool // the change sets a managed user's password
		KeepKeys bool // the member's API keys stay when the member is disabled or deleted
	}
	// KeyChange makes, changes or deletes a key.
	KeyChange struct {
		ID     string
		Make   bool
		Delete bool
		Name   *string
		Scopes *[]string
	}
	// SignOut revokes a token.
	SignOut struct{ Token string }
	// SignIn gives a member a token. A token that no SignIn gives is valid from the beginning.
	SignIn struct{ Token, Member string }
	// Admission uses a credential, and does nothing else.
	Admission struct{}
	// Sight is what a reading request was shown, all at one time; nil: nothing of that sort.
	// With Some it is not all that there is.
	Sight struct {
		People
		Some   bool
		Having map[string][]string // members by id, of which only the roles were shown
		Not    []string            // ids of members that were not there
	}
	// Rights are what members with these roles, and permissions of their own, may do.
	Rights []Held
)

// Held is what a member may do, as it is shown.
type Held struct {
	Roles       []string
	Own         []identity.Permission
	Permissions []identity.Permission
}

// PeopleAnswer is what a client was answered.
type PeopleAnswer int

// The answers.
const (
	Unanswered   PeopleAnswer = iota // none, or one that does not say whether the change was made
	Done                             // the change is made, or the sight is shown
	Unauthorized                     // 401: the credential is not valid
	Forbidden                        // 403: the caller lacks a right, or would remove the last owner
	Missing                          // 404: what is to be changed is not there
	Rejected                         // 400, 409: an address that is taken, an unknown role, one in use, the last owner
)

func (a PeopleAnswer) String() string {
	return [...]string{"no answer", "done", "unauthorized", "forbidden", "missing", "rejected"}[a]
}

// PeopleRequest is one request about a tenant's people, as its client saw it. Call and
// Return are as in Request. Of the requests of a group at most one makes its change.
type PeopleRequest struct {
	By     Caller
	Do     any
	Group  string // "": a group of its own
	Answer PeopleAnswer
	Call   int64
	Return int64
}

func (r PeopleRequest) String() string {
	until := "…"
	if r.Return != Never {
		until = fmt.Sprint(r.Return)
	}
	return fmt.Sprintf("[%d, %s] %s%s %s %s: %s", r.Call, until, r.By.Key, r.By.Member, r.Group, describe(r.Do), r.Answer)
}

// describe writes what a request asks for, without what it leaves out.
func describe(do any) string {
	switch d := do.(type) {
	case RoleChange:
		return "role " + d.ID + named(d.Make, " made") + named(d.Delete, " deleted") + shown("name", d.Name) +
			shown("permissions", d.Permissions)
	case MemberChange:
		return "member " + d.ID + named(d.Delete, " deleted") + named(d.Accept, " accepts") + shown("made", d.Make) +
			shown("roles", d.Roles) + shown("own", d.Own) + shown("note", d.Note) + shown("disabled", d.Disabled) +
			named(d.Password, " password set") + named(d.KeepKeys, " keys kept")
	case KeyChange:
		return "key " + d.ID + named(d.Make, " made") + named(d.Delete, " deleted") + shown("name", d.Name) +
			shown("scopes", d.Scopes)
	default:
		return fmt.Sprintf("%T %+v", do, do)
	}
}

// shown writes a field that a change sets; "" if it leaves the field as it is.
func shown[T any](name string, to *T) string {
	if to == nil {
		return ""
	}
	return fmt.Sprintf(" %s %v", name, *to)
}

func named(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// PeopleHistory is all that clients saw of a tenant's people, who begin as they are given.
type PeopleHistory struct {
	Begin    People
	Requests []PeopleRequest
}

func byCall(a, b PeopleRequest) int { return cmp.Compare(a.Call, b.Call) }

// Check finds an order of the requests that explains all answers: no change is lost or
// made in part, none is made by somebody without the right to it, and there always is an
// active owner. Errors: ErrNotLinear, ErrTooLong.
func (h PeopleHistory) Check() error {
	m, err := newPeopleModel(h)
	if err != nil {
		return err
	}
	operations := make([]porcupine.Operation, len(h.Requests))
	for i, r := range h.Requests {
		operations[i] = porcupine.Operation{ClientId: i, Input: m.requests[i], Call: r.Call, Return: r.Return}
	}
	var lines []string
	for _, r := range slices.SortedFunc(slices.Values(h.Requests), byCall) {
		lines = append(lines, r.String())
	}
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{m.begin} },
		Step: func(s, request, _ any) []any { return m.step(s.(peopleState), request.(peopleRequest)) },
		Hash: func(s any) uint64 { return s.(peopleState).hash() },
	}
	return conclude(porcupine.CheckOperationsTimeout(model.ToModel(), operations, checkTime),
		fmt.Sprintf("people that begin as %+v\n%s", h.Begin, strings.Join(lines, "\n")))
}
