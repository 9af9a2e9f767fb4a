package store

import (
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Kind is the first part of a partition key, up to the first "#". IAM distinguishes kinds by this part
// (dynamodb:LeadingKeys), so no text from a client may come before it, and no kind contains "#".
type Kind string

// The kinds of the table's partitions, then those of its indexes. The packages that use shared/table have other kinds:
// SANDBOX, STRIPE, FILEBANK and TERMINAL.
const (
	KindMerchant       Kind = "MERCHANT"
	KindAccount        Kind = "ACCOUNT"
	KindAudit          Kind = "AUDIT"
	KindAPIKey         Kind = "KEY"
	KindAccessToken    Kind = "TOKEN"
	KindOAuthClient    Kind = "CLIENT"
	KindCode           Kind = "CODE"
	KindGrant          Kind = "GRANT"
	KindSignIn         Kind = "SIGNIN"
	KindFactor         Kind = "FACTOR"
	KindKnown          Kind = "KNOWN"
	KindAccess         Kind = "ACCESS"
	KindTestProfiles   Kind = "TESTPROFILES"
	KindReaders        Kind = "READERS"
	KindFiles          Kind = "FILES"
	KindObjects        Kind = "OBJECTS"
	KindKeyUse         Kind = "KEYUSE"
	KindMembers        Kind = "MEMBERS"
	KindRoles          Kind = "ROLES"
	KindUser           Kind = "USER"
	KindEmail          Kind = "EMAIL"
	KindMemberships    Kind = "MEMBERSHIPS"
	KindInvitation     Kind = "INVITATION"
	KindPasswordLink   Kind = "PASSWORDLINK"
	KindCheckout       Kind = "CHECKOUT"
	KindReference      Kind = "REFERENCE"
	KindTransaction    Kind = "TRANSACTION"
	KindReceipts       Kind = "RECEIPTS"
	KindReceiptLink    Kind = "RECEIPTLINK"
	KindJournal        Kind = "JOURNAL"
	KindPayable        Kind = "PAYABLE"
	KindReserve        Kind = "RESERVE"
	KindSession        Kind = "SESSION"
	KindPaymentPage    Kind = "PAYPAGE"
	KindCustomer       Kind = "CUSTOMER"
	KindBankAccounts   Kind = "BANKACCOUNTS"
	KindPayoutSchedule Kind = "PAYOUTSCHEDULE"
	KindPayout         Kind = "PAYOUT"
	KindPayoutRecords  Kind = "PAYOUTS"
	KindPayoutLease    Kind = "PAYOUTLEASE"
	KindStatement      Kind = "STATEMENT"
	KindProof          Kind = "PROOF"
	KindTenants        Kind = "TENANTS"
	KindProven         Kind = "PROVEN"
	KindClosing        Kind = "CLOSING"
	KindCallback       Kind = "CALLBACK"
	KindMail           Kind = "MAIL"
	KindBreaker        Kind = "BREAKER"
	KindIdempotency    Kind = "IDEMPOTENCY"
	KindRate           Kind = "RATE"
	KindGrowth         Kind = "GROWTH"
	KindReady          Kind = "READY"
	KindBirth          Kind = "BIRTH"

	KindList      Kind = "CHECKOUTS"
	KindHistory   Kind = "HISTORY"
	KindChanges   Kind = "CHANGES"
	KindDue       Kind = "DUE"
	KindDead      Kind = "DEAD"
	KindPayoutDue Kind = "PAYOUTDUE"
)

// withoutTenant holds the kinds whose keys name no tenant. Such a key goes on with a merchant's code, an unguessable
// id, a digest or a shard's number, never with text from a client.
var withoutTenant = map[Kind]bool{KindMerchant: true, KindAccount: true, KindAudit: true, KindAccessToken: true,
	KindUser: true, KindEmail: true, KindMemberships: true, KindInvitation: true, KindPasswordLink: true,
	KindSession: true, KindPaymentPage: true, KindOAuthClient: true, KindCode: true, KindGrant: true, KindSignIn: true,
	KindFactor: true, KindKnown: true, KindAccess: true, KindObjects: true, KindReceiptLink: true, KindCallback: true,
	KindMail: true, KindRate: true, KindReady: true, KindPayoutLease: true, KindBirth: true, KindProof: true,
	KindTenants: true, KindDue: true, KindDead: true, KindPayoutDue: true}

// of returns the key of a tenant's partition. A tenant contains exactly one "#", between its mode and its merchant's
// code. So the last part of the key cannot imitate another kind or tenant.
func (k Kind) of(t identity.Tenant, last ...string) string {
	return strings.Join(append([]string{string(k), t.String()}, last...), "#")
}

// named returns the key of a partition that belongs to no tenant.
func (k Kind) named(name string) string { return string(k) + "#" + name }

// Partition is a partition key in its parts.
type Partition struct {
	Kind   Kind
	Tenant identity.Tenant // the zero value for kinds without one
	Last   string          // the rest of the key; text from a client may contain "#"
}

// ParsePartition splits the key of a partition. For the kinds in withoutTenant it returns true, with a zero Tenant. For
// other kinds it returns false if the key names no tenant, as the keys of shared/table do not.
func ParsePartition(pk string) (Partition, bool) {
	name, rest, ok := strings.Cut(pk, "#")
	p := Partition{Kind: Kind(name)}
	if withoutTenant[p.Kind] {
		p.Last = rest
		return p, ok
	}
	mode, rest, _ := strings.Cut(rest, "#")
	code, last, _ := strings.Cut(rest, "#")
	t, ok := identity.ParseTenant(mode + "#" + code)
	if ok {
		p.Tenant, p.Last = t, last
	}
	return p, ok
}
