package store_test

import (
	"context"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/storedtest"
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
			got, err := w.CreateMember(w.acting(), w.tenant, m.Address(), "operation",
				func(string) (member.Member, error) { return m, nil })
			m.Version = 1
			wantAnswer(w, m, got, err)
			return append(w.members(w.tenant, m), w.audited(w.tenant.Merchant))
		},
		unseen: storedtest.NotRead{"MEMBER write_id": notRead},
	},
	"UpdateMember": {
		sets: "Version is the next, UpdatedAt now",
		write: func(w fixture) []storedtest.Read {
			before, m := w.employed("operation"), w.member("operation")
			w.clock.Advance(1)
			got, err := w.UpdateMember(w.acting(), w.tenant, before.Number(), m.Address(),
				func(member.Member) (member.Member, error) { return m, nil })
			m.Version, m.UpdatedAt = 2, w.Now()
			wantAnswer(w, m, got, err)
			w.remove("MAIL", "MAIL") // see "UpdateMember, disabled"
			return append(w.members(w.tenant, m), w.audited(w.tenant.Merchant))
		},
		unseen: storedtest.NotRead{"MEMBER write_id": notRead},
	},
	"DeleteMember": {
		sets: "it expires after 31 days, and has no passwords",
		write: func(w fixture) []storedtest.Read {
			m := w.employed("operation")
			n := m.Number()
			m = w.member("operation")
			w.must(second(w.UpdateMember(w.acting(), w.tenant, n, m.Address(),
				func(member.Member) (member.Member, error) { return m, nil })))
			w.remove("MAIL", "MAIL")
			m.Version, m.UpdatedAt, m.Passwords = 2, w.Now(), nil
			got, err := w.DeleteMember(w.acting(), w.tenant, m.Number(), "deletion", allowed)
			got.Passwords = nil
			wantAnswer(w, m, got, err)
			return append(w.members(w.tenant), w.audited(w.tenant.Merchant), w.expiries(start.AddDate(0, 0, 31)),
				storedtest.Expect("the deletion again", m, func(ctx context.Context) (member.Member, error) {
					return w.DeleteMember(ctx, w.tenant, m.Number(), "deletion", allowed)
				}))
		},
		unseen: storedtest.NotRead{"COUNT count": "nothing is read as 0; the cases before miss it"},
	},
}

func allowed(member.Member) error { return nil }

// member is one with all fields that the operation makes.
func (w fixture) member(operation string) member.Member {
	w.Helper()
	return storedtest.Fill(w, w.Filler, func(m *member.Member) {
		m.ID = member.ID(operation, 0)
		slices.Sort(m.Roles) // a set
	})
}

// employed is a stored member that the operation made, without passwords.
func (w fixture) employed(operation string) member.Member {
	w.Helper()
	m, err := w.CreateMember(w.acting(), w.tenant, "till@example.com", operation, func(id string) (member.Member, error) {
		return member.NewEmployee(id, member.Registration{Email: "till@example.com"}, nil, w.Now()), nil
	})
	w.must(err)
	return m
}

// owners are the members that a merchant is created with.
func (w fixture) owners(m merchant.Merchant) (reads []storedtest.Read) {
	for _, mode := range m.Modes() {
		t := identity.Tenant{Mode: mode, Merchant: m.Code}
		reads = append(reads, w.members(t, member.NewOwner(t, m.Email, m.CreatedAt))...)
	}
	return reads
}

// members is what each read returns of a tenant's members; also their guards and their count, which only writes test.
func (w fixture) members(t identity.Tenant, want ...member.Member) []storedtest.Read {
	reads := []storedtest.Read{
		storedtest.Expect("Members", want, func(ctx context.Context) ([]member.Member, error) { return w.Members(ctx, t) }),
		storedtest.Expect("count", len(want), func(ctx context.Context) (int, error) { return countOf(ctx, w.Store, t) }),
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

// countOf is the stored count of a tenant's members.
func countOf(ctx context.Context, s *store.Store, t identity.Tenant) (int, error) {
	var counted struct {
		Count int `dynamo:"count"`
	}
	_, table := s.Raw()
	err := table.Get("pk", "MEMBERS#"+t.String()).Range("sk", dynamo.Equal, "COUNT").One(ctx, &counted)
	return counted.Count, err
}
