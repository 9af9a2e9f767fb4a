package store

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// The buckets of requests for a link to set a password (contract §2.9). A link is valid for longer than the bucket of
// an address takes to get a token back. So a user who finds the bucket empty has a link that is still valid.
var (
	passwordLinksOfAddress = Bucket{Every: 20 * time.Minute, Burst: 3}
	passwordLinksOfSource  = Bucket{Every: 2 * time.Minute, Burst: 10}
)

// RequestPasswordLink stores a link to set the password of the user with the address, and the mail with the link.
// newLink returns the link and the hash of its token. For an unknown address it stores a link without a user, and a
// mail without a recipient, because the duration must not show which addresses are known. A user without a password is
// treated alike: the address of a merchant's owner is unconfirmed until the operator sends the first link. When the
// bucket of the address is empty, it does nothing. Failure: TooMany for the bucket of the source.
func (s *Store) RequestPasswordLink(ctx context.Context, address, source string,
	newLink func(member.User) (signin.PasswordLink, string)) error {
	if err := s.TakeToken(ctx, "password links from "+source, passwordLinksOfSource); err != nil {
		return err
	}
	err := s.TakeToken(ctx, "password links for "+address, passwordLinksOfAddress)
	if failure.Is(err, failure.KindTooMany) {
		return nil
	}
	if err != nil {
		return err
	}
	account, err := s.readUserAccount(ctx, address)
	if err != nil {
		return err
	}
	var u member.User
	if len(account.Passwords) > 0 {
		u = member.User{ID: account.ID, Email: account.Name, Passwords: account.Passwords}
	}
	link, hash := newLink(u)
	return s.MailPasswordLink(ctx, identity.Tenant{}, link, hash, mail.NewPasswordLink(link.ID, u.Email, u.ID))
}

// MailPasswordLink stores a link, under the hash of its token, and the mail with the link. It stores both or neither. A
// repeated call changes nothing.
func (s *Store) MailPasswordLink(ctx context.Context, t identity.Tenant, l signin.PasswordLink, hash string,
	m mail.Mail) error {
	item := storedItem{key: passwordLinkKey(hash), value: l, TTL: l.ExpiresAt}
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("attribute_not_exists(pk)")).Put(s.putMail(t, m))
	return ifRefused(tx.Run(ctx), nil)
}

// PasswordLink reads the link with the hash of its token, and the link's user, consistently. The link is open or used
// (signin.PasswordLink). Failure: NotFound.
func (s *View) PasswordLink(ctx context.Context, hash string) (signin.PasswordLink, member.User, error) {
	item, err := readOne[struct {
		signin.PasswordLink
		TTL time.Time `dynamo:"expires_at,unixtime"`
	}](ctx, s, passwordLinkKey(hash), ErrNoLink)
	if err == nil && (item.User == "" || !s.now().Before(item.TTL)) {
		err = ErrNoLink
	}
	if err != nil {
		return signin.PasswordLink{}, member.User{}, err
	}
	item.ExpiresAt = item.TTL.UTC()
	u, err := s.User(ctx, item.User)
	if failure.Is(err, failure.KindNotFound) || err == nil && !item.IsOpen(u) && !item.IsUsed(u) {
		err = ErrNoLink
	}
	return item.PasswordLink, u, err
}

// maxAudited bounds the merchants and modes whose audits get an entry about a user's new password. The audits of the
// other merchants have the end of the user's access.
const maxAudited = 40

// UsePasswordLink sets the password of the link's user, and ends the user's access at every merchant (contract §10). A
// mail tells the user. Repeated with the same password, it only ends access that is left. Errors: ErrWrongPassword for
// a link that has set another password. Failures: NotFound; those of NewPassword.Set.
func (s *Store) UsePasswordLink(ctx context.Context, by audit.By, hash string, password *NewPassword) error {
	if err := by.Check(); err != nil {
		return err
	}
	u, err := Retry(func(bool) (member.User, error) {
		link, before, err := s.PasswordLink(ctx, hash)
		if err == nil && link.IsUsed(before) {
			err = password.Confirm(ctx, before.Passwords)
		} else if err == nil {
			err = s.setByLink(ctx, by, before, password)
		}
		return before, err
	})
	if err == nil {
		err = s.endAccess(ctx, platformFor(by), u.ID)
	}
	return err
}

// platformFor returns by with all rights, because a link gives no right to change members.
func platformFor(by audit.By) audit.By { return audit.ByPlatform(by.Actor, by.Operation) }

// setByLink sets the password. Before, it ends the user's access, so that after a crash no access token outlives the
// former password. Access that begins meanwhile ends afterwards.
func (s *Store) setByLink(ctx context.Context, by audit.By, before member.User, password *NewPassword) error {
	after := before
	var err error
	if after.Passwords, err = password.Set(ctx, before.Passwords); err != nil {
		return err
	}
	memberships, err := s.allMemberships(ctx, before.ID)
	if err != nil {
		return err
	}
	tx := s.newAuditedTx(by)
	tx.putUser(after)
	if len(before.Passwords) > 0 {
		if err := s.endAccessAt(ctx, platformFor(by), memberships, s.now()); err != nil {
			return err
		}
		tx.Put(s.putMail(identity.Tenant{}, mail.NewPasswordChanged(password.operation, before.Email, before.ID)))
	}
	for _, at := range memberships[:min(len(memberships), maxAudited)] {
		tx.by = actingAs(by, at.Member)
		tx.audit(at.Tenant, subjectMember(at.Member), before.ForAudit(), after.ForAudit())
	}
	return s.resolvePassword(ctx, before, password.operation, tx.Run(ctx))
}

// actingAs returns by with the user's member of a merchant as its actor, if the user acts.
func actingAs(by audit.By, m member.Member) audit.By {
	if by.Actor.Kind == audit.Member {
		by.Actor.ID = m.ID
	}
	return by
}
