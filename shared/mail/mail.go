// Package mail has the e-mails to a merchant's people and payers: which there are, and who gets them. A mail reports a
// change or has a link, and is written in the same transaction. The port [Sender] sends mails.
package mail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/outbox"
)

// Kind says what a mail is about.
type Kind string

// The kinds.
const (
	Invitation         Kind = "invitation"           // to the address that was invited
	AccountDisabled    Kind = "account_disabled"     // to its member
	WrongCodes         Kind = "wrong_codes"          // to the owner of the second factor
	NewAPIKey          Kind = "api_key_created"      // to all owners
	BankAccountChanged Kind = "bank_account_changed" // to all owners
	MemberKeysEnded    Kind = "member_keys_ended"    // to all owners: API keys ended because their maker left
	MemberKeysKept     Kind = "member_keys_kept"     // to all owners: API keys still work although their maker left
	SignInBlocked      Kind = "sign_in_blocked"      // to all owners; for a user, of some merchants (Mail.User)

	// With a link, to an address that the merchant has named.
	Receipt       Kind = "receipt"        // of a payment
	RefundReceipt Kind = "refund_receipt" // of a refund
	PaymentState  Kind = "payment_state"  // of a payment whose money has not moved
	RefundState   Kind = "refund_state"   // of such a refund
)

// Kinds are all kinds.
var Kinds = []Kind{Invitation, AccountDisabled, WrongCodes, NewAPIKey, BankAccountChanged, MemberKeysEnded,
	MemberKeysKept, SignInBlocked, Receipt, RefundReceipt, PaymentState, RefundState}

// OfReceipt reports whether mails of the kind have a link to a receipt.
func (k Kind) OfReceipt() bool {
	return k == Receipt || k == RefundReceipt || k == PaymentState || k == RefundState
}

// MaxOwners is how many owners of a tenant get a mail, those who became members first.
const MaxOwners = 20

// Mail is an e-mail to be sent. It holds no token, key or password: a link's token is derived when it is sent.
type Mail struct {
	outbox.Entry
	Kind    Kind   `dynamo:"kind"`
	Member  int32  `dynamo:"member,omitempty"`  // number of the member it goes to; 0: all owners, or a payer
	Email   string `dynamo:"email,omitempty"`   // the address; "" when it goes to all owners, each by one of its own
	Invite  string `dynamo:"invite,omitempty"`  // id of an invitation
	About   string `dynamo:"about,omitempty"`   // what {about} of the text shows
	User    string `dynamo:"user,omitempty"`    // of a mail without a tenant: the user whose merchants get it; "": none
	Managed bool   `dynamo:"managed,omitempty"` // the recipient is a managed user, whose address is not confirmed
	Version int    `dynamo:"version"`           // of the stored item, from 1
}

// NewInvitation is the mail with the link of an invitation. A repeated operation makes the
// same mail; so it is with each of the following.
func NewInvitation(operation string, member int32, email, invite string) Mail {
	return newMail(operation, Mail{Kind: Invitation, Member: member, Email: email, Invite: invite})
}

// NewAccountDisabled tells a member that it can no longer sign in.
func NewAccountDisabled(operation string, member int32, email string) Mail {
	return newMail(operation, Mail{Kind: AccountDisabled, Member: member, Email: email})
}

// NewWrongCodes returns a mail without a tenant that warns a user of wrong codes of the second factor.
func NewWrongCodes(operation, email, user string) Mail {
	return newMail(operation, Mail{Kind: WrongCodes, Email: email, About: email, User: user})
}

// NewWrongCodesOfManaged returns a mail that warns a managed user of wrong codes of the second factor.
func NewWrongCodesOfManaged(operation, email string, member int32) Mail {
	return newMail(operation, Mail{Kind: WrongCodes, Email: email, About: email, Member: member, Managed: true})
}

// NewKeyCreated tells the owners of a new key by its name.
func NewKeyCreated(operation, name string) Mail {
	return newMail(operation, Mail{Kind: NewAPIKey, About: name})
}

// NewBankAccountChanged tells the owners which account is primary now. Only the end of its number is kept.
func NewBankAccountChanged(operation, number string) Mail {
	return newMail(operation, Mail{Kind: BankAccountChanged, About: number[max(0, len(number)-shownDigits):]})
}

// NewMemberKeys returns a mail to the owners about the API keys of the member with the address, who was disabled or
// removed. ended says whether the keys have ended or still work.
func NewMemberKeys(operation string, ended bool, email string, names []string) Mail {
	kind := MemberKeysKept
	if ended {
		kind = MemberKeysEnded
	}
	more := ""
	if len(names) > shownKeys {
		names, more = names[:shownKeys], ", …"
	}
	return newMail(operation, Mail{Kind: kind, About: email + ": " + strings.Join(names, ", ") + more})
}

// shownKeys is the number of API keys that a mail names at most.
const shownKeys = 20

// NewSignInBlocked returns a mail that tells the owners that passwords for an account are refused for now. A user's
// mail has no tenant, so it names the user. For other accounts and for an unknown name user is "".
func NewSignInBlocked(operation, account, user string) Mail {
	return newMail(operation, Mail{Kind: SignInBlocked, About: account, User: user})
}

