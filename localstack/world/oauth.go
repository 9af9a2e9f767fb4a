package world

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/store"
)

// AppRedirect is where the clients of RegisterClient have their answers sent.
const AppRedirect = "https://app.example/callback"

// made is the context in which the world itself makes what an operation would, so that the
// audit knows by what.
func (s Shop) made(operation string) context.Context {
	return audit.As(s.Context(), audit.Actor{Kind: audit.Command, Request: rand.Text()}, operation)
}

// RegisterClient makes an OAuth client of the shop's merchant in test mode, and returns it with
// its secret. Unless it is changed, it may ask for all scopes.
func (s Shop) RegisterClient(change ...func(*oauth.Client)) (oauth.Client, string) {
	s.Helper()
	id, err := oauth.NewID(rand.Reader)
	if err != nil {
		s.Fatal(err)
	}
	text := s.secretText("client secret")
	c := oauth.Client{ID: id, Name: "App", Tenant: s.Tenant(), RedirectURIs: []string{AppRedirect},
		Scopes: identity.AllScopes(), Approved: identity.AllScopes(), SecretHash: identity.Hash(text),
		CreatedAt: s.App.Store.Now()}
	for _, set := range change {
		set(&c)
	}
	if c, err = s.App.Store.CreateOAuthClient(s.made("create_oauth_client"), c); err != nil {
		s.Fatal(err)
	}
	return c, text
}

// ChangeClient changes an OAuth client, as an operator does.
func (s Shop) ChangeClient(c oauth.Client, change func(*oauth.Client)) {
	s.Helper()
	changed := func(c oauth.Client) (oauth.Client, error) {
		change(&c)
		return c, nil
	}
	_, err := s.App.Store.UpdateOAuthClient(s.made("update_oauth_client"), c.ID, changed)
	if err != nil {
		s.Fatal(err)
	}
}

// secretText is a random text that must be found nowhere.
func (s Shop) secretText(what string) string {
	s.Helper()
	text, err := oauth.NewSecret(rand.Reader)
	if err != nil {
		s.Fatal(err)
	}
	s.Secret(what, text)
	return text
}

// Code is an authorization code for the client, as the holder has allowed it at /authorize.
// Unless it is changed, it is for the first of the client's redirect URIs, without PKCE.
func (s Shop) Code(c oauth.Client, h oauth.Holder, change ...func(*oauth.Code)) string {
	s.Helper()
	text := s.secretText("authorization code")
	h.Client = c.ID
	code := oauth.Code{Holder: h, Hash: identity.Hash(text), RedirectURI: c.RedirectURIs[0],
		CreatedAt: s.App.Store.Now(), ExpiresAt: s.App.Store.Now().Add(oauth.CodeLasts)}
	for _, set := range change {
		set(&code)
	}
	if err := s.App.Store.PutCode(s.Context(), code); err != nil {
		s.Fatal(err)
	}
	return text
}

// Holder is the member as one that allows a client the scopes.
func (s Shop) Holder(m member.Member, scopes ...string) oauth.Holder {
	s.Helper()
	passwords := m.Passwords
	if m.UserID != "" {
		u, err := s.App.Store.User(s.Context(), m.UserID)
		if err != nil {
			s.Fatal(err)
		}
		passwords = u.Passwords
	}
	return oauth.Holder{Kind: m.Kind(), Subject: m.ID, User: m.UserID, Tenant: s.Tenant(), Scopes: scopes,
		Password: passwords[0].Operation}
}

// Staff makes a managed user of the role, which has a password that nobody knows.
func (s Shop) Staff(email, role string) member.Member {
	s.Helper()
	m, err := s.App.Store.CreateMember(s.made("createMember"), s.Tenant(), member.Address(email), "staff "+email,
		func(id string, _ member.Roles) (member.Member, error) {
			m := member.NewEmployee(id, member.Registration{Email: email}, nil, s.App.Store.Now())
			m.Roles, m.Passwords = []string{role}, unknownPassword(s.App.Store.Now())
			return m, nil
		})
	if err != nil {
		s.Fatal(err)
	}
	return m
}

// Person makes a user who is a member with the role, and has a password that nobody knows.
func (s Shop) Person(email, role string) member.Member {
	s.Helper()
	token := s.secretText("invitation token")
	invited, err := s.App.Store.CreateMember(s.made("createMember"), s.Tenant(), member.Address(email), "invite "+email,
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewInvited(id, member.Invitation{Email: email, Roles: []string{role}}, "invite "+email,
				func(string, string) string { return token }, s.App.Store.Now()), nil
		})
	if err != nil {
		s.Fatal(err)
	}
	_, err = s.App.Store.AcceptInvitation(s.made("acceptInvitation"), token,
		func(store.Invitation) (member.Passwords, error) { return unknownPassword(s.App.Store.Now()), nil })
	if err != nil {
		s.Fatal(err)
	}
	return s.member(invited.Number())
}

// unknownPassword has no hash that a password could have, which saves the time of one.
func unknownPassword(at time.Time) member.Passwords {
	return member.Passwords{{Operation: rand.Text(), SetAt: at}}
}
