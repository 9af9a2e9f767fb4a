package mails

import (
	"context"
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

// owners are the recipients of a mail to all owners: the oldest active members with role_owner, up to mail.MaxOwners.
func (p *postman) owners(ctx context.Context, t identity.Tenant) ([]member.Member, error) {
	members, err := p.Store.Members(ctx, t)
	owners := slices.DeleteFunc(members, func(m member.Member) bool { return !m.Governs() })
	return owners[:min(len(owners), mail.MaxOwners)], err
}

// maxMerchants limits the merchants whose owners get a mail about one user, because strangers cause that mail.
const maxMerchants = 5

// readTenants reads up to most tenants where the user is an active member, each merchant once, live mode first.
func (p *postman) readTenants(ctx context.Context, user string, most int) ([]identity.Tenant, error) {
	var found []identity.Tenant
	if user == "" { // the name was unknown
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

// message is the mail as it is sent now, or the reason why it is not sent any more.
func (p *postman) message(ctx context.Context, t identity.Tenant, m mail.Mail) (mail.Message, string, error) {
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
	link, obsolete, err := p.link(ctx, t, m)
	if err != nil || obsolete != "" {
		return mail.Message{}, obsolete, err
	}
	name := about.Name
	if m.Kind.OfReceipt() { // which goes to a payer
		name = recorded.Profile.Shown(about).BusinessName
	}
	message, err := letter{kind: m.Kind, language: supported(recorded.Profile.LanguageIn(about.Country)),
		merchant: name, about: m.About, link: link, test: t.Mode == identity.Test}.message(ctx)
	message.ID, message.To = m.ID, m.Email
	return message, "", err
}

// link is where the mail leads, "" if nowhere, or the reason why it leads nowhere any more.
func (p *postman) link(ctx context.Context, t identity.Tenant, m mail.Mail) (link, obsolete string, err error) {
	switch {
	case m.Kind == mail.Invitation:
		return p.invitation(ctx, t, m)
	case !m.Kind.OfReceipt():
		return "", "", nil
	case !p.Now().Before(payments.ReceiptLinkEnd(m.CreatedAt)):
		return "", "link expired", nil
	default:
		return p.BaseURL + "/receipts/" + p.ReceiptToken(m.ID), "", nil
	}
}

func (p *postman) invitation(ctx context.Context, t identity.Tenant, m mail.Mail) (link, obsolete string, err error) {
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

// supported is the language itself, if there are texts in it, else English.
func supported(language string) string {
	language, _, _ = strings.Cut(language, "-")
	if _, there := texts[mail.Invitation][language]; there {
		return language
	}
	return english
}

// bounds limit how many mails a day a merchant can cause to addresses that nobody has
// confirmed. Each kind is counted by itself, so that nobody hides one by causing others.
var bounds = store.Bucket{Every: 24 * time.Hour / mailsADay, Burst: mailsADay}

const mailsADay = 200

// tooMany counts a mail against its merchant's bounds, once for all tries. It returns why not to send the mail, or "".
func (p *postman) tooMany(ctx context.Context, t identity.Tenant, m mail.Mail) (string, error) {
	if !m.Bounded() || m.Tries > 0 {
		return "", nil
	}
	return p.take(ctx, string(m.Kind)+" mails "+t.String(), bounds)
}

// tooManyToOwners takes a token for a mail to all owners from the tenant's daily bucket of its kind, because the
// platform may send only so many mails a day for all merchants. It returns the reason not to send the mail, or "".
func (p *postman) tooManyToOwners(ctx context.Context, t identity.Tenant, m mail.Mail) (string, error) {
	most := m.Kind.ADay()
	if most == 0 {
		return "", nil
	}
	return p.take(ctx, string(m.Kind)+" mails to owners "+t.String(),
		store.Bucket{Every: 24 * time.Hour / time.Duration(most), Burst: most})
}

// take is why a mail is not sent for which the bucket has no token, or "".
func (p *postman) take(ctx context.Context, subject string, b store.Bucket) (string, error) {
	granted, _, err := p.Store.LeaseTokens(ctx, subject, b, 1, time.Time{})
	if err != nil || granted > 0 {
		return "", err
	}
	return "too many mails", nil
}
