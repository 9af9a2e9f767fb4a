package store_test

import (
	"context"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedMembers = map[string]stored{
	"CreateMember": {
		sets: "Version is 1, and the id follows from the operation",
		write: func(w fixture) []storedtest.Read {
			m := w.member("operation")
			got, err := w.CreateMember(w.Context(), w.actor(), w.tenant, m.Address(), "operation",
				func(string, member.Roles) (member.Member, error) { return m, nil })
			m.Version = 1
			wantAnswer(w, m, got, err)
			w.remove("MAIL", "MAIL") // see storedMails
			return append(w.members(w.tenant, m), w.audited(w.tenant.Merchant))
		},
		unseen: besideInvited(storedtest.NotRead{"MEMBER write_id": notRead}),
	},
	"UpdateMember": {
		sets: "Version is the next, UpdatedAt now, AccessEnded later",
		write: func(w fixture) []storedtest.Read {
			before, m := w.storeMember("operation"), w.member("operation")
			w.clock.Advance(1)
			got, err := w.UpdateMember(w.Context(), w.actor(), w.tenant, before.Number(), m.Address(), member.EndKeys,
				func(member.Member, member.Roles) (member.Member, error) { return m, nil })
			m.Version, m.UpdatedAt, m.AccessEnded = 2, w.Now(), m.AccessEnded.Add(1)
			wantAnswer(w, m, got, err)
			w.remove("MAIL", "MAIL") // see "UpdateMember, disabled"
			return append(w.members(w.tenant, m), w.audited(w.tenant.Merchant))
		},
		unseen: storedtest.NotRead{"MEMBER write_id": notRead},
	},
	"DeleteMember": {
		sets: "it expires after 31 days, and has no passwords",
		write: func(w fixture) []storedtest.Read {
			m := w.storeMember("operation")
			n := m.Number()
			m = w.member("operation")
			w.must(errOf(w.UpdateMember(w.Context(), w.actor(), w.tenant, n, m.Address(), member.EndKeys,
				func(member.Member, member.Roles) (member.Member, error) { return m, nil })))
			w.remove("MAIL", "MAIL")
			m.Version, m.UpdatedAt, m.Passwords, m.AccessEnded = 2, w.Now(), nil, m.AccessEnded.Add(1)
			got, err := w.DeleteMember(w.Context(), w.actor(), w.tenant, m.Number(), "deletion", member.EndKeys, allow)
			got.Passwords = nil
			wantAnswer(w, m, got, err)
			return append(w.members(w.tenant), w.audited(w.tenant.Merchant), w.expiries(start.AddDate(0, 0, 31)),
				storedtest.Expect("the deletion again", m, func(ctx context.Context) (member.Member, error) {
					return w.DeleteMember(ctx, byTest, w.tenant, m.Number(), "deletion", member.EndKeys, allow)
				}))
		},
		unseen: storedtest.NotRead{"COUNT count": "nothing is read as 0; the cases before miss it"},
	},
}

// besideInvited adds the attributes of the items beside an invited member. Other cases notice when they are missing.
func besideInvited(others storedtest.NotRead) storedtest.NotRead {
	for _, attribute := range []string{"INVITATION merchant_code", "INVITATION member_id", "INVITATION mode",
		"INVITATION expires_at", "INVITED times", "INVITED version", "INVITED expires_at", "COUNT invited",
		"COUNT invited_on"} {
		others[attribute] = "the cases of invitations miss it"
	}
	return others
}

func allow(member.Member, member.Roles) error { return nil }

// member returns a member with all the fields that the operation makes.
func (w fixture) member(operation string) member.Member {
	w.Helper()
	return storedtest.Fill(w, w.Filler, func(m *member.Member) {
		m.ID = member.ID(operation, 0)
		slices.Sort(m.Roles) // a set
		m.Metadata, m.Attributes = `{"key":"value"}`, `{"attribute":[1]}`
	})
}

// storeMember stores a member made by the operation, without passwords.
func (w fixture) storeMember(operation string) member.Member {
	w.Helper()
	m, err := w.CreateMember(w.Context(), w.actor(), w.tenant, "till@example.com", operation,
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewEmployee(id, member.Registration{Email: "till@example.com"}, nil, w.Now()), nil
		})
	w.must(err)
	return m
}

