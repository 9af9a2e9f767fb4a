package simulator

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// storedAccount is a bank account in a write, by its attributes.
type storedAccount map[string]struct{ S string }

func (a storedAccount) status() merchant.BankAccountStatus {
	return merchant.BankAccountStatus(a["status"].S)
}

// accountsVersion is what a tenant's bank accounts were from a logical time on.
type accountsVersion struct {
	from    int64
	all     []storedAccount
	primary string // its id
}

// tenantAccounts are a tenant's bank accounts, and where its payouts go.
type tenantAccounts struct {
	versions []accountsVersion // but for the first, when there are none
	payee    storedAccount     // the last VERIFIED primary one
	held     bool              // no payout may leave
}

func (v accountsVersion) count(of ...merchant.BankAccountStatus) (n int) {
	for _, a := range v.all {
		if slices.Contains(of, a.status()) {
			n++
		}
	}
	return n
}

// holders are those of the accounts, with how many each has.
func (v accountsVersion) holders() map[string]int {
	count := map[string]int{}
	for _, a := range v.all {
		count[a["account_holder_name"].S]++
	}
	return count
}

// numbers are those of the accounts that were not REJECTED, with how many each has.
func (v accountsVersion) numbers() map[string]int {
	count := map[string]int{}
	for _, a := range v.all {
		if a.status() != merchant.BankAccountRejected {
			count[a["iban"].S]++
		}
	}
	return count
}

func (v accountsVersion) get(id string) storedAccount {
	at := slices.IndexFunc(v.all, func(a storedAccount) bool { return a["id"].S == id })
	if at < 0 {
		return nil
	}
	return v.all[at]
}

// latest are the accounts as they are.
func (a *tenantAccounts) latest() accountsVersion {
	if len(a.versions) == 0 {
		return accountsVersion{}
	}
	return a.versions[len(a.versions)-1]
}

// during are the versions that were there at some time from call to until.
func (a *tenantAccounts) during(call, until int64) []accountsVersion {
	all := slices.Concat([]accountsVersion{{}}, a.versions)
	byTime := func(v accountsVersion, at int64) int { return cmp.Compare(v.from, at) }
	first, _ := slices.BinarySearchFunc(all, call, byTime)
	last, _ := slices.BinarySearchFunc(all, until, byTime)
	return all[max(first-1, 0):last]
}

func (m *month) accountsOf(tenant string) *tenantAccounts {
	if m.accounts[tenant] == nil {
		m.accounts[tenant] = &tenantAccounts{}
	}
	return m.accounts[tenant]
}

// checkBankAccounts: a tenant's bank accounts, as just written, keep contract §7.3.
func (m *month) checkBankAccounts(tenant string, v accountsVersion) {
	of := m.accountsOf(tenant)
	before, primary := of.latest(), v.get(v.primary)
	v.from = m.logicalTime()
	of.versions = append(of.versions, v)
	switch verified := v.count(merchant.BankAccountVerified); {
	case primary == nil && len(v.all) == 0: // payouts were held before there was an account
	case primary == nil:
		m.find("", "%s has no primary account", tenant)
	case primary.status() == merchant.BankAccountRejected && verified > 0:
		m.find("", "the primary account of %s is REJECTED, and %d are VERIFIED", tenant, verified)
	case primary.status() == merchant.BankAccountVerified:
		of.payee = primary
	}
	if pending := v.count(merchant.BankAccountPending); pending > 1 {
		m.find("", "%s has %d pending accounts", tenant, pending)
	}
	if all := v.count(merchant.BankAccountPending, merchant.BankAccountVerified); all > merchant.MaxBankAccounts {
		m.find("", "%s has %d accounts", tenant, all)
	}
	for holder, n := range v.holders() {
		if n > 1 && m.addedOnce[holder] {
			m.find("", "%s has %d accounts of %q, which was added once", tenant, n, holder)
		}
	}
	for number, n := range v.numbers() {
		if n > 1 || number == "" {
			m.find("", "%s has %d accounts with the number %q", tenant, n, number)
		}
	}
	for _, was := range before.all {
		is := v.get(was["id"].S)
		lost := is == nil && was.status() != merchant.BankAccountRejected
		if lost || is != nil && was.status() != merchant.BankAccountPending && is.status() != was.status() {
			m.find("", "account %s of %s was %s, and is %q", was["id"].S, tenant, was.status(), is.status())
		}
	}
}

// checkPayee: a payout is recorded as sent to the account that is the last VERIFIED
// primary one at that moment (contract §7.3), while nobody holds payouts, and to no
// other one later.
func (m *month) checkPayee(tenant string, payout versioned) {
	i := payout.Item
	to, sent := m.sentTo[i.ID.S]
	switch of := m.accountsOf(tenant); {
	case len(i.To.M) == 0:
	case sent:
		if !maps.Equal(to, i.To.M) {
			m.find("", "payout %s was sent to %s, and is %s to %s", i.ID.S, to["id"].S, i.Status.S, i.To.M["id"].S)
		}
	default:
		if m.sentTo[i.ID.S] = i.To.M; !maps.Equal(of.payee, i.To.M) {
			m.find("", "payout %s goes to %s, the payee of %s is %s", i.ID.S, i.To.M["id"].S, tenant, of.payee["id"].S)
		}
		if of.held {
			m.find("", "payout %s is sent, while payouts of %s are held", i.ID.S, tenant)
		}
	}
}

// checkVerdicts: what an operator has said about a live account is final.
func (m *month) checkVerdicts(body []byte) {
	for _, pk := range valuesOf(string(body), "pk") {
		if !strings.HasPrefix(pk, "FILEBANK#ACCOUNT#") {
			continue
		}
		stored := m.read(pk, "ACCOUNT").text("verdict")
		if was := m.verdicts[pk]; was != "" && was != string(merchant.BankAccountPending) && stored != was {
			m.find("", "%s was %s, and is %s", pk, was, stored)
		}
		m.verdicts[pk] = stored
	}
}

// payeeWitness is a bank that sees whether transfers name the accounts of their payouts.
type payeeWitness struct {
	bank.Bank
	month *month
}

// Transfer takes a transfer.
func (w payeeWitness) Transfer(ctx context.Context, t bank.Transfer) (bank.Outcome, error) {
	w.month.checkOrder(t.ID, t.To.IBAN)
	return w.Bank.Transfer(ctx, t)
}

// checkOrder: the bank is given the account with which the payout was recorded.
func (m *month) checkOrder(payout, iban string) {
	if want := m.sentTo[payout]["iban"].S; iban == "" || iban != want {
		m.find("", "the bank is to pay %s to %q, and it was recorded for %q", payout, iban, want)
	}
}
