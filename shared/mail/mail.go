// Package mail defines the e-mails to a merchant's people and to payers. A mail reports a change or has a link. It is
// written in the transaction of the change. The port [Sender] sends it.
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

// Kind is the subject of a mail.
type Kind string

// The kinds.
const (
	Invitation         Kind = "invitation"           // to the invited address
	PasswordLink       Kind = "password_link"        // to a user who asked for it
	FirstPassword      Kind = "first_password"       // to the owner of a new merchant
	PasswordChanged    Kind = "password_changed"     // to the user
	AccountDisabled    Kind = "account_disabled"     // to the disabled member
	WrongCodes         Kind = "wrong_codes"          // to the owner of the second factor
	NewAPIKey          Kind = "api_key_created"      // to all owners
	BankAccountChanged Kind = "bank_account_changed" // to all owners
	MemberKeysEnded    Kind = "member_keys_ended"    // to all owners: API keys ended because their maker left
	MemberKeysKept     Kind = "member_keys_kept"     // to all owners: API keys still work although their maker left
	SignInBlocked      Kind = "sign_in_blocked"      // to all owners: of the tenant, or of some merchants of Mail.User

	// With a link, to an address that the merchant named.
	Receipt       Kind = "receipt"        // of a payment
	RefundReceipt Kind = "refund_receipt" // of a refund
	PaymentState  Kind = "payment_state"  // of a payment that has not moved money
	RefundState   Kind = "refund_state"   // of a refund that has not moved money
)

// Kinds lists all kinds.
var Kinds = []Kind{Invitation, PasswordLink, FirstPassword, PasswordChanged, AccountDisabled, WrongCodes, NewAPIKey,
	BankAccountChanged, MemberKeysEnded, MemberKeysKept, SignInBlocked, Receipt, RefundReceipt, PaymentState, RefundState}

// OfReceipt returns true if mails of the kind have a link to a receipt.
func (k Kind) OfReceipt() bool {
	return k == Receipt || k == RefundReceipt || k == PaymentState || k == RefundState
}

// MaxOwners limits the owners of a tenant who get a mail. If a tenant has more owners, the mail goes to the owners who
// became members first.
const MaxOwners = 20

// Mail is an e-mail to be sent. It has no token, key or password. The token of a link is derived when the mail is sent.
type Mail struct {
	outbox.Entry
	Kind    Kind   `dynamo:"kind"`
	Member  int32  `dynamo:"member,omitempty"`  // number of the recipient; 0: the mail goes to all owners or to a payer
	Email   string `dynamo:"email,omitempty"`   // address of the recipient; "" for all owners, who each get a mail
	Invite  string `dynamo:"invite,omitempty"`  // id of an invitation, or of a link to set a password
	About   string `dynamo:"about,omitempty"`   // replaces {about} in the text
	User    string `dynamo:"user,omitempty"`    // of a mail without a tenant: the user whose merchants get it; "": none
	Managed bool   `dynamo:"managed,omitempty"` // the recipient is a managed user, whose address is unconfirmed
	Version int    `dynamo:"version"`           // of the stored item, from 1
}

// NewInvitation returns the mail with the link of an invitation. Like the other New functions, it returns the same mail
// for a repeated operation.
func NewInvitation(operation string, member int32, email, invite string) Mail {
	return newMail(operation, Mail{Kind: Invitation, Member: member, Email: email, Invite: invite})
}

// NewPasswordLink returns a mail without a tenant that has the link to set a user's password. For an address without a
// user it returns a mail without a recipient.
func NewPasswordLink(link, email, user string) Mail {
	return newMail(link, Mail{Kind: PasswordLink, Email: email, About: email, User: user, Invite: link})
}

// NewFirstPassword returns a mail with the link to set the first password of a merchant's owner.
func NewFirstPassword(link, email string) Mail {
	return newMail(link, Mail{Kind: FirstPassword, Email: email, About: email, Invite: link})
}

// NewPasswordChanged returns a mail without a tenant that tells a user about a new password.
func NewPasswordChanged(operation, email, user string) Mail {
	return newMail(operation, Mail{Kind: PasswordChanged, Email: email, About: email, User: user})
}

// NewAccountDisabled returns a mail that tells a member that they can no longer sign in.
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

// NewKeyCreated returns a mail that tells the owners the name of a new key.
func NewKeyCreated(operation, name string) Mail {
	return newMail(operation, Mail{Kind: NewAPIKey, About: name})
}

// NewBankAccountChanged returns a mail that tells the owners the new primary account. The mail has only the last digits
// of the account's number.
func NewBankAccountChanged(operation, number string) Mail {
	return newMail(operation, Mail{Kind: BankAccountChanged, About: number[max(0, len(number)-shownDigits):]})
}

// NewMemberKeys returns a mail to the owners about the API keys of a member who was disabled or removed. email is the
// member's address. ended is true if the keys have ended, and false if they still work.
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

// shownKeys limits the API keys that a mail names.
const shownKeys = 20