// NewReceipt is the mail of a kind with a link to a receipt. The amount is as it is to be read. A
// repeated operation makes the same mail even if the payment has another state by then.
func NewReceipt(operation string, kind Kind, email, amount string) Mail {
	m := newMail(operation, Mail{Kind: Receipt, Email: email, About: amount})
	m.Kind = kind
	return m
}

// shownDigits is how much of an account's number a mail shows.
const shownDigits = 4

// newMail returns the mail with its id, which follows from its kind and the operation.
func newMail(operation string, m Mail) Mail {
	m.ID = idOf(string(m.Kind), operation)
	return m
}

// idOf is an id that follows from the parts.
func idOf(parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		_, _ = sum.Write([]byte(p + "\x00")) // never fails
	}
	return idPrefix + hex.EncodeToString(sum.Sum(nil)[:idBytes])
}

const (
	idPrefix = "mail_"
	idBytes  = 16
)

// Due is the mail, new, to be sent at once.
func (m Mail) Due(now time.Time) Mail {
	m.Entry, m.Version = outbox.New(m.ID, now), 1
	return m
}

// ToOwners reports whether the mail is to all owners. Such a mail is divided into one for each.
func (m Mail) ToOwners() bool { return m.Member == 0 && m.Email == "" }

// To is the mail to one of the owners. Its id follows from the two.
func (m Mail) To(member int32, email string, now time.Time) Mail {
	m.ID, m.Member, m.Email = idOf(m.ID, strconv.Itoa(int(member))), member, email
	return m.Due(now)
}

// At returns the copy of a mail without a tenant that goes to one of the user's merchants.
func (m Mail) At(t identity.Tenant, now time.Time) Mail {
	m.ID, m.User = idOf(m.ID, t.String()), ""
	return m.Due(now)
}

// Bounded reports whether sending must bound the mails that a merchant can cause to an address that nobody has
// confirmed. Invitations and receipts are bounded when they are made.
func (m Mail) Bounded() bool { return m.Kind == AccountDisabled || m.Managed }

// Lists reports whether mails of the kind name several API keys.
func (k Kind) Lists() bool { return k == MemberKeysEnded || k == MemberKeysKept }

// ADay returns how many mails of the kind to all owners one tenant gets in a day. 0 means no limit, because the
// reported event is limited already, as new keys are. Changes of the bank account, members who are disabled again and
// again, and passwords that strangers try are not.
func (k Kind) ADay() int {
	switch k {
	case BankAccountChanged, MemberKeysEnded, MemberKeysKept:
		return 50
	case SignInBlocked:
		return 10
	default:
		return 0
	}
}

// with is the mail with another entry.
func (m Mail) with(e outbox.Entry) Mail {
	m.Entry = e
	return m
}

// Swept is the mail after the sweep has sent its next try.
func (m Mail) Swept(now time.Time) Mail { return m.with(m.Entry.Swept(now)) }

// Begun is the mail during a try, whose outcome may never be recorded.
func (m Mail) Begun(now time.Time) Mail { return m.with(m.Entry.Begun(now)) }

// Delivered is the mail after it was sent, or written to each owner.
func (m Mail) Delivered() Mail { return m.with(m.Sent()) }

// Undelivered is the mail after a try that failed.
func (m Mail) Undelivered(reason string, now time.Time) Mail {
	return m.with(m.Entry.Undelivered(reason, now))
}

// Dropped is the mail when it will not be sent, for the reason.
func (m Mail) Dropped(reason string) Mail { return m.with(m.Entry.Dropped(reason)) }

// longestHeld is how long a mail waits until the stage has a sender. An invitation has expired by then.
const longestHeld = 7 * 24 * time.Hour

// Held returns the mail while the stage has no sender: due again every hour, and dead after a week.
func (m Mail) Held(now time.Time) Mail {
	const reason = "no sender is set"
	held := m.Entry.Held(reason, time.Hour, now)
	if now.Sub(m.CreatedAt) >= longestHeld {
		held.State, held.NextAt = outbox.Dead, now
	}
	return m.with(held)
}

// Replayed is the mail when it is to be sent again, under its old id.
func (m Mail) Replayed(now time.Time) Mail { return m.with(m.Entry.Replayed(now)) }

// Message is a mail as it is sent.
type Message struct {
	ID      string // the mail's; the same each time that it is sent
	To      string // one address, without a name
	Subject string
	Text    string
	HTML    string
}

// IDHeader is the header with the mail's id, the same in a mail that was sent twice.
const IDHeader = "X-Mail-Id"

// Sender sends mails. After an error other than [ErrRefused] the message is sent again,
// although it may have been sent. So it may arrive twice, but is never lost.
type Sender interface {
	// Send sends the message once. Error: ErrRefused when sending it again cannot help, as to an invalid address.
	Send(ctx context.Context, m Message) error
}

// ErrRefused is the error of a message that the service will never take.
var ErrRefused = errors.New("mail: refused")

// Plain reports whether an address has none of the characters that could add a header or
// another address. All else about it is for the service to check.
func Plain(address string) bool {
	return address != "" && !strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune(`,;<>"`, r)
	})
}