// owners expects the members that a merchant is created with.
func (w fixture) owners(m merchant.Merchant) (reads []storedtest.Read) {
	u := member.User{ID: member.UserID("merchant " + m.Code), Email: m.Email, CreatedAt: m.CreatedAt, Version: 1}
	for _, mode := range m.Modes() {
		t := identity.Tenant{Mode: mode, Merchant: m.Code}
		owner := member.NewOwner(t, m.Email, u, m.CreatedAt)
		reads = append(append(reads, w.members(t, owner)...), w.memberOf(u, t, owner))
	}
	return append(reads, w.user(u))
}

// members expects the tenant's members from each read, and their guards and count, which only writes test.
func (w fixture) members(t identity.Tenant, want ...member.Member) []storedtest.Read {
	governing := 0
	for _, m := range want {
		if m.Governs() {
			governing++
		}
	}
	reads := []storedtest.Read{
		storedtest.Expect("Members", want, func(ctx context.Context) ([]member.Member, error) { return w.Members(ctx, t) }),
		storedtest.Expect("count", len(want), func(ctx context.Context) (int, error) { return countOf(ctx, w.Store, t) }),
		storedtest.Expect("owners", governing, func(ctx context.Context) (int, error) { return ownersOf(ctx, w.Store, t) }),
	}
	for _, m := range want {
		reads = append(reads,
			storedtest.Expect("Member", m, func(ctx context.Context) (member.Member, error) {
				return w.Member(ctx, t, m.Number())
			}),
			storedtest.Expect("whose address it is", m.ID, func(ctx context.Context) (string, error) {
				var guards []struct {
					SK       string `dynamo:"sk"`
					MemberID string `dynamo:"member_id"`
				}
				_, table := w.Raw()
				err := table.Get("pk", "MEMBERS#"+t.String()).All(ctx, &guards)
				for _, g := range guards {
					if strings.HasPrefix(g.SK, "EMAIL#") {
						return g.MemberID, err
					}
				}
				return "nobody", err
			}))
	}
	return reads
}

// user expects the user from reads by its address.
func (w fixture) user(want member.User) storedtest.Read {
	return storedtest.Expect("UserByEmail", want, func(ctx context.Context) (member.User, error) {
		return w.UserByEmail(ctx, want.Email)
	})
}

// memberOf expects the user's membership of a tenant.
func (w fixture) memberOf(u member.User, t identity.Tenant, want member.Member) storedtest.Read {
	return storedtest.Expect("Memberships", want, func(ctx context.Context) (m member.Member, err error) {
		all, err := w.Memberships(ctx, u.ID, t.Mode)
		for _, one := range all {
			if one.Tenant == t {
				m = one.Member
			}
		}
		return m, err
	})
}

// counted is the stored count of a tenant's members.
type counted struct {
	Count  int `dynamo:"count"`
	Owners int `dynamo:"owners"`
}

func readCount(ctx context.Context, s *store.Store, t identity.Tenant) (c counted, err error) {
	_, table := s.Raw()
	return c, table.Get("pk", "MEMBERS#"+t.String()).Range("sk", dynamo.Equal, "COUNT").One(ctx, &c)
}

func countOf(ctx context.Context, s *store.Store, t identity.Tenant) (int, error) {
	c, err := readCount(ctx, s, t)
	return c.Count, err
}

func ownersOf(ctx context.Context, s *store.Store, t identity.Tenant) (int, error) {
	c, err := readCount(ctx, s, t)
	return c.Owners, err
}