// NewSignInBlocked returns a mail that tells the owners that passwords for an account are refused for now. If the
// account is a user's, the mail has no tenant and so names the user. For other accounts and for an unknown name, user
// is "".
func NewSignInBlocked(operation, account, user string) Mail {
	return newMail(operation, Mail{Kind: SignInBlocked, About: account, User: user})
}

// NewReceipt returns the mail of a kind with a link to a receipt. amount is formatted for people. A repeated operation
// gets the same mail, even if the state of the payment has changed since.
func NewReceipt(operation string, kind Kind, email, amount string) Mail {
	m := newMail(operation, Mail{Kind: Receipt, Email: email, About: amount})
	m.Kind = kind
	return m
}

// shownDigits is the number of final digits of an account's number that a mail shows.
const shownDigits = 4

// newMail returns the mail with its id, which is derived from its kind and the operation.
func newMail(operation string, m Mail) Mail {
	m.ID = deriveID(string(m.Kind), operation)
	return m
}

func deriveID(parts ...string) string {
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

// Due returns the new mail, to be sent at once.
func (m Mail) Due(now time.Time) Mail {
	m.Entry, m.Version = outbox.New(m.ID, now), 1
	return m
}

// ToOwners returns true if the mail goes to all owners. Such a mail is divided into one mail for each owner.
func (m Mail) ToOwners() bool { return m.Member == 0 && m.Email == "" }

// To returns the copy of the mail that goes to one owner. Its id is derived from the ids of the mail and of the owner.
func (m Mail) To(member int32, email string, now time.Time) Mail {
	m.ID, m.Member, m.Email = deriveID(m.ID, strconv.Itoa(int(member))), member, email
	return m.Due(now)
}

// At returns a copy of a mail without a tenant. The copy goes to one of the user's merchants.
func (m Mail) At(t identity.Tenant, now time.Time) Mail {
	m.ID, m.User = deriveID(m.ID, t.String()), ""
	return m.Due(now)
}

// Bounded returns true if the number of such mails must be limited when they are sent, because a merchant can cause
// them and their address is unconfirmed. Invitations and receipts are limited when they are made.
func (m Mail) Bounded() bool { return m.Kind == AccountDisabled || m.Managed }

// Lists returns true if mails of the kind name several API keys.
func (k Kind) Lists() bool { return k == MemberKeysEnded || k == MemberKeysKept }

// ADay returns the number of mails of the kind that all owners of one tenant may get in a day. 0 means no limit,
// because the events that these mails report are already limited, such as new keys. Three events are not limited
// otherwise: changes of the bank account, members who are disabled repeatedly, and passwords that strangers try.
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

func (m Mail) withEntry(e outbox.Entry) Mail {
	m.Entry = e
	return m
}

// Swept returns the mail after the sweep has sent the message for its next try.
func (m Mail) Swept(now time.Time) Mail { return m.withEntry(m.Entry.Swept(now)) }

// Begun returns the mail during a try. The outcome of the try may never be recorded.
func (m Mail) Begun(now time.Time) Mail { return m.withEntry(m.Entry.Begun(now)) }

// Delivered returns the mail after it was sent. A mail to all owners is delivered when the mail of each owner is
// written.
func (m Mail) Delivered() Mail { return m.withEntry(m.Sent()) }

// Undelivered returns the mail after a failed try.
func (m Mail) Undelivered(reason string, now time.Time) Mail {
	return m.withEntry(m.Entry.Undelivered(reason, now))
}

// Dropped returns the mail after it was given up for the reason.
func (m Mail) Dropped(reason string) Mail { return m.withEntry(m.Entry.Dropped(reason)) }

// longestHeld limits how long a mail waits until the stage has a sender. An invitation has expired by then.
const longestHeld = 7 * 24 * time.Hour

// Held returns the mail while the stage has no sender. The mail is due again every hour, and dead after a week.
func (m Mail) Held(now time.Time) Mail {
	const reason = "no sender is set"
	held := m.Entry.Held(reason, time.Hour, now)
	if now.Sub(m.CreatedAt) >= longestHeld {
		held.State, held.NextAt = outbox.Dead, now
	}
	return m.withEntry(held)
}

// Replayed returns the mail as due again, with the same id.
func (m Mail) Replayed(now time.Time) Mail { return m.withEntry(m.Entry.Replayed(now)) }

// Message is a mail as it is sent, with its text and its address.
type Message struct {
	ID      string // id of the mail; the same for each try
	To      string // one address, without a name
	Subject string
	Text    string
	HTML    string
}

// IDHeader is the header with the mail's id. If a mail is sent twice, both copies have the same id.
const IDHeader = "X-Mail-Id"

// Sender sends mails. After any error except [ErrRefused] the outbox sends the message again, although the first try
// may have sent it. So a message may arrive twice, but is never lost.
type Sender interface {
	// Send tries to send the message once. Error: ErrRefused if another try cannot help, as for an invalid address.
	Send(ctx context.Context, m Message) error
}

// ErrRefused reports a message that the service will never accept.
var ErrRefused = errors.New("mail: refused")

// Plain returns true if an address has no character that could add a header or a second address. The mail service
// checks the rest.
func Plain(address string) bool {
	return address != "" && !strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune(`,;<>"`, r)
	})
}
