package store

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
)

func signInItem(session signin.Session) storedItem {
	return storedItem{key: signInKey(session.Hash), value: session, TTL: session.Expires}
}

// PutSignIn stores a new session under the hash of its cookie. Repeating the call is safe.
func (s *Store) PutSignIn(ctx context.Context, session signin.Session) error {
	return s.putSignIn(s.db.WriteTx().Idempotent(true), session).Run(ctx)
}

// putSignIn adds a session and its lead to a transaction.
func (s *Store) putSignIn(tx *dynamo.WriteTx, session signin.Session) *dynamo.WriteTx {
	return tx.Put(s.table.Put(signInItem(session))).Put(s.table.Put(sessionLead(session)))
}

// SignIn reads the session with the hash. It returns false if there is none or it has expired.
func (s *View) SignIn(ctx context.Context, hash string) (signin.Session, bool, error) {
	item, err := readOne[storedSignIn](ctx, s, signInKey(hash), nil)
	session := item.session()
	return session, err == nil && s.now().Before(session.Expires), err
}

// EndSignIn deletes a session and its lead. Repeating the call is safe.
func (s *Store) EndSignIn(ctx context.Context, hash string) error {
	session, _, err := s.SignIn(ctx, hash)
	if err != nil || session.Hash == "" {
		return err
	}
	return s.db.WriteTx().Idempotent(true).Delete(s.remove(signInKey(hash))).
		Delete(s.remove(sessionLead(session).key)).Run(ctx)
}

// knownItem records a sign-in to an account from an address. Its key is a MAC of both.
type knownItem struct {
	key
	TTL time.Time `dynamo:"expires_at,unixtime"`
}

// PutKnownAddress records until the given time that the account knows the address with the id
// (signin.KnownKey.Address). Repeating the call is safe.
func (s *Store) PutKnownAddress(ctx context.Context, id string, until time.Time) error {
	return s.table.Put(knownItem{knownKey(id), until}).Run(ctx)
}

// KnowsAddress returns true if the account knows the address with the id. It takes one read in either case.
func (s *View) KnowsAddress(ctx context.Context, id string) (bool, error) {
	item, err := readOne[knownItem](ctx, s, knownKey(id), nil)
	return err == nil && s.now().Before(item.TTL), err
}

// SignInAccount returns the account with the name: a test profile by its user name; a managed user by its address and
// the merchant's code; or a user, in both modes, by its address. For an unknown name it returns zero after as many
// reads as for a known name, so that the duration does not reveal which names exist. A malformed merchant code takes no
// read.
func (s *View) SignInAccount(ctx context.Context, name signin.Name, mode identity.Mode) (signin.Account,
	error) {
	t := identity.Tenant{Mode: mode, Merchant: name.Merchant}
	switch {
	case name.Merchant != "" && !identity.IsMerchantCode(name.Merchant):
		return signin.Account{}, nil
	case name.Profile != "":
		return s.readProfileAccount(ctx, t, name.Profile)
	case name.Merchant == "":
		return s.readUserAccount(ctx, name.Address)
	default:
		return s.readMemberAccount(ctx, t, name.Address)
	}
}

// readProfileAccount reads the account of a test profile. It takes one read.
func (s *View) readProfileAccount(ctx context.Context, t identity.Tenant, id string) (signin.Account, error) {
	p, err := s.TestProfile(ctx, t, id)
	if err != nil || t.Mode != identity.Test {
		return signin.Account{}, ignoreNotFound(err)
	}
	return signin.Account{Kind: identity.TestProfile, ID: p.ID, Tenant: t, Name: p.Username(t),
		Passwords: p.Passwords}, nil
}

// readUserAccount reads the account of a user. It takes two reads: the address, then the user. For an unknown address,
// the second read is of a user that cannot exist.
func (s *View) readUserAccount(ctx context.Context, address string) (signin.Account, error) {
	u, err := s.UserByEmail(ctx, address)
	if err != nil {
		return signin.Account{}, err
	}
	if u.Version == 0 {
		_, err = s.User(ctx, "nobody")
		return signin.Account{}, ignoreNotFound(err)
	}
	return signin.Account{Kind: identity.User, ID: u.ID, Name: u.Email, Passwords: u.Passwords}, nil
}

// readMemberAccount reads the account of a managed user, or of a user who is a member of the tenant. It takes four
// reads: two for the user, and two for the member. For an unknown address, the last read is of a member that cannot
// exist.
func (s *View) readMemberAccount(ctx context.Context, t identity.Tenant, address string) (signin.Account, error) {
	user, err := s.readUserAccount(ctx, address)
	if err != nil {
		return signin.Account{}, err
	}
	guard, err := readOne[memberLead](ctx, s, addressKey(t, address), nil)
	if err != nil {
		return signin.Account{}, err
	}
	m, err := s.Member(ctx, t, member.NumberOf(guard.MemberID))
	switch {
	case err != nil:
		return signin.Account{}, ignoreNotFound(err)
	case m.Type != member.TypeManaged:
		return user, nil
	case !m.Active():
		return signin.Account{}, nil
	default:
		return signin.Account{Kind: identity.Operator, ID: m.ID, Tenant: t, Name: m.Email, Passwords: m.Passwords,
			Since: m.AccessSince()}, nil
	}
}
