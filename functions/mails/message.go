package mails

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// readOwners returns the recipients of a mail to owners: the oldest mail.MaxOwners active members with role_owner.
func (p *postman) readOwners(ctx context.Context, t identity.Tenant) ([]member.Member, error) {
	members, err := p.Store.Members(ctx, t)
	owners := slices.DeleteFunc(members, func(m member.Member) bool { return !m.Governs() })
	return owners[:min(len(owners), mail.MaxOwners)], err
}

// maxMerchants limits the number of merchants whose owners get a mail about one user, because strangers cause such
// mails.
const maxMerchants = 5

// readTenants returns tenants where the user is an active member, at most the given number. It returns each merchant
// once. It prefers live mode, and lists the tenants in live mode first.
func (p *postman) readTenants(ctx context.Context, user string, most int) ([]identity.Tenant, error) {
	var found []identity.Tenant
	if user == "" { // the mail is about an unknown name
		return nil, nil
	}
	for _, mode := range []identity.Mode{identity.Live, identity.Test} {
		memberships, err := p.Store.Memberships(ctx, user, mode)
		if err != nil {
			return nil, err
		}
		for _, m := range memberships {
			twice := slices.ContainsFunc(found, func(t identity.Tenant) bool { return t.Merchant == m.Tenant.Merchant })
			if m.Member.Active() && !twice && len(found) < most {
				found = append(found, m.Tenant)
			}
		}
	}
	return found, nil
}

// compose returns the message to send now, or the reason not to send the mail any more.
func (p *postman) compose(ctx context.Context, t identity.Tenant, m mail.Mail) (mail.Message, string, error) {
	if !mail.Plain(m.Email) {
		return mail.Message{}, "address not plain", nil
	}
	about, err := p.Store.Merchant(ctx, t.Merchant)
	if err != nil {
		return mail.Message{}, "", err
	}
	recorded, err := p.Store.Account(ctx, t.Merchant)
	if err != nil {
		return mail.Message{}, "", err
	}
	link, obsolete, err := p.makeLink(ctx, t, m)
	if err != nil || obsolete != "" {
		return mail.Message{}, obsolete, err
	}
	name := about.Name
	if m.Kind.OfReceipt() { // a payer knows the merchant by the business name
		name = recorded.Profile.Shown(about).BusinessName
	}
	message, err := letter{kind: m.Kind, language: supportedLanguage(recorded.Profile.LanguageIn(about.Country)),
		merchant: name, about: m.About, link: link, test: t.Mode == identity.Test}.render(ctx)
	message.ID, message.To = m.ID, m.Email
	return message, "", err
}

// makeLink returns the mail's link, or "" if the mail has none. If the mail is obsolete, it returns the reason.
func (p *postman) makeLink(ctx context.Context, t identity.Tenant, m mail.Mail) (link, obsolete string, err error) {
	switch {
	case m.Kind == mail.Invitation:
		return p.makeInvitationLink(ctx, t, m)
	case m.Kind == mail.PasswordLink || m.Kind == mail.FirstPassword:
		return p.makePasswordLink(ctx, m)
	case !m.Kind.OfReceipt():
		return "", "", nil
	case !p.Now().Before(payments.ReceiptLinkEnd(m.CreatedAt)):
		return "", "link expired", nil
	default:
		return p.BaseURL + "/receipts/" + p.ReceiptToken(m.ID), "", nil
	}
}

func (p *postman) makePasswordLink(ctx context.Context, m mail.Mail) (link, obsolete string, err error) {
	token := p.PasswordToken(m.Invite)
	stored, user, err := p.Store.PasswordLink(ctx, identity.Hash(token))
	switch {
	case errors.Is(err, store.ErrNoLink):
		return "", "link expired", nil
	case err == nil && stored.IsUsed(user):
		return "", "link used", nil
	}
	return p.BaseURL + "/password/" + token, "", err
}

func (p *postman) makeInvitationLink(ctx context.Context, t identity.Tenant, m mail.Mail) (link, obsolete string,
	err error) {
	invited, err := p.Store.Member(ctx, t, m.Member)
	switch {
	case failure.Is(err, failure.KindNotFound):
		return "", "invitation withdrawn", nil
	case err != nil:
		return "", "", err
	case invited.Invite.ID != m.Invite:
		return "", "invitation accepted", nil
	case !p.Now().Before(invited.Invite.ExpiresAt):
		return "", "invitation expired", nil
	default:
		return p.BaseURL + "/invitations/" + p.InvitationToken(invited.ID, m.Invite), "", nil
	}
}

// supportedLanguage returns the language without its region if the mails have texts in that language, else English.
func supportedLanguage(language string) string {
	language, _, _ = strings.Cut(language, "-")
	if _, there := texts[mail.Invitation][language]; there {
		return language
	}
	return english
}

// dailyBound limits how many mails of one kind a merchant can cause in a day to addresses that no person has confirmed.
// Each kind is counted separately, so that a merchant cannot suppress a mail by causing many mails of another kind.
var dailyBound = store.Bucket{Every: 24 * time.Hour / mailsADay, Burst: mailsADay}

const mailsADay = 200

// countMail counts a mail against its merchant's bound, at the first try only. It returns the reason not to send, or
// "".
func (p *postman) countMail(ctx context.Context, t identity.Tenant, m mail.Mail) (string, error) {
	if !m.Bounded() || m.Tries > 0 {
		return "", nil
	}
	return p.takeToken(ctx, string(m.Kind)+" mails "+t.String(), dailyBound)
}

// countOwnersMail takes a token for a mail to all owners from the tenant's daily bucket of its kind, because the
// platform may send only so many mails a day for all merchants. It returns the reason not to send the mail, or "".
func (p *postman) countOwnersMail(ctx context.Context, t identity.Tenant, m mail.Mail) (string, error) {
	most := m.Kind.ADay()
	if most == 0 {
		return "", nil
	}
	return p.takeToken(ctx, string(m.Kind)+" mails to owners "+t.String(),
		store.Bucket{Every: 24 * time.Hour / time.Duration(most), Burst: most})
}

// takeToken takes a token from the bucket. It returns "", or the reason not to send the mail.
func (p *postman) takeToken(ctx context.Context, subject string, b store.Bucket) (string, error) {
	granted, _, err := p.Store.LeaseTokens(ctx, subject, b, 1, time.Time{})
	if err != nil || granted > 0 {
		return "", err
	}
	return "too many mails", nil
}
