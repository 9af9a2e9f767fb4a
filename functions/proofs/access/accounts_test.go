package access_test

import (
	"maps"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
)

const bankAccounts = "/v0.1/me/merchant-profile/bank-accounts"

// verifyAccounts adds and verifies bank accounts in processes whose writes lose their replies. In test mode a read of
// an account verifies the account. In live mode the operator verifies the account. Each account becomes the payout
// account while a payout is due.
func (e *everything) verifyAccounts() {
	var of pendingAccount
	sweep := func(p *world.Process) { _ = p.TickNow(e.Context(), "sweep") }
	show := func(p *world.Process) { p.Do(of.request("GET", nil)) }
	operate := func(command string, more fields) func(*world.Process) {
		return func(p *world.Process) {
			given := fields{"command": command, "merchant_code": of.Merchant.Code}
			if maps.Copy(given, more); more != nil {
				given["account"] = of.id
			}
			_ = client.Invoke(p.Invoke).Operate(e.Context(), given, nil)
		}
	}
	steps := map[identity.Mode][]func(*world.Process){
		identity.Test: {sweep, show, operate("list_bank_accounts", nil),
			func(p *world.Process) { p.Do(of.request("POST", secondAccount)) }},
		identity.Live: {sweep, show, operate("verify_bank_account", fields{"outcome": "verified"})},
	}
	for _, mode := range identity.Modes {
		for _, step := range steps[mode] {
			e.loseReplies(func() { of = e.newPendingAccount(mode) }, step)
		}
	}
	e.Operate(fields{"command": "list_bank_accounts"}, nil)
}

type fields = map[string]any

var secondAccount = map[string]any{"account_holder_name": "Laden", "iban": sandbox.LostAnswerIBAN, "primary": true}

// pendingAccount is a bank account that awaits verification. Its merchant has another account, too.
type pendingAccount struct {
	sales
	id string
}

func (a pendingAccount) request(method string, body any) world.Request {
	return world.Request{Method: method, Path: bankAccounts, APIKey: a.Merchant.Key.Plaintext, Body: body}
}

func (e *everything) newPendingAccount(mode identity.Mode) pendingAccount {
	e.Helper()
	of := pendingAccount{sales: e.newSales(e.NewShop("DE", "EUR", map[string]any{"sandbox": mode == identity.Test}))}
	of.Sell("10")
	e.mustDo(of.request("POST", secondAccount))
	accounts, err := e.App.Store.BankAccounts(e.Context(), identity.Tenant{Mode: mode, Merchant: of.Merchant.Code})
	pending, _ := accounts.Pending()
	if of.id = pending.ID; err != nil || of.id == "" {
		e.Errorf("got %+v, %v, want one that is pending", accounts, err)
	}
	e.Clock.Advance(24 * time.Hour)
	return of
}
