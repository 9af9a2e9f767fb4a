package functions_test

import (
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// accounts are bank accounts that are verified by the sweep or by an operator, in
// processes whose writes lose their replies. Each becomes its merchant's payee
// while a payout is due.
func (e *everything) accounts() {
	for _, mode := range []identity.Mode{identity.Test, identity.Live} {
		var of pendingAccount
		add := func() { of = e.pendingAccount(mode) }
		e.through(add, func(p *world.Process) { _ = p.TickNow(e.Context(), "sweep") })
		for _, command := range []string{"list_bank_accounts", "verify_bank_account"} {
			e.through(add, func(p *world.Process) {
				given := map[string]any{"command": command, "merchant_code": of.Merchant}
				if command == "verify_bank_account" {
					given["account"], given["outcome"] = of.id, "verified"
				}
				_ = client.Invoke(p.Invoke).Operate(e.Context(), given, nil)
			})
		}
	}
	e.Operate(map[string]any{"command": "list_bank_accounts"}, nil)
}

// pendingAccount is one that is pending verification, of a merchant with another.
type pendingAccount struct {
	identity.Tenant
	id string
}

func (e *everything) pendingAccount(mode identity.Mode) pendingAccount {
	e.Helper()
	s := e.sales(e.Provision(map[string]any{"name": "Laden", "email": "laden@example.com", "country": "DE",
		"currency": "EUR", "sandbox": mode == identity.Test}))
	s.Sell("10")
	of := pendingAccount{identity.Tenant{Mode: mode, Merchant: s.Merchant.Code}, uuid.NewString()}
	account := merchant.BankAccount{ID: of.id, Holder: "Laden", IBAN: sandbox.LostAnswerIBAN}
	merchants := audit.As(e.Context(), audit.Actor{Kind: audit.APIKey, Request: of.id}, "createMyBankAccount")
	if _, err := banking.Open(e.App).AddBankAccount(merchants, of.Tenant, account, true); err != nil {
		e.Fatal(err)
	}
	e.Clock.Advance(24 * time.Hour)
	return of
}
