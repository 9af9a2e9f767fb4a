package linear_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// office is a tenant with two owners, an administrator, an employee, a role that
// nobody has, a key of all scopes and one that may only change members.
func office() People {
	return People{
		Roles: map[string]Role{"refunder": {"Refunds", refunds}},
		Members: map[string]Member{
			"olga": {Address: "olga@", Roles: []string{"role_owner"}}, "otto": {Address: "otto@", Roles: []string{"role_owner"}},
			"ada":  {Address: "ada@", Roles: []string{"role_admin"}},
			"emil": {Address: "emil@", Roles: []string{"role_employee"}},
		},
		Keys: map[string]Key{"all": {Name: "first", Scopes: identity.AllScopes()},
			"some": {Name: "till", Scopes: []string{"members.write"}}},
	}
}

var (
	refunds = []identity.Permission{identity.RefundTransactions}
	history = []identity.Permission{identity.FullTransactionHistoryView}

	olga = Caller{Member: "olga", Scopes: identity.AllScopes()}
	otto = Caller{Member: "otto", Scopes: identity.AllScopes()}
	ada  = Caller{Member: "ada", Scopes: identity.AllScopes()}
	emil = Caller{Member: "emil", Scopes: identity.AllScopes()}
	all  = Caller{Key: "all"}
)

func ptr[T any](v T) *T { return &v }

func asked(by Caller, do any, call, until int64, a PeopleAnswer) PeopleRequest {
	return PeopleRequest{By: by, Do: do, Answer: a, Call: call, Return: until}
}

func never(by Caller, do any, call int64) PeopleRequest {
	return asked(by, do, call, Never, Unanswered)
}

func inGroup(r PeopleRequest) PeopleRequest {
	r.Group = "once"
	return r
}

func gives(id string, roles ...string) MemberChange { return MemberChange{ID: id, Roles: &roles} }

func notes(id, note string) MemberChange { return MemberChange{ID: id, Note: &note} }

func removes(id string) MemberChange { return MemberChange{ID: id, Delete: true} }

func invites(id string, roles ...string) MemberChange {
	return MemberChange{ID: id, Make: &Member{Address: id + "@", Roles: roles, Pending: true}}
}

func accepts(id string) MemberChange { return MemberChange{ID: id, Accept: true} }

func permits(id string, p []identity.Permission) RoleChange {
	return RoleChange{ID: id, Permissions: &p}
}

func restricts(id string, scopes ...string) KeyChange { return KeyChange{ID: id, Scopes: &scopes} }

func makes(id string) KeyChange {
	return KeyChange{ID: id, Make: true, Name: &id, Scopes: ptr([]string{"api_keys:write"})}
}

// phone and desk are tokens of an employee's.
var phone, desk = Caller{Member: "emil", Token: "phone"}, Caller{Member: "emil", Token: "desk"}

func revokes(id string) KeyChange { return KeyChange{ID: id, Delete: true} }

// sees shows that a member has the roles and the note.
func sees(id, note string, roles ...string) Sight {
	return Sight{Some: true, People: People{Members: map[string]Member{id: {Address: id + "@", Note: note, Roles: roles}}}}
}

func absent(id string) Sight { return Sight{Not: []string{id}} }

var nobody Caller

