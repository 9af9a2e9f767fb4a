package mails

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// owners are those who get a mail to all: active members with role_owner, the oldest
// first, at most mail.MaxOwners.
func (p *postman) owners(ctx context.Context, t identity.Tenant) ([]member.Member, error) {
	members, err := p.Store.Members(ctx, t)
	owners := slices.DeleteFunc(members, func(m member.Member) bool { return !m.Governs() })
	return owners[:min(len(owners), mail.MaxOwners)], err
}

// message is the mail as it is sent now, or why nobody is to get it any more.
func (p *postman) message(ctx context.Context, t identity.Tenant, m mail.Mail) (mail.Message, string, error) {
	if !plain(m.Email) {
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
	link := ""
	if m.Kind == mail.Invitation {
		invited, missing := p.Store.Member(ctx, t, m.Member)
		switch {
		case failure.Is(missing, failure.KindNotFound):
			return mail.Message{}, "invitation withdrawn", nil
		case missing != nil:
			return mail.Message{}, "", missing
		case invited.Invite.ID != m.Invite:
			return mail.Message{}, "invitation accepted", nil
		case !p.Now().Before(invited.Invite.ExpiresAt):
			return mail.Message{}, "invitation expired", nil
		}
		link = p.BaseURL + "/invitations/" + p.InvitationToken(invited.ID, m.Invite)
	}
	message, err := letter{kind: m.Kind, language: supported(recorded.Profile.LanguageIn(about.Country)),
		merchant: about.Name, about: m.About, link: link, test: t.Mode == identity.Test}.message(ctx)
	message.ID, message.To = m.ID, m.Email
	return message, "", err
}

// plain reports whether an address has none of the characters that could make another
// header or another address of it. What else is wrong with it the service says.
func plain(address string) bool {
	return address != "" && !strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune(`,;<>"`, r)
	})
}

// supported is the language itself, if there are texts in it, else English.
func supported(language string) string {
	language, _, _ = strings.Cut(language, "-")
	if _, there := texts[mail.Invitation][language]; there {
		return language
	}
	return english
}

// bounds keep a merchant from having the platform write to addresses of its choice that
// nobody has confirmed: so many mails of each kind in a day. Each kind is counted by itself,
// so that nobody hides what a mail tells of by causing others.
var bounds = store.Bucket{Every: 24 * time.Hour / mailsADay, Burst: mailsADay}

const mailsADay = 200

// tooMany takes a mail off what its merchant may cause. It is why the mail is not sent,
// or "". A mail that is tried again counts once.
func (p *postman) tooMany(ctx context.Context, t identity.Tenant, m mail.Mail) (string, error) {
	if !m.Bounded() || m.Tries > 0 {
		return "", nil
	}
	return p.take(ctx, string(m.Kind)+" mails "+t.String(), bounds)
}

// toOwners keep a merchant from using up what the platform may send in a day: so many
// changes in a day are told to its owners, of what it can change as often as it likes.
var toOwners = store.Bucket{Every: 24 * time.Hour / changesADay, Burst: changesADay}

const changesADay = 50

// tooManyToOwners is tooMany for a mail to all owners.
func (p *postman) tooManyToOwners(ctx context.Context, t identity.Tenant, m mail.Mail) (string, error) {
	if !m.Kind.Unlimited() {
		return "", nil
	}
	return p.take(ctx, "mails to owners "+t.String(), toOwners)
}

// take is why a mail is not sent for which the bucket has no token, or "".
func (p *postman) take(ctx context.Context, subject string, b store.Bucket) (string, error) {
	granted, _, err := p.Store.LeaseTokens(ctx, subject, b, 1, time.Time{})
	if err != nil || granted > 0 {
		return "", err
	}
	return "too many mails", nil
}
