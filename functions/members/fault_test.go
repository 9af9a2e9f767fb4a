package members_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// state has the effects of a change of members: members and roles as shown, the counts, and the numbers of audit
// entries and mails.
type state struct {
	Members []string
	Roles   []string
	Count   struct {
		Count  int `dynamo:"count"`
		Owners int `dynamo:"owners"`
	}
	Audit, Mails int
}

func (s shop) readState() (now state) {
	s.Helper()
	var items []struct {
		PK string `dynamo:"pk"`
	}
	_, table := s.App.Store.Raw()
	err := table.Scan().All(s.Context(), &items)
	for _, item := range items {
		switch {
		case item.PK == "AUDIT#"+s.Merchant.Code:
			now.Audit++
		case strings.HasPrefix(item.PK, "MAIL#"):
			now.Mails++
		}
	}
	if err == nil {
		err = table.Get("pk", "MEMBERS#"+s.Tenant().String()).Range("sk", "EQ", "COUNT").One(s.Context(), &now.Count)
	}
	members, membersErr := s.App.Store.Members(s.Context(), s.Tenant())
	roles, rolesErr := s.App.Store.Roles(s.Context(), s.Tenant())
	if err != nil || membersErr != nil || rolesErr != nil {
		s.Fatal(err, membersErr, rolesErr)
	}
	for _, m := range members {
		now.Members = append(now.Members, fmt.Sprint(m.Email, " ", m.Nickname, " ", slices.Sorted(slices.Values(m.Roles)),
			" ", m.Status(s.Clock.Now()), " ", m.Metadata))
	}
	for _, r := range roles.Own {
		now.Roles = append(now.Roles, fmt.Sprint(r.Name, " ", r.Permissions, " ", r.Members))
	}
	return now
}

// writes has the operations that change something. Each prepares the world and returns its request.
var writes = map[string]func(s shop, try string) world.Request{
	"invite": func(s shop, try string) world.Request {
		return world.Request{Method: "POST", Path: s.members(), Body: fields{"email": try + "@example.com",
			"roles": []string{"role_employee"}}}
	},
	"update": func(s shop, try string) world.Request {
		p, r := s.storeManaged(try, member.RoleEmployee), s.createRole(try, "members_read")
		return world.Request{Method: "PUT", Path: s.path(p), Body: fields{"roles": []string{r.ID},
			"metadata": fields{"a": 1}, "user": fields{"nickname": "Till"}}}
	},
	"demote": func(s shop, try string) world.Request {
		return world.Request{Method: "PUT", Path: s.path(s.storeManaged(try, member.RoleOwner)),
			Body: fields{"roles": []string{"role_admin"}}}
	},
	"delete": func(s shop, try string) world.Request {
		return world.Request{Method: "DELETE", Path: s.path(s.storeManaged(try, s.createRole(try, "members_read").ID))}
	},
	"remove an owner": func(s shop, try string) world.Request {
		return world.Request{Method: "DELETE", Path: s.path(s.storeManaged(try, member.RoleOwner))}
	},
	"create a role": func(s shop, try string) world.Request {
		return world.Request{Method: "POST", Path: s.roles(), Body: fields{"name": try,
			"permissions": []string{"members_read"}}}
	},
	"update a role": func(s shop, try string) world.Request {
		return world.Request{Method: "PATCH", Path: s.roles() + "/" + s.createRole(try, "members_read").ID,
			Body: fields{"name": "new", "permissions": []string{"members_write"}}}
	},
	"delete a role": func(s shop, try string) world.Request {
		return world.Request{Method: "DELETE", Path: s.roles() + "/" + s.createRole(try, "members_read").ID}
	},
}

// storeManaged stores a managed user without a password, which saves the time of its hash.
func (s shop) storeManaged(try, role string) person {
	s.Helper()
	email := try + "@example.com"
	m, err := s.App.Store.CreateMember(s.Context(), world.ByTest, s.Tenant(), email, "stored "+try,
		func(id string, _ member.Roles) (member.Member, error) {
			m := member.NewEmployee(id, member.Registration{Email: email}, nil, s.Clock.Now())
			m.Roles = []string{role}
			return m, nil
		})
	if err != nil {
		s.Fatal(err)
	}
	return person{ID: m.ID}
}