func TestPeopleThatCanBe(t *testing.T) {
	t.Parallel()
	for name, requests := range map[string][]PeopleRequest{
		"none": nil,
		"roles and note at once": {asked(olga, gives("emil", "role_admin"), 1, 9, Done),
			asked(ada, notes("emil", "x"), 1, 9, Done),
			asked(nobody, sees("emil", "x", "role_admin"), 10, 11, Done)},
		"the last owner stays": {asked(olga, removes("otto"), 1, 9, Done), asked(otto, removes("olga"), 1, 9, Unauthorized),
			asked(olga, removes("olga"), 10, 11, Forbidden), asked(olga, gives("olga", "role_admin"), 12, 13, Rejected)},
		"a role in use stays": {asked(olga, gives("emil", "refunder"), 1, 9, Done),
			asked(ada, RoleChange{ID: "refunder", Delete: true}, 1, 9, Rejected)},
		"a role that is gone is not given": {asked(olga, RoleChange{ID: "refunder", Delete: true}, 1, 9, Done),
			asked(ada, gives("emil", "refunder"), 1, 9, Rejected)},
		"who has too little is refused": {asked(emil, notes("emil", "x"), 1, 2, Forbidden),
			asked(ada, gives("emil", "role_owner"), 3, 4, Forbidden), asked(ada, removes("otto"), 5, 6, Forbidden)},
		"an invitation is accepted": {asked(olga, invites("ina", "role_admin"), 1, 2, Done),
			asked(Caller{Member: "ina"}, Admission{}, 3, 4, Unauthorized), asked(nobody, accepts("ina"), 5, 6, Done),
			asked(Caller{Member: "ina"}, Admission{}, 7, 8, Done)},
		"an invitation is withdrawn": {asked(olga, invites("ina", "role_admin"), 1, 2, Done),
			asked(ada, removes("ina"), 3, 9, Done), asked(nobody, accepts("ina"), 3, 9, Missing)},
		"an address twice": {asked(olga, invites("ina", "role_admin"), 1, 9, Done),
			asked(ada, MemberChange{ID: "ira", Make: &Member{Address: "ina@", Pending: true}}, 1, 9, Rejected)},
		"made at the second try": {inGroup(never(olga, invites("ina"), 1)), inGroup(asked(olga, invites("ina"), 2, 3, Done)),
			asked(olga, removes("ina"), 4, 5, Done), inGroup(asked(olga, invites("ina"), 6, 7, Done)),
			asked(nobody, absent("ina"), 8, 9, Done)},
		"a key revoked": {asked(olga, revokes("some"), 1, 2, Done),
			asked(Caller{Key: "some"}, Admission{}, 3, 4, Unauthorized),
			asked(all, revokes("all"), 5, 6, Rejected)},
		"a key restricted while it gives": {asked(olga, restricts("all", "members.write"), 1, 9, Done),
			asked(all, gives("emil", "role_owner"), 1, 9, Done)},
		"lost, and made much later": {never(olga, gives("emil", "role_admin"), 1),
			asked(nobody, sees("emil", "", "role_employee"), 2, 3, Done), asked(emil, notes("emil", "x"), 8, 9, Done)},
		"rights by a role": {asked(olga, gives("emil", "refunder"), 1, 2, Done),
			asked(olga, permits("refunder", history), 3, 4, Done),
			asked(nobody, Rights{{Roles: []string{"refunder"}, Permissions: history}}, 5, 6, Done)},
		"an operator": {asked(olga, MemberChange{ID: "op", Operator: true, Make: &Member{Address: "op@", Managed: true,
			Own: identity.AllPermissions()}}, 1, 2, Done), asked(Caller{Member: "op", Scopes: identity.AllScopes()},
			notes("emil", "x"), 3, 4, Done), asked(ada, MemberChange{ID: "op", Operator: true, Disabled: ptr(true)}, 5, 6, Done),
			asked(Caller{Member: "op"}, Admission{}, 7, 8, Unauthorized),
			asked(olga, MemberChange{ID: "otto", Operator: true, Disabled: ptr(true)}, 9, 10, Forbidden)},
		"a token revoked": {asked(nobody, SignOut{"phone"}, 1, 2, Done),
			asked(Caller{Member: "emil", Token: "phone"}, Admission{}, 3, 4, Unauthorized),
			asked(Caller{Member: "emil", Token: "desk"}, Admission{}, 5, 6, Done)},
		"access ends for good": {asked(olga, gives("emil", "role_employee", "role_admin"), 1, 2, Done),
			asked(phone, Admission{}, 3, 4, Done), asked(olga, gives("emil", "role_employee"), 5, 6, Done),
			asked(olga, gives("emil", "role_admin"), 7, 8, Done), asked(phone, Admission{}, 9, 10, Unauthorized),
			asked(nobody, SignIn{"desk", "emil"}, 11, 12, Done), asked(desk, Admission{}, 13, 14, Done),
			asked(olga, MemberChange{ID: "emil", Password: true}, 15, 16, Done), asked(desk, Admission{}, 17, 18, Unauthorized)},
		"keys end with their maker": {asked(ada, makes("hers"), 1, 2, Done),
			asked(Caller{Key: "hers"}, makes("its"), 3, 4, Done),
			asked(olga, removes("ada"), 5, 6, Done), asked(Caller{Key: "its"}, Admission{}, 7, 8, Unauthorized),
			asked(nobody, Sight{People: People{Keys: office().Keys}}, 9, 10, Done)},
		"keys are kept": {asked(ada, makes("hers"), 1, 2, Done),
			asked(olga, MemberChange{ID: "ada", Delete: true, KeepKeys: true}, 3, 4, Done),
			asked(Caller{Key: "hers"}, Admission{}, 5, 6, Done)},
		"all that there is": {asked(nobody, Sight{People: office()}, 1, 2, Done)},
		"who has which roles": {asked(olga, gives("emil", "refunder"), 1, 2, Done),
			asked(nobody, Sight{Having: map[string][]string{"emil": {"refunder"}}, Not: []string{"ina"}}, 3, 4, Done)},
	} {
		if err := (PeopleHistory{Begin: office(), Requests: requests}).Check(); err != nil {
			t.Errorf("%s: got error %v, want none", name, err)
		}
	}
}

