package month

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jacoelho/banking/iban"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

const accountsPath = "/v0.1/me/merchant-profile/bank-accounts" // path of listMyBankAccounts and createMyBankAccount

// Last digits of account numbers. The digits tell the sandbox whether to verify the account, and whether to pay to it.
// For most digits the sandbox does both (package sandbox).
const (
	payableEnding    = "5678"
	unverifiedEnding = "9999"
)

var endings = []string{payableEnding, payableEnding, payableEnding, payableEnding, "0000", "0000", "1111", "3333",
	unverifiedEnding}

// newIBAN returns an unused account number with the given last digits.
func (m *month) newIBAN(ending string) string {
	m.numbers++
	number, err := iban.ReplaceChecksum(fmt.Sprintf("DE0010010010%06d%s", m.numbers, ending))
	if err != nil {
		m.Panicf("IBAN: %v", err)
	}
	return number
}

// fillAccounts gives the payee one account fewer than the maximum.
func (p *payee) fillAccounts() {
	for n := range merchant.MaxBankAccounts - 1 {
		number := p.month.newIBAN(payableEnding)
		if n < len(ibans) {
			number = ibans[n]
		}
		p.sendCommand("operator", "set_payout", fields{"holder": "Nr. 1", "iban": number})
	}
}

// newAccountAction returns an action of one or two people in the merchant's office. Each person adds an account, and
// may list all accounts later. Operators decide about live accounts, and might disagree.
func (p *payee) newAccountAction() func() {
	var added []client.Request
	for range p.pickCount() {
		added = append(added, p.newAccountRequest())
	}
	add := p.newGroupAction("office", func(actor string, i int, rng *rand.Rand) {
		p.Insist(actor, added[i])
		if rng.IntN(3) == 0 {
			p.Pass(sandbox.VerifiedAfter + time.Second)
			p.listAccounts(actor, rng)
		}
	}, len(added))
	outcomes := make([]string, 1+p.month.rng.IntN(2))
	for i := range outcomes {
		outcomes[i] = []string{"verified", "verified", "rejected"}[p.month.rng.IntN(3)]
	}
	if !p.Live() || p.month.rng.IntN(2) == 0 {
		return add
	}
	decide := p.newGroupAction("clerk", func(actor string, i int, _ *rand.Rand) { p.sendVerdict(actor, outcomes[i]) },
		len(outcomes))
	return func() {
		add()
		decide()
	}
}

// startDecision starts one or two people if an account is pending. For a live account they send verdicts. For a test
// account they list the accounts, so that the platform asks the bank.
func (p *payee) startDecision() {
	if p.month.ensureAccounts(p.Tenant).latest().count(merchant.BankAccountPending) == 0 {
		return
	}
	p.newGroupAction("office", func(actor string, _ int, rng *rand.Rand) {
		if p.Live() {
			p.sendVerdict(actor, []string{"verified", "verified", "rejected"}[rng.IntN(3)])
		} else {
			p.listAccounts(actor, rng)
		}
	}, 1+p.month.rng.IntN(2))()
}

// newAccountRequest returns a request to add an account. One request in ten has no number, and one in ten has a number
// from the list ibans.
func (p *payee) newAccountRequest() client.Request {
	rng := p.month.rng
	number := p.month.newIBAN(endings[rng.IntN(len(endings))])
	body := fields{"account_holder_name": "Holder of " + number, "iban": number, "primary": rng.IntN(4) > 0}
	switch rng.IntN(10) {
	case 0:
		delete(body, "iban")
	case 1:
		body["iban"] = ibans[rng.IntN(len(ibans))]
	}
	r := client.Request{Method: "POST", Path: accountsPath, Body: simulator.Encoded(body)}
	if rng.IntN(2) == 0 {
		r.IdempotencyKey = "add " + number
		p.month.addedOnce["Holder of "+number] = true
	}
	return r
}

