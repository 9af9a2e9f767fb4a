package month

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// accountsVersion contains a tenant's bank accounts as they were from a logical time on.
type accountsVersion struct {
	from    int64
	all     []calls.Item
	primary string // id of the primary account
}

// tenantAccounts contains the versions of a tenant's bank accounts, and the destination of its payouts.
type tenantAccounts struct {
	versions []accountsVersion // the first version has no accounts
	payee    calls.Item        // the primary account that was VERIFIED last
	held     bool              // payouts are held, so none may be sent
}

func (v accountsVersion) count(of ...merchant.BankAccountStatus) int { return v.tally("", of...)[""] }

// counted lists the statuses of accounts that count towards the maximum.
var counted = []merchant.BankAccountStatus{merchant.BankAccountPending, merchant.BankAccountVerified}

func statusOf(account calls.Item) merchant.BankAccountStatus {
	return merchant.BankAccountStatus(account.Text("status"))
}

// tally counts the accounts that have one of the statuses. The counts are by the value of the attribute.
func (v accountsVersion) tally(attribute string, of ...merchant.BankAccountStatus) map[string]int {
	count := map[string]int{}
	for _, a := range v.all {
		if slices.Contains(of, statusOf(a)) {
			count[a.Text(attribute)]++
		}
	}
	return count
}

func (v accountsVersion) holders() map[string]int {
	return v.tally("account_holder_name", append(counted, merchant.BankAccountRejected)...)
}

// numbers counts the accounts by IBAN. REJECTED accounts do not count.
func (v accountsVersion) numbers() map[string]int { return v.tally("iban", counted...) }

func (v accountsVersion) get(id string) calls.Item {
	at := slices.IndexFunc(v.all, books.Are("id", id))
	if at < 0 {
		return nil
	}
	return v.all[at]
}

func (a *tenantAccounts) latest() accountsVersion { return a.versions[len(a.versions)-1] }

func (a *tenantAccounts) during(call, until int64) []accountsVersion {
	return simulator.During(a.versions, call, until, func(v accountsVersion) int64 { return v.from })
}

func (m *month) ensureAccounts(tenant string) *tenantAccounts {
	if m.accounts[tenant] == nil {
		m.accounts[tenant] = &tenantAccounts{versions: make([]accountsVersion, 1)}
	}
	return m.accounts[tenant]
}

// checkBankAccounts checks that the bank accounts that were just written for a tenant satisfy contract §7.3.
func (m *month) checkBankAccounts(tenant string, v accountsVersion) {
	of := m.ensureAccounts(tenant)
	before, primary := of.latest(), v.get(v.primary)
	v.from = m.LogicalTime()
	of.versions = append(of.versions, v)
	switch verified := v.count(merchant.BankAccountVerified); {
	case primary == nil && len(v.all) == 0: // an operator held payouts before there was an account
	case primary == nil:
		m.Find("", "%s has no primary account", tenant)
	case statusOf(primary) == merchant.BankAccountRejected && verified > 0:
		m.Find("", "the primary account of %s is REJECTED, and %d are VERIFIED", tenant, verified)
	case statusOf(primary) == merchant.BankAccountVerified:
		of.payee = primary
	}
	if pending := v.count(merchant.BankAccountPending); pending > 1 {
		m.Find("", "%s has %d pending accounts", tenant, pending)
	}
	if all := v.count(counted...); all > merchant.MaxBankAccounts {
		m.Find("", "%s has %d accounts", tenant, all)
	}
	for holder, n := range v.holders() {
		if n > 1 && m.addedOnce[holder] {
			m.Find("", "%s has %d accounts of %q, which was added once", tenant, n, holder)
		}
	}
	for number, n := range v.numbers() {
		if n > 1 || number == "" {
			m.Find("", "%s has %d accounts with the number %q", tenant, n, number)
		}
	}
	for _, was := range before.all {
		is := v.get(was.Text("id"))
		lost := is == nil && statusOf(was) != merchant.BankAccountRejected
		if lost || is != nil && statusOf(was) != merchant.BankAccountPending && statusOf(is) != statusOf(was) {
			m.Find("", "account %s of %s was %s, and is %q", was.Text("id"), tenant, statusOf(was), statusOf(is))
		}
	}
}

// checkPayee checks that each payout is sent to only one account. That is the primary account that was VERIFIED last.
// While payouts are held, no payout may be sent (contract §7.3).
func (m *month) checkPayee(tenant string, payout calls.Item) {
	id, to := payout.Text("id"), payout.Object("to")
	before, sent := m.sentTo[id]
	switch of := m.ensureAccounts(tenant); {
	case len(to) == 0:
	case sent:
		if !reflect.DeepEqual(before, to) {
			m.Find("", "payout %s was sent to %s, and is %s to %s", id, before.Text("id"), payout.Text("status"), to.Text("id"))
		}
	default:
		if m.sentTo[id] = to; !reflect.DeepEqual(of.payee, to) {
			m.Find("", "payout %s goes to %s, the payee of %s is %s", id, to.Text("id"), tenant, of.payee.Text("id"))
		}
		if of.held {
			m.Find("", "payout %s is sent, while payouts of %s are held", id, tenant)
		}
	}
}

// checkVerdicts checks that an operator's verdict on a live account is final.
func (m *month) checkVerdicts(body []byte) {
	for _, pk := range calls.ValuesOf(string(body), "pk") {
		if !strings.HasPrefix(pk, "FILEBANK#ACCOUNT#") {
			continue
		}
		stored := m.Read(pk, "ACCOUNT").Text("verdict")
		if was := m.verdicts[pk]; was != "" && was != string(merchant.BankAccountPending) && stored != was {
			m.Find("", "%s was %s, and is %s", pk, was, stored)
		}
		m.verdicts[pk] = stored
	}
}

// payeeWitness is a bank that checks the account of each transfer.
type payeeWitness struct {
	bank.Bank
	month *month
}

func (w payeeWitness) Transfer(ctx context.Context, t bank.Transfer) (bank.Outcome, error) {
	w.month.checkOrder(t.ID, t.To.IBAN)
	return w.Bank.Transfer(ctx, t)
}

// checkOrder checks that the bank gets the same account that the payout recorded.
func (m *month) checkOrder(payout, iban string) {
	if want := m.sentTo[payout].Text("iban"); iban == "" || iban != want {
		m.Find("", "the bank is to pay %s to %q, and it was recorded for %q", payout, iban, want)
	}
}
