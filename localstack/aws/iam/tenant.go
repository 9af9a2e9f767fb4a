package iam

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// errTenant reports a call that names a partition of another tenant.
var errTenant = errors.New("iam: a partition of another merchant or mode")

var (
	// merchantKinds are the kinds with a merchant but no mode in their keys.
	merchantKinds = []store.Kind{store.KindMerchant, store.KindAccount, store.KindAudit}

	// Unguessable are the kinds without a merchant in their keys. The item itself names its owner.
	Unguessable = []store.Kind{store.KindRate, store.KindSession, store.KindPaymentPage, store.KindCallback,
		store.KindMail, store.KindReceiptLink, store.KindUser, store.KindEmail, store.KindMemberships,
		store.KindInvitation, store.KindAccessToken, store.KindOAuthClient, store.KindCode, store.KindGrant,
		store.KindSignIn, store.KindAccess, store.KindFactor, store.KindObjects}

	// counterparties are the kinds for records of the sandbox, Stripe, the live bank and the virtual terminals.
	counterparties = []store.Kind{"SANDBOX", "STRIPE", "FILEBANK", "TERMINAL"}
)

// CheckTenant returns errTenant if a call names another tenant's partition. A caller may also read the merchant's
// payout schedule of the other mode, and the members of the tenant that the caller's token was issued for.
func (r Request) CheckTenant(caller identity.Principal) error {
	t := caller.Tenant
	if r.Partition == "" || slices.Contains(counterparties, store.Kind(r.Kind)) {
		return nil
	}
	p, named := store.ParsePartition(r.Partition)
	sibling := p.Kind == store.KindPayoutSchedule && r.Action == "BatchGetItem"
	switch {
	case named && p.Tenant == t:
	case named && sibling && p.Tenant.Merchant == t.Merchant:
	case named && p.Kind == store.KindMembers && p.Tenant == caller.Admitted.ChosenTenant &&
		(r.Action == "BatchGetItem" || r.Action == "ConditionCheckItem"):
	case named && slices.Contains(merchantKinds, p.Kind) && p.Last == t.Merchant:
	case named && slices.Contains(Unguessable, p.Kind):
	case named && p.Kind == store.KindBirth && r.Action == "GetItem": // of an index, the same for all tenants
	default:
		return fmt.Errorf("%w: %s of %s, for a caller of %s", errTenant, r.Permission(), r.Partition, t)
	}
	return nil
}
