package iam

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// errTenant reports a call that names a partition which is not the caller's.
var errTenant = errors.New("iam: a partition of another merchant or mode")

var (
	// ofMerchants are the kinds whose keys name a merchant without its mode.
	ofMerchants = []store.Kind{store.KindMerchant, store.KindAccount, store.KindAudit}

	// Unguessable are the kinds whose keys name no merchant: the item says whose it is.
	Unguessable = []store.Kind{store.KindRate, store.KindSession, store.KindPaymentPage, store.KindCallback,
		store.KindMail, store.KindReceiptLink, store.KindUser, store.KindEmail, store.KindMemberships,
		store.KindInvitation, store.KindAccessToken, store.KindOAuthClient, store.KindCode, store.KindGrant,
		store.KindSignIn, store.KindFactor, store.KindObjects}

	// counterparties are the kinds of the own records of the sandbox, the live bank and the virtual terminals.
	counterparties = []store.Kind{"SANDBOX", "FILEBANK", "TERMINAL"}
)

// CheckTenant returns errTenant when a call names another tenant's partition. Reads may name items that change with a
// merchant in the other mode, and members of the merchant that the caller's token is for.
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
	case named && slices.Contains(ofMerchants, p.Kind) && p.Last == t.Merchant:
	case named && slices.Contains(Unguessable, p.Kind):
	default:
		return fmt.Errorf("%w: %s of %s, for a caller of %s", errTenant, r.Permission(), r.Partition, t)
	}
	return nil
}