func TestPeopleThatCannotBe(t *testing.T) {
	t.Parallel()
	less := office()
	delete(less.Members, "emil")
	for name, requests := range map[string][]PeopleRequest{
		"a lost change": {asked(olga, gives("emil", "role_admin"), 1, 9, Done), asked(ada, notes("emil", "x"), 1, 9, Done),
			asked(nobody, sees("emil", "x", "role_employee"), 10, 11, Done)},
		"no owner left": {asked(olga, removes("otto"), 1, 9, Done), asked(otto, removes("olga"), 1, 9, Done)},
		"the last owner demoted": {asked(olga, removes("otto"), 1, 2, Done),
			asked(all, gives("olga", "role_admin"), 3, 4, Done)},
		"an owner kept without need": {asked(olga, removes("otto"), 1, 2, Forbidden)},
		"a role that is gone is given": {asked(olga, RoleChange{ID: "refunder", Delete: true}, 1, 9, Done),
			asked(ada, gives("emil", "refunder"), 1, 9, Done)},
		"a role that is not in use is kept": {asked(olga, RoleChange{ID: "refunder", Delete: true}, 1, 2, Rejected)},
		"rights taken away give": {asked(olga, gives("ada", "role_employee"), 1, 2, Done),
			asked(ada, notes("emil", "x"), 3, 4, Done)},
		"more is given than there is":       {asked(ada, gives("ada", "role_owner"), 1, 2, Done)},
		"a key gives a scope that it lacks": {asked(Caller{Key: "some"}, restricts("some", "payments"), 1, 2, Done)},
		"a restricted key gives": {asked(olga, restricts("all", "members.write"), 1, 2, Done),
			asked(all, gives("emil", "role_owner"), 3, 4, Done)},
		"a revoked key works": {asked(olga, revokes("some"), 1, 2, Done),
			asked(Caller{Key: "some"}, Admission{}, 3, 4, Done)},
		"a revoked key comes back": {asked(olga, revokes("some"), 1, 9, Done),
			asked(Caller{Key: "some"}, Admission{}, 2, 3, Unauthorized), asked(Caller{Key: "some"}, Admission{}, 4, 5, Done)},
		"an address twice": {asked(olga, invites("ina", "role_admin"), 1, 9, Done),
			asked(ada, MemberChange{ID: "ira", Make: &Member{Address: "ina@", Pending: true}}, 1, 9, Done)},
		"made twice": {inGroup(never(olga, invites("ina"), 1)), inGroup(asked(olga, invites("ina"), 2, 3, Done)),
			asked(olga, removes("ina"), 4, 5, Done), inGroup(asked(olga, invites("ina"), 6, 7, Done)),
			asked(nobody, Sight{Some: true, People: People{Members: map[string]Member{"ina": {Address: "ina@", Pending: true}}}},
				8, 9, Done)},
		"it finds its own address taken": {inGroup(asked(olga, invites("ina"), 1, 2, Done)),
			inGroup(asked(olga, invites("ina"), 3, 4, Rejected))},
		"an invitation accepted before it came": {asked(nobody, accepts("ina"), 1, 2, Done), never(olga, invites("ina"), 3)},
		"an invited member works": {asked(olga, invites("ina", "role_admin"), 1, 2, Done),
			asked(Caller{Member: "ina"}, Admission{}, 3, 4, Done)},
		"reads that go back": {asked(olga, notes("emil", "x"), 1, 9, Done),
			asked(nobody, sees("emil", "x", "role_employee"), 2, 3, Done),
			asked(nobody, sees("emil", "", "role_employee"), 4, 5, Done)},
		"rights that a role lacks": {asked(nobody, Rights{{Roles: []string{"refunder"}, Permissions: history}}, 1, 2, Done)},
		"roles that were taken away": {asked(olga, gives("emil", "refunder"), 1, 2, Done),
			asked(nobody, Sight{Having: map[string][]string{"emil": {"role_employee"}}}, 3, 4, Done)},
		"a revoked token works": {asked(nobody, SignOut{"phone"}, 1, 2, Done),
			asked(Caller{Member: "emil", Token: "phone"}, Admission{}, 3, 4, Done)},
		"what ended works again": {asked(phone, Admission{}, 1, 2, Done),
			asked(olga, MemberChange{ID: "emil", Disabled: ptr(true)}, 3, 4, Done),
			asked(olga, MemberChange{ID: "emil", Disabled: ptr(false)}, 5, 6, Done), asked(phone, Admission{}, 7, 8, Done)},
		"a token works before it is given": {asked(desk, Admission{}, 1, 2, Done),
			asked(nobody, SignIn{"desk", "emil"}, 3, 4, Done)},
		"a key outlives its maker": {asked(ada, makes("hers"), 1, 2, Done), asked(olga, removes("ada"), 3, 4, Done),
			asked(Caller{Key: "hers"}, Admission{}, 5, 6, Done)},
		"less than there is":       {asked(nobody, Sight{People: less}, 1, 2, Done)},
		"what is there is missing": {asked(olga, notes("emil", "x"), 1, 2, Missing)},
	} {
		if err := (PeopleHistory{Begin: office(), Requests: requests}).Check(); !errors.Is(err, ErrNotLinear) {
			t.Errorf("%s: got error %v, want %v", name, err, ErrNotLinear)
		}
	}
}

