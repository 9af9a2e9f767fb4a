package members_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

type fields = map[string]any

const (
	firstOne = "correct horse battery"
	another  = "another battery staple"
)

// person is a member in a response.
type person struct {
	ID          string         `json:"id"`
	Roles       []string       `json:"roles"`
	Permissions []string       `json:"permissions"`
	Status      string         `json:"status"`
	Metadata    map[string]any `json:"metadata"`
	CreatedAt   time.Time      `json:"created_at"`
	UpdatedAt   time.Time      `json:"updated_at"`
	Invite      *struct {
		Email     string    `json:"email"`
		ExpiresAt time.Time `json:"expires_at"`
	} `json:"invite"`
	User *user `json:"user"`
}

type user struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Email    string `json:"email"`
	Virtual  bool   `json:"virtual_user"`
	Nickname string `json:"nickname"`
	Classic  struct {
		UserID int32 `json:"user_id"`
	} `json:"classic"`
	DisabledAt *time.Time `json:"disabled_at"`
}

// shop is a shop whose passwords and tokens must not appear anywhere.
type shop struct{ world.Shop }

func newShop(t *testing.T) shop {
	t.Helper()
	s := world.NewShop(t)
	s.Secret("password", firstOne)
	s.Secret("password", another)
	return shop{s}
}

func (s shop) members() string { return "/v0.1/merchants/" + s.Merchant.Code + "/members" }

func (s shop) roles() string { return "/v0.1/merchants/" + s.Merchant.Code + "/roles" }

func (s shop) path(p person) string { return s.members() + "/" + p.ID }

func (s shop) invite(email string, roles ...string) person {
	s.Helper()
	return world.Into[person](s, 201, s.Send("POST", s.members(), fields{"email": email, "roles": roles}))
}

func managed(email string, more fields) fields {
	body := fields{"email": email, "roles": []string{"role_employee"}, "is_managed_user": true, "password": firstOne}
	maps.Copy(body, more)
	return body
}

func (s shop) employ(email string, more fields) person {
	s.Helper()
	return world.Into[person](s, 201, s.Send("POST", s.members(), managed(email, more)))
}

func (s shop) read(p person) person {
	s.Helper()
	return world.Into[person](s, 200, s.Send("GET", s.path(p), nil))
}

// list returns the addresses of the members listed, and their number on all pages.
func (s shop) list(query string) (emails []string, total int) {
	s.Helper()
	v := world.Into[struct {
		Items []person `json:"items"`
		Total int      `json:"total_count"`
	}](s, 200, s.Send("GET", s.members()+query, nil))
	for _, p := range v.Items {
		if p.User != nil {
			emails = append(emails, p.User.Email)
		} else {
			emails = append(emails, p.Invite.Email)
		}
	}
	return emails, v.Total
}

// readOwner returns the merchant's first owner.
func (s shop) readOwner() person {
	s.Helper()
	return world.Into[struct {
		Items []person `json:"items"`
	}](s, 200, s.Send("GET", s.members()+"?roles=role_owner", nil)).Items[0]
}

// role is a role in a response.
type role struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Permissions []string       `json:"permissions"`
	Predefined  bool           `json:"is_predefined"`
	Metadata    map[string]any `json:"metadata"`
	CreatedAt   time.Time      `json:"created_at"`
	UpdatedAt   time.Time      `json:"updated_at"`
}

func (s shop) createRole(name string, permissions ...string) role {
	s.Helper()
	return world.Into[role](s, 201, s.Send("POST", s.roles(), fields{"name": name, "permissions": permissions}))
}

// invitationToken returns the token in the link of an invitation's mail.
func (s shop) invitationToken(p person) string {
	s.Helper()
	m, _, err := s.App.Store.MemberWithRoles(s.Context(), s.Tenant(), numberOf(p))
	if err != nil || m.Invite.ID == "" {
		s.Fatalf("got member %v, error %v, want one who is invited", m, err)
	}
	token := s.App.InvitationToken(m.ID, m.Invite.ID)
	s.Secret("invitation token", token)
	return token
}

func sorted(texts ...string) []string { return slices.Sorted(slices.Values(texts)) }

// between returns the part of the text between before and after.
func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	found, _, _ := strings.Cut(rest, after)
	return found
}
