package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// accessLead leads from an account to one of its sessions, codes and grants. The transaction that stores the session,
// code or grant also stores its lead. A lead may outlive a session, so readers skip leads to missing items.
type accessLead struct {
	key
	TTL time.Time `dynamo:"expires_at,unixtime,omitempty"` // of the session, code or grant
}

// hash returns the last part of the key: the hash of the cookie, code or refresh token.
func (l accessLead) hash() string { return l.SK[strings.LastIndex(l.SK, "#")+1:] }

// leadsToCode returns true if the lead is a code's, and false if it is a grant's.
func (l accessLead) leadsToCode() bool { return strings.HasSuffix(l.SK, codeMark+l.hash()) }

func sessionLead(s signin.Session) accessLead {
	return accessLead{sessionLeadKey(s.Account, s.BeganAt, s.Hash), s.Expires}
}

func codeLead(c oauth.Code) accessLead {
	return accessLead{permitLeadKey(c.Holder, codeMark, c.Hash), c.ExpiresAt}
}

func grantLead(g oauth.Grant) accessLead {
	return accessLead{permitLeadKey(g.Holder, grantMark, g.Hash), g.ExpiresAt}
}

// The most sessions and grants that are read for an account. EndSignIns and RevokeGrants find all.
const (
	maxSignIns = 50
	maxGrants  = 500
)

// leads returns the query of an account's leads with the prefix. It leaves out expired ones, which the table may keep
// for days.
func (s *View) leads(partition, prefix string) *dynamo.Query {
	return s.prefixed(partition, prefix).Filter("expires_at > ?", s.now().Unix())
}

// SignIns returns an account's sessions that have not expired, the newest first, at most 50. A session may have ended
// (signin.Session.Of).
func (s *View) SignIns(ctx context.Context, a signin.Account) ([]signin.Session, error) {
	newest := s.leads(accountPartition(a), sessionPrefix).Order(dynamo.Descending)
	leads, err := readFirst[accessLead](ctx, newest, maxSignIns)
	if err != nil {
		return nil, err
	}
	keys := make([]key, len(leads))
	for i, l := range leads {
		keys[i] = signInKey(l.hash())
	}
	all, err := readInOrder(ctx, s, keys, true, func(i storedSignIn) (key, signin.Session) { return i.key, i.session() })
	return slices.DeleteFunc(all, func(session signin.Session) bool { return !s.now().Before(session.Expires) }), err
}

// EndSignIns deletes the account's sessions for whose hashes ends returns true. It looks again after each deletion,
// because the confirmation of a second factor may replace a pending session meanwhile. Repeating the call is safe.
func (s *Store) EndSignIns(ctx context.Context, a signin.Account, ends func(hash string) bool) error {
	return s.removeLed(ctx, accountPartition(a), sessionPrefix, func(l accessLead) bool { return ends(l.hash()) },
		func(l accessLead) *dynamo.Delete { return s.remove(signInKey(l.hash())) })
}

// AllowedGrant is a grant with its client.
type AllowedGrant struct {
	oauth.Grant
	App oauth.Client
}

// AllowedGrants returns an account's valid grants with their clients, in the order of the clients' ids, at most 500. An
// unused code counts as a grant, because its client can exchange the code at any time. Grants of revoked clients are
// left out. The account's access may have ended since (signin.HeldByMember, signin.HeldByPassword).
func (s *View) AllowedGrants(ctx context.Context, a signin.Account) ([]AllowedGrant, error) {
	leads, err := readFirst[accessLead](ctx, s.leads(accountPartition(a), permitPrefix), maxGrants)
	if err != nil {
		return nil, err
	}
	grants, err := s.readLed(ctx, leads)
	if err != nil {
		return nil, err
	}
	var keys []key
	for _, g := range grants {
		keys = append(keys, oauthClientKey(g.Client))
	}
	clients, err := readIndexed(ctx, s, keys, true, func(c oauth.Client) (string, oauth.Client) { return c.ID, c })
	var all []AllowedGrant
	for _, g := range grants {
		if c, known := clients[g.Client]; known && !c.Revoked() {
			all = append(all, AllowedGrant{g, c})
		}
	}
	return all, err
}