// TestTooManyPeople: what cannot be checked must not pass.
func TestTooManyPeople(t *testing.T) {
	t.Parallel()
	var requests []PeopleRequest
	for i := range int64(30) {
		requests = append(requests, asked(olga, invites(fmt.Sprint("mem_", i)), 2*i, 2*i+1, Done))
	}
	if err := (PeopleHistory{Begin: office(), Requests: requests}).Check(); !errors.Is(err, ErrTooLong) {
		t.Errorf("got error %v, want %v", err, ErrTooLong)
	}
}

// TestRandomPeople has two owners and an administrator change roles and notes of one employee. An
// office that forgets a change, or makes one by halves, must be noticed.
func TestRandomPeople(t *testing.T) {
	t.Parallel()
	const histories = 200
	noticed := 0
	for seed := range uint64(histories) {
		if err := randomPeople(rand.New(rand.NewPCG(seed, 1)), false).Check(); err != nil {
			t.Fatalf("seed %d: got error %v, want none", seed, err)
		}
		if randomPeople(rand.New(rand.NewPCG(seed, 1)), true).Check() != nil {
			noticed++
		}
	}
	if noticed < histories/2 {
		t.Errorf("got %d of %d broken histories noticed, want at least half", noticed, histories)
	}
}

func randomPeople(rng *rand.Rand, forgets bool) PeopleHistory {
	h := PeopleHistory{Begin: office()}
	note, roles, changes := "", []string{"role_employee"}, 0
	for i := range 24 {
		at := int64(10 * i)
		call, until := at-rng.Int64N(12), at+1+rng.Int64N(12)
		by := []Caller{olga, otto, ada, all}[rng.IntN(4)]
		var do any
		switch rng.IntN(3) {
		case 0:
			h.Requests = append(h.Requests, asked(nobody, sees("emil", note, roles...), call, until, Done))
			continue
		case 1:
			next := fmt.Sprint("note ", i)
			do = notes("emil", next)
			if changes++; !forgets || changes%3 > 0 {
				note = next
			}
		default:
			next := [][]string{{"role_accountant"}, {"role_employee", "refunder"}, {"role_admin"}}[rng.IntN(3)]
			do = gives("emil", next...)
			if changes++; !forgets || changes%3 > 0 {
				roles = next
			}
		}
		r := asked(by, do, call, until, Done)
		if rng.IntN(5) == 0 {
			r.Answer, r.Return = Unanswered, Never
		}
		h.Requests = append(h.Requests, r)
	}
	h.Requests = append(h.Requests, asked(nobody, sees("emil", note, roles...), 1000, 1001, Done))
	return h
}
