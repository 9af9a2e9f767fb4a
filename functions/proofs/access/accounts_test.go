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

// accounts are bank accounts that are added and verified in processes whose writes
// lose their replies: in test mode by who looks at them, in live mode by the operator.
// Each becomes its merchant's payee while a payout is due.
func (e *everything) accounts() {
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
			func(p *world.Process) { p.Do(of.request("POST", another)) }},
		identity.Live: {sweep, show, operate("verify_bank_account", fields{"outcome": "verified"})},
	}
	for _, mode := range identity.Modes {
		for _, step := range steps[mode] {
			e.through(func() { of = e.pendingAccount(mode) }, step)
		}
	}
	e.Operate(fields{"command": "list_bank_accounts"}, nil)
}

type fields = map[string]any

var another = map[string]any{"account_holder_name": "Laden", "iban": sandbox.LostAnswerIBAN, "primary": true}

// pendingAccount is one that is pending verification, of a merchant with another.
type pendingAccount struct {
	sales
	id string
}

func (a pendingAccount) request(method string, body any) world.Request {
	return world.Request{Method: method, Path: bankAccounts, APIKey: a.Merchant.Key.Plaintext, Body: body}
}

func (e *everything) pendingAccount(mode identity.Mode) pendingAccount {
	e.Helper()
	of := pendingAccount{sales: e.sales(e.NewShop("DE", "EUR", map[string]any{"sandbox": mode == identity.Test}))}
	of.Sell("10")
	e.ask(of.request("POST", another))
	accounts, err := e.App.Store.BankAccounts(e.Context(), identity.Tenant{Mode: mode, Merchant: of.Merchant.Code})
	pending, _ := accounts.Pending()
	if of.id = pending.ID; err != nil || of.id == "" {
		e.Errorf("got %+v, %v, want one that is pending", accounts, err)
	}
	e.Clock.Advance(24 * time.Hour)
	return of
}