// readLed reads the grants and unused codes of the leads, without expired ones, in the order of the clients' ids, and
// of each client the oldest first.
func (s *View) readLed(ctx context.Context, leads []accessLead) ([]oauth.Grant, error) {
	var codes, grants []key
	for _, l := range leads {
		if l.leadsToCode() {
			codes = append(codes, codeKey(l.hash()))
		} else {
			grants = append(grants, grantKey(l.hash()))
		}
	}
	all, err := readInOrder(ctx, s, grants, true, func(i storedGrant) (key, oauth.Grant) { return i.key, i.grant() })
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(g oauth.Grant) bool { return !g.Valid(s.now()) })
	unused, err := readInOrder(ctx, s, codes, true, func(i storedCode) (key, oauth.Code) { return i.key, i.Code })
	for _, c := range unused {
		if c.Grant == "" && s.now().Before(c.ExpiresAt) {
			all = append(all, c.NewGrant("", c.CreatedAt))
		}
	}
	slices.SortStableFunc(all, func(a, b oauth.Grant) int {
		return cmp.Or(strings.Compare(a.Client, b.Client), a.CreatedAt.Compare(b.CreatedAt))
	})
	return all, err
}

// RevokeGrants revokes all of the account's grants for the client, as RevokeGrant does, and the client's unused codes.
// It looks again after each deletion, because the client may exchange a code for a grant meanwhile. Repeating the call
// is safe.
func (s *Store) RevokeGrants(ctx context.Context, a signin.Account, client string) error {
	return s.removeLed(ctx, accountPartition(a), permitsOf(client), func(accessLead) bool { return true },
		func(l accessLead) *dynamo.Delete {
			if l.leadsToCode() {
				return s.remove(codeKey(l.hash())).If("attribute_not_exists('grant')")
			}
			return s.remove(grantKey(l.hash()))
		})
}

// removeLed deletes the chosen leads with the prefix, each in one transaction with its item. If the transaction is
// refused because a code was used meanwhile, removeLed deletes the lead alone.
func (s *Store) removeLed(ctx context.Context, partition, prefix string, chosen func(accessLead) bool,
	remove func(accessLead) *dynamo.Delete) error {
	return retryWrite(func(bool) error {
		for {
			var leads []accessLead
			if err := s.leads(partition, prefix).Order(dynamo.Descending).All(ctx, &leads); err != nil {
				return err
			}
			leads = slices.DeleteFunc(leads, func(l accessLead) bool { return !chosen(l) })
			if len(leads) == 0 {
				return nil
			}
			for _, l := range leads {
				err := s.db.WriteTx().Idempotent(true).Delete(remove(l)).Delete(s.remove(l.key)).Run(ctx)
				if dynamo.IsCondCheckFailed(err) {
					err = s.remove(l.key).Run(ctx)
				}
				if err != nil {
					return err
				}
			}
		}
	})
}

// storedSignIn is a session as read.
type storedSignIn struct {
	key
	signin.Session
	TTL time.Time `dynamo:"expires_at,unixtime"`
}

func (i storedSignIn) session() signin.Session {
	i.Expires = i.TTL.UTC()
	return i.Session
}

// storedGrant is a grant as read.
type storedGrant struct {
	key
	oauth.Grant
	TTL time.Time `dynamo:"expires_at,unixtime"`
}

func (i storedGrant) grant() oauth.Grant {
	i.ExpiresAt = i.TTL.UTC()
	return i.Grant
}

// storedCode is a code as read.
type storedCode struct {
	key
	oauth.Code
}

// accountPartition returns the partition of an account's leads.
func accountPartition(a signin.Account) string { return accessPartition(a.Kind, a.ID, a.Tenant) }

// holderPartition returns the partition of the leads of the holder's account.
func holderPartition(h oauth.Holder) string {
	if h.Kind == identity.User {
		return accessPartition(h.Kind, h.User, h.Tenant)
	}
	return accessPartition(h.Kind, h.Subject, h.Tenant)
}