// listAccounts lists the accounts. The platform then asks the bank about the pending account.
func (p *payee) listAccounts(actor string, rng *rand.Rand) {
	paths := []string{accountsPath, accountsPath + "?primary=true", "/v1.1/merchants/" + p.Merchant + "/bank-accounts"}
	p.Insist(actor, client.Request{Method: "GET", Path: paths[rng.IntN(len(paths))]})
}

// sendVerdict sends an operator's verdict on the pending account, as soon as an account is pending.
func (p *payee) sendVerdict(actor, outcome string) {
	for range simulator.Patience {
		var listed struct {
			Accounts []struct {
				ID     string `json:"account"`
				Status merchant.BankAccountStatus
			} `json:"bank_accounts"`
		}
		p.Think(actor)
		p.Operate(actor, fmt.Sprintf(`{"command":"list_bank_accounts","merchant_code":%q}`, p.Merchant), &listed)
		for _, a := range listed.Accounts {
			if a.Status == merchant.BankAccountPending {
				p.sendCommand(actor, "verify_bank_account", fields{"account": a.ID, "outcome": outcome})
				return
			}
		}
	}
}

// decideAccount lets an operator decide about the pending account, so that nothing waits for a decision at the end.
func (p *payee) decideAccount(actor string) {
	accounts := p.month.ensureAccounts(p.Tenant).latest().all
	at := slices.IndexFunc(accounts, books.Are("status", string(merchant.BankAccountPending)))
	switch {
	case at < 0:
	case p.Live():
		p.sendVerdict(actor, []string{"verified", "rejected"}[p.month.rng.IntN(2)])
	case strings.HasSuffix(accounts[at].Text("iban"), unverifiedEnding):
		p.sendCommand(actor, "set_payout", fields{"holder": "Nr. 3", "iban": accounts[at].Text("iban")})
	}
}

type shownAccount struct {
	IBAN    string
	Holder  string `json:"account_holder_name"`
	Status  merchant.BankAccountStatus
	Primary bool
}

// shown returns the accounts of the version as clients see them: all accounts, or only the primary account.
func (v accountsVersion) shown(primaryAlone bool) (all []shownAccount) {
	for _, a := range v.all {
		if primary := a.Text("id") == v.primary; primary || !primaryAlone {
			all = append(all, shownAccount{a.Text("iban"), a.Text("account_holder_name"), statusOf(a), primary})
		}
	}
	return all
}

// checkAccountReplies checks the answers about bank accounts. The accounts that an answer shows must have existed at
// some time between request and answer. An acknowledged account must have been added, and each refusal must have had a
// true reason.
func (p *payee) checkAccountReplies() {
	of := p.month.ensureAccounts(p.Tenant)
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
			ok = of.hasAdded(r)
		case r.Status == 200:
			shown := accountsIn(r)
			ok = some(func(v accountsVersion) bool { return slices.Equal(v.shown(query != ""), shown) })
		case r.Status == 404:
			ok = some(func(v accountsVersion) bool { return len(v.all) == 0 })
		case says(r, "cannot_add_bank_account"):
			ok = some(func(v accountsVersion) bool { return v.count(merchant.BankAccountPending) > 0 })
		case says(r, "max_number_of_bank_accounts_exceeded"):
			ok = r.Replayed() || some(accountsVersion.isFull)
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

func accountsIn(r *simulator.Reply) (all []shownAccount) {
	if json.Unmarshal(r.Response.Body, &all) == nil {
		return all
	}
	// The reply has a single account. All its fields are empty if there is none.
	return []shownAccount{simulator.Decoded[shownAccount](r.Response.Body)}
}

func (v accountsVersion) isFull() bool { return v.count(counted...) == merchant.MaxBankAccounts }

func askedFor(r *simulator.Reply) shownAccount {
	return simulator.Decoded[shownAccount]([]byte(r.Sent()))
}

// hasAdded returns true if the account that a reply acknowledges existed by the time of the reply.
func (a *tenantAccounts) hasAdded(r *simulator.Reply) bool {
	asked := askedFor(r)
	return slices.ContainsFunc(a.during(0, r.Answered), func(v accountsVersion) bool {
		return v.holders()[asked.Holder] > 0
	})
}
