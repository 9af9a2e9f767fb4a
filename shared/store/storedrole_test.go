package store_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedRoles = map[string]stored{
	"CreateRole": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			role := w.role()
			got, err := w.CreateRole(w.Context(), w.actor(), w.tenant, role, func() error { return nil })
			wantAnswer(w, role, got, err)
			return []storedtest.Read{w.roles(member.Roles{Own: []member.Role{role}, Version: 1}),
				w.audited(w.tenant.Merchant)}
		},
		unseen: storedtest.NotRead{"ROLES write_id": notRead},
	},
	"UpdateRole": {
		sets: "Version is the next, UpdatedAt now",
		write: func(w fixture) []storedtest.Read {
			before, role := w.storeRole(), w.role()
			role.ID = before.ID
			got, err := w.UpdateRole(w.Context(), w.actor(), w.tenant, before.ID,
				func(member.Role) (member.Role, error) { return role, nil })
			role.UpdatedAt = w.Now()
			wantAnswer(w, role, got, err)
			return []storedtest.Read{w.roles(member.Roles{Own: []member.Role{role}, Version: 2}),
				w.audited(w.tenant.Merchant)}
		},
		unseen: storedtest.NotRead{"ROLES write_id": notRead},
	},
	"DeleteRole": {
		sets: "Version is the next; what was deleted expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			role := w.storeRole()
			w.must(w.DeleteRole(w.Context(), w.actor(), w.tenant, role.ID, "deletion", func(member.Role) error { return nil }))
			return []storedtest.Read{w.roles(member.Roles{Version: 2}), w.audited(w.tenant.Merchant),
				w.expiries(start.AddDate(0, 0, 31)),
				storedtest.Expect("the deletion again", "done", func(ctx context.Context) (string, error) {
					return "done", w.DeleteRole(ctx, byTest, w.tenant, role.ID, "deletion", func(member.Role) error { return nil })
				}),
				storedtest.Expect("the creation again", role, func(ctx context.Context) (member.Role, error) {
					return w.CreateRole(ctx, byTest, w.tenant, member.Role{ID: role.ID},
						func() error { return failure.Conflict("made again") })
				})}
		},
		unseen: storedtest.NotRead{"ROLES write_id": notRead},
	},
	"CreateMember, with a role": {
		sets: "the role counts its members",
		write: func(w fixture) []storedtest.Read {
			role := w.storeRole()
			w.invite(role.ID)
			role.Members++
			w.keepKinds("ROLES", "AUDIT")
			return []storedtest.Read{w.roles(member.Roles{Own: []member.Role{role}, Version: 2}),
				w.audited(w.tenant.Merchant)}
		},
		unseen: storedtest.NotRead{"ROLES write_id": notRead},
	},
	"CreateMember, invited": {
		sets: "the invitation expires after a week, and what is known of the address after two hours",
		write: func(w fixture) []storedtest.Read {
			m := w.invite(member.RoleOwner)
			w.keepKinds("MEMBERS", "INVITATION")
			return []storedtest.Read{w.invitation(store.Invitation{Tenant: w.tenant, Member: m}),
				w.expiries(start.Add(2*time.Hour), start.AddDate(0, 0, 7))}
		},
		unseen: storedtest.NotRead{"MEMBER write_id": notRead, "EMAIL member_id": elsewhere, "COUNT count": elsewhere,
			"COUNT invited": invitationLimits, "COUNT invited_on": invitationLimits, "INVITED times": invitationLimits,
			"INVITED version": invitationLimits},
	},
	"AcceptInvitation": {
		sets: "the member's Version is the next, UpdatedAt now; a new user has its address and the passwords",
		write: func(w fixture) []storedtest.Read {
			m := w.invite(member.RoleOwner)
			passwords := storedtest.Fill[member.User](w, w.Filler).Passwords
			w.clock.Advance(time.Millisecond)
			token := invitationToken(m.ID, m.Invite.ID)
			_, err := w.AcceptInvitation(w.Context(), w.actor(), token,
				func(store.Invitation) (member.Passwords, error) { return passwords, nil })
			w.must(err)
			u := member.User{ID: member.UserID("invitation " + m.Invite.ID), Email: m.Email, Passwords: passwords,
				CreatedAt: w.Now(), Version: 1}
			m = m.Accepted(u, w.Now())
			m.Version = 2
			w.keepKinds("MEMBERS", "USER", "EMAIL", "MEMBERSHIPS", "INVITATION", "AUDIT")
			return append(w.members(w.tenant, m), w.user(u), w.memberOf(u, w.tenant, m), w.audited(w.tenant.Merchant),
				w.invitation(store.Invitation{Tenant: w.tenant, Member: m, Accepted: true}, token))
		},
		unseen: storedtest.NotRead{"MEMBER write_id": notRead, "COUNT invited": invitationLimits,
			"COUNT invited_on": invitationLimits, "INVITED times": invitationLimits, "INVITED version": invitationLimits,
			"INVITED expires_at": elsewhere},
	},
}

// Reasons why the reads of these cases do not notice that some attributes are missing.
const (
	elsewhere        = "another case misses it"
	invitationLimits = "the tests of invitations in functions/members miss it"
)

// role returns a role with all fields that an operation makes.
func (w fixture) role() member.Role {
	w.Helper()
	return storedtest.Fill(w, w.Filler, func(r *member.Role) {
		r.ID = member.RoleID(r.ID)
		r.Metadata = `{"key":"value"}`
		slices.Sort(r.Permissions) // a set
	})
}

// storeRole stores a role without members.
func (w fixture) storeRole() member.Role {
	w.Helper()
	role := w.role()
	role.Members = 0
	got, err := w.CreateRole(w.Context(), w.actor(), w.tenant, role, func() error { return nil })
	w.must(err)
	return got
}

// roles expects the roles from Roles.
func (w fixture) roles(want member.Roles) storedtest.Read {
	return storedtest.Expect("Roles", want, func(ctx context.Context) (member.Roles, error) {
		return w.Roles(ctx, w.tenant)
	})
}

func invitationToken(memberID, inviteID string) string { return memberID + inviteID }

// invite stores a member that is invited with a role.
func (w fixture) invite(role string) member.Member {
	w.Helper()
	m, err := w.CreateMember(w.Context(), w.actor(), w.tenant, "ada@example.com", "operation",
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewInvited(id, member.Invitation{Email: "ada@example.com", Roles: []string{role}}, "operation",
				invitationToken, w.Now()), nil
		})
	w.must(err)
	return m
}

// invitation expects the invitation from Invitation.
func (w fixture) invitation(want store.Invitation, token ...string) storedtest.Read {
	if len(token) == 0 {
		token = []string{invitationToken(want.Member.ID, want.Member.Invite.ID)}
	}
	return storedtest.Expect("Invitation", want, func(ctx context.Context) (store.Invitation, error) {
		return w.Invitation(ctx, token[0])
	})
}

// keepKinds deletes the items of all other kinds.
func (w fixture) keepKinds(kinds ...string) {
	w.Helper()
	_, table := w.Raw()
	var items []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	w.must(table.Scan().All(w.Context(), &items))
	for _, item := range items {
		if kind, _, _ := strings.Cut(item.PK, "#"); !slices.Contains(kinds, kind) {
			w.must(table.Delete("pk", item.PK).Range("sk", item.SK).Run(w.Context()))
		}
	}
}
