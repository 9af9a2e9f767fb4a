package world

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Token stores an access token of the shop's merchant in test mode, as the platform will
// issue them, and returns its text. Unless it is changed, it is an OAuth client's, has all
// scopes, and expires after an hour. Of a test profile it is a new one's unless it names one.
func (s Shop) Token(change ...func(*identity.AccessToken)) string {
	s.Helper()
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	text := hex.EncodeToString(random)
	t := identity.AccessToken{Hash: identity.Hash(text), Kind: identity.Client, Subject: "client_1", Client: "client_1",
		Tenant: s.Tenant(), Scopes: identity.AllScopes(), CreatedAt: s.App.Store.Now(),
		ExpiresAt: s.App.Store.Now().Add(time.Hour)}
	for _, set := range change {
		set(&t)
	}
	if t.Kind == identity.TestProfile && !strings.HasPrefix(t.Subject, member.TestProfilePrefix) {
		t.Subject = s.TestProfile("Token").ID
	}
	s.register(t)
	if err := s.put(t); err != nil {
		s.Fatal(err)
	}
	s.Secret("access token", text)
	return text
}

// put stores the token, of a person or a test profile with a grant.
func (s Shop) put(t identity.AccessToken) error {
	if t.Kind == identity.Client {
		return s.App.Store.PutAccessToken(s.Context(), t)
	}
	t.Grant = identity.Hash("refresh token of " + t.Hash)
	g := oauth.Grant{Hash: t.Grant, CreatedAt: t.CreatedAt, ExpiresAt: t.CreatedAt.Add(oauth.RefreshLasts),
		Holder: oauth.Holder{Client: t.Client, Kind: t.Kind, Subject: t.Subject, User: t.User, Tenant: t.Tenant,
			Scopes: t.Scopes}}
	return s.App.Store.PutGrant(s.Context(), g, t)
}

// register makes the token's client, unless it is there. It belongs to a merchant that has
// nothing else.
func (s Shop) register(t identity.AccessToken) {
	s.Helper()
	_, err := s.App.Store.OAuthClient(s.Context(), t.Client)
	if failure.Is(err, failure.KindNotFound) {
		_, err = s.App.Store.CreateOAuthClient(s.made("create_oauth_client"), oauth.Client{ID: t.Client, Name: "App",
			Tenant: identity.Tenant{Mode: t.Tenant.Mode, Merchant: "MC0APPS000"}, Scopes: identity.AllScopes(),
			Approved: identity.AllScopes()})
	}
	if err != nil && !errors.Is(err, store.ErrStale) { // another test goroutine has made it
		s.Fatal(err)
	}
}

// TokenOf is an access token of the member's, with all scopes unless some are given.
func (s Shop) TokenOf(m member.Member, scopes ...string) string {
	s.Helper()
	return s.Token(func(t *identity.AccessToken) {
		t.Kind, t.Subject, t.User, t.Client = m.Kind(), m.ID, m.UserID, "app_1"
		if len(scopes) > 0 {
			t.Scopes = scopes
		}
	})
}

// TestProfile makes a test profile.
func (s Shop) TestProfile(name string) member.TestProfile {
	s.Helper()
	p, password, err := member.NewTestProfile(rand.Reader, name, s.App.Store.Now())
	if err == nil {
		p, err = s.App.Store.CreateTestProfile(s.made("createTestProfile"), s.Tenant(), p,
			s.App.Store.PasswordOf(s.Tenant(), p.ID, password))
	}
	if err != nil {
		s.Fatal(err)
	}
	s.Secret("test profile's password", password.Reveal())
	return p
}

// Owner is the merchant's first member.
func (s Shop) Owner() member.Member {
	s.Helper()
	return s.member(member.NumberOf(member.OwnerID(s.Tenant())))
}

// Employ makes an operator with the permissions.
func (s Shop) Employ(email string, permissions member.Permissions) member.Member {
	s.Helper()
	m, err := s.App.Store.CreateMember(s.made("createMember"), s.Tenant(), member.Address(email), "employ "+email,
		func(id string, _ member.Roles) (member.Member, error) {
			r := member.Registration{Email: email, Permissions: permissions}
			return member.NewEmployee(id, r, nil, s.App.Store.Now()), nil
		})
	if err != nil {
		s.Fatal(err)
	}
	return m
}

func (s Shop) member(number int32) member.Member {
	s.Helper()
	m, err := s.App.Store.Member(s.Context(), s.Tenant(), number)
	if err != nil {
		s.Fatal(err)
	}
	return m
}

// Join makes the user of the shop's member also a member of another shop, with the role, and
// returns an access token for that shop. It acts for the first shop where a path names that.
func (s Shop) Join(other Shop, m member.Member, role string) string {
	s.Helper()
	token := func(memberID, inviteID string) string { return memberID + inviteID }
	invited, err := s.App.Store.CreateMember(s.made("createMember"), other.Tenant(), m.Address(), "invite "+m.ID,
		func(id string, _ member.Roles) (member.Member, error) {
			i := member.Invitation{Email: m.Email, Roles: []string{role}}
			return member.NewInvited(id, i, "invite "+m.ID, token, s.App.Store.Now()), nil
		})
	if err != nil {
		s.Fatal(err)
	}
	accepted, err := s.App.Store.AcceptInvitation(s.made("acceptInvitation"), token(invited.ID, invited.Invite.ID),
		func(store.Invitation) (member.Passwords, error) { return member.Passwords{{Operation: "test"}}, nil })
	if err != nil {
		s.Fatal(err)
	}
	return other.TokenOf(other.member(accepted.Member.Number()))
}
