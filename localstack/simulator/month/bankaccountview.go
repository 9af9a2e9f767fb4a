package month

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// shownAccount is a bank account as clients see it.
type shownAccount struct {
	IBAN    string
	Holder  string `json:"account_holder_name"`
	Status  merchant.BankAccountStatus
	Primary bool
}

// shown is the version as clients see it: all, or only the primary account.
func (v accountsVersion) shown(primaryAlone bool) (all []shownAccount) {
	for _, a := range v.all {
		if primary := a.Text("id") == v.primary; primary || !primaryAlone {
			all = append(all, shownAccount{a.Text("iban"), a.Text("account_holder_name"), statusOf(a), primary})
		}
	}
	return all
}

// checkAccountReplies: what the payee was shown of its accounts is what they were at some
// time between question and answer, an account that it added is there once, and it is
// refused one for the reason that was true.
func (p *payee) checkAccountReplies() {
	of := p.month.accountsOf(p.Tenant)
	for _, r := range p.Replies {
		path, query, _ := strings.Cut(r.Path, "?")
		if r.Tenant != p.Tenant || !strings.HasSuffix(path, "/bank-accounts") || !r.Received {
			continue
		}
		versions := of.during(r.Asked, r.Answered)
		some := func(is func(accountsVersion) bool) bool { return slices.ContainsFunc(versions, is) }
		ok := true
		switch {
		case r.Method == "POST" && r.Status == 201:
			ok = of.added(r)
		case r.Status == 200:
			shown := accountsIn(r)
			ok = some(func(v accountsVersion) bool { return slices.Equal(v.shown(query != ""), shown) })
		case r.Status == 404:
			ok = some(func(v accountsVersion) bool { return len(v.all) == 0 })
		case says(r, "cannot_add_bank_account"):
			ok = some(func(v accountsVersion) bool { return v.count(merchant.BankAccountPending) > 0 })
		case says(r, "max_number_of_bank_accounts_exceeded"):
			ok = r.Replayed() || some(accountsVersion.full)
		case says(r, "The merchant has this bank account already."):
			ok = r.Replayed() || some(func(v accountsVersion) bool { return v.numbers()[askedFor(r).IBAN] > 0 })
		case r.Status == 400:
			ok = askedFor(r).IBAN == ""
		}
		if !ok {
			p.Find("", "%s was answered %d %s, its accounts then were %v", r.Sent(), r.Status, r.Response.Body, versions)
		}
	}
}

func says(r *simulator.Reply, code string) bool {
	return strings.Contains(string(r.Response.Body), `"`+code+`"`)
}

// accountsIn are those that the reply shows.
func accountsIn(r *simulator.Reply) (all []shownAccount) {
	if json.Unmarshal(r.Response.Body, &all) == nil {
		return all
	}
	return []shownAccount{simulator.Decoded[shownAccount](r.Response.Body)} // shows as an account without a name
}

func (v accountsVersion) full() bool {
	return v.count(counted...) == merchant.MaxBankAccounts
}

// askedFor is the account that the request would add.
func askedFor(r *simulator.Reply) shownAccount {
	return simulator.Decoded[shownAccount]([]byte(r.Sent()))
}

// added says whether the account that a reply acknowledges was there by then.
func (a *tenantAccounts) added(r *simulator.Reply) bool {
	asked := askedFor(r)
	return slices.ContainsFunc(a.during(0, r.Answered), func(v accountsVersion) bool {
		return v.holders()[asked.Holder] > 0
	})
}