// TestMembers_InterruptedWrites checks that an interrupted write is made wholly or not at all, and that its repetition
// under the same key completes it. The test takes seconds, because it injects each fault at each step of each write.
func TestMembers_InterruptedWrites(t *testing.T) {
	t.Parallel()
	for name, prepare := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			plain := prepare(s, "plain")
			plain.IdempotencyKey = "plain"
			before := s.readState()
			want := s.Do(plain)
			after := s.readState()
			if cmp.Equal(before, after) || want.Status >= 300 {
				t.Fatalf("got %d %s and no change, want one", want.Status, want.Body)
			}
			s.Attempts(3, func(try string, send func(world.Request) world.Response) {
				r := prepare(s, try)
				r.IdempotencyKey = try
				before := s.readState()
				send(r)
				s.Clock.Advance(time.Minute)
				done := s.readState()
				got := s.Do(r)
				now := s.readState()
				if got.Status != want.Status {
					t.Errorf("%s: got %d %s, want %d", try, got.Status, got.Body, want.Status)
				}
				if cmp.Equal(before, now) {
					t.Errorf("%s: got no change", try)
				}
				if diff := cmp.Diff(before, done); diff != "" {
					if diff := cmp.Diff(done, now); diff != "" {
						t.Errorf("%s: the repetition changed what was done (-was +is):\n%s", try, diff)
					}
				}
				mails := map[bool]int{true: 1}[name == "invite"]
				if now.Audit != before.Audit+1 || now.Mails != before.Mails+mails {
					t.Errorf("%s: got %d entries and %d mails more, want one and %d", try, now.Audit-before.Audit,
						now.Mails-before.Mails, mails)
				}
			})
		})
	}
}

// TestAcceptInvitation_Interrupted checks that sending the form again completes an interrupted acceptance, and that the
// invitation is accepted once.
func TestAcceptInvitation_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(3, func(try string, send func(world.Request) world.Response) {
		p := s.invite(try+"@example.com", "role_owner")
		b, _ := s.open(s.invitationToken(p))
		before := s.readState()
		r := b.request(firstOne)
		send(r)
		b.Want(try, 303, b.accept(firstOne))
		now := s.readState()
		if now.Count.Owners != before.Count.Owners+1 || now.Count.Count != before.Count.Count ||
			now.Audit != before.Audit+1 || s.read(p).Status != "accepted" {
			t.Errorf("%s: got %+v, before %+v; want an owner and an entry more", try, now, before)
		}
		u, err := s.App.Store.UserByEmail(t.Context(), try+"@example.com")
		if err != nil || len(u.Passwords) != 1 || u.ID != s.read(p).User.ID {
			t.Errorf("%s: got user %+v, error %v; want one with a password", try, u, err)
		}
	})
}

// TestAcceptInvitation_TwiceConcurrently checks that two acceptances make one member and one user.
func TestAcceptInvitation_TwiceConcurrently(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.invite("ada@example.com", "role_owner")
	b, _ := s.open(s.invitationToken(p))
	if got := s.DoConcurrently(3, b.request(firstOne)); got[303] != 3 {
		t.Errorf("got %v, want 303 each time", got)
	}
	if now := s.readState(); now.Count.Owners != 2 {
		t.Errorf("got %+v, want two owners", now)
	}
}

// TestAudit_EachChange checks that each entry names its actor, and has no password, hash or token.
func TestAudit_EachChange(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.invite("ada@example.com", "role_employee")
	b, _ := s.open(s.invitationToken(p))
	b.accept(firstOne)
	r := s.createRole("Support", "members_read")
	s.Send("PATCH", s.roles()+"/"+r.ID, fields{"name": "Help"})
	s.Send("PUT", s.path(p), fields{"roles": []string{r.ID}})
	s.Send("DELETE", s.path(p), nil)
	s.Send("DELETE", s.roles()+"/"+r.ID, nil)
	var got []string
	for _, e := range s.Audit() {
		if all := string(e.Before) + string(e.After); strings.Contains(all, "argon2") || strings.Contains(all, "token") {
			t.Errorf("got %s, want no secret", all)
		}
		if e.Actor.Kind == "command" {
			continue
		}
		got = append(got, e.Operation+" "+e.Actor.Kind+" "+e.Actor.Email+" "+strings.Fields(e.Subject)[0])
	}
	const merchant = "/v0.1/merchants/{merchant_code}"
	want := []string{"POST " + merchant + "/members api_key  member",
		"POST /invitations/{token} member ada@example.com member", "POST " + merchant + "/roles api_key  role",
		"PATCH " + merchant + "/roles/{role_id} api_key  role", "PUT " + merchant + "/members/{member_id} api_key  member",
		"DELETE " + merchant + "/members/{member_id} api_key  member",
		"DELETE " + merchant + "/roles/{role_id} api_key  role"}
	if diff := cmp.Diff(sorted(want...), sorted(got...)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}
