package store_test

import (
	"context"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedMerchants = map[string]stored{
	"CreateMerchant": {
		sets: "Version is 1",
		write: func(w fixture) []storedtest.Read {
			m := storedtest.Fill[merchant.Merchant](w, w.Filler)
			k := w.key(m.Code)
			a := storedtest.Fill[account.Account](w, w.Filler)
			a.Version = 0
			w.must(w.CreateMerchant(w.Context(), w.actor(), m, a, k))
			m.Version, a.Version, k.Version = 1, 1, 1
			return slices.Concat(w.merchant(merchant.State{Merchant: m}), w.owners(m), w.keys(k.Tenant, k),
				[]storedtest.Read{w.account(m.Code, a), w.principal(k, m), w.audited(m.Code)})
		},
		unseen: storedtest.NotRead{"MERCHANT write_id": notRead, "ACCOUNT write_id": notRead,
			"MEMBER write_id": notRead,
			"KEY revoked":     notRevoked, "KEY write_id": notRead},
	},
	"SaveAccount": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			a := storedtest.Fill[account.Account](w, w.Filler)
			of := merchant.Merchant{Code: "MC0A1B2C3D"}
			first, err := w.SaveAccount(w.Context(), w.actor(), of, account.Account{}, account.Account{})
			wantAnswer(w, account.Account{Version: 1}, first, err)
			a.Version = 1
			of.Copied = a.CopiedToMerchant() // so that only the account is written
			got, err := w.SaveAccount(w.Context(), w.actor(), of, first, a)
			a.Version = 2
			wantAnswer(w, a, got, err)
			return []storedtest.Read{w.account("MC0A1B2C3D", a), w.audited("MC0A1B2C3D")}
		},
		unseen: storedtest.NotRead{"ACCOUNT write_id": notRead},
	},
	"SaveMerchant": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			m := storedtest.Fill[merchant.Merchant](w, w.Filler)
			created := merchant.Merchant{Code: m.Code, CreatedAt: start}
			w.must(w.CreateMerchant(w.Context(), w.actor(), created, account.Account{}))
			m.Version = 1
			got, err := w.SaveMerchant(w.Context(), w.actor(), m, m)
			m.Version = 2
			wantAnswer(w, m, got, err)
			return append(append(w.merchant(merchant.State{Merchant: m}), w.owners(created)...), w.audited(m.Code))
		},
		unseen: storedtest.NotRead{"MERCHANT write_id": notRead, "MEMBER write_id": notRead},
	},
	"SaveMerchantState": {
		sets: "each Version is the next",
		write: func(w fixture) []storedtest.Read {
			state := storedtest.Fill[merchant.State](w, w.Filler)
			created := merchant.Merchant{Code: state.Merchant.Code, CreatedAt: start}
			w.must(w.CreateMerchant(w.Context(), w.actor(), created, account.Account{}))
			state.Merchant.Version, state.Schedules.Live.Version, state.Schedules.Test.Version = 1, 0, 0
			state.Accounts.Live.Version, state.Accounts.Test.Version = 0, 0
			first := created
			first.Version = 1
			got, err := w.SaveMerchantState(w.Context(), w.actor(), merchant.State{Merchant: first}, state)
			state.Merchant.Version, state.Schedules.Live.Version, state.Schedules.Test.Version = 2, 1, 1
			state.Accounts.Live.Version, state.Accounts.Test.Version = 1, 1
			wantAnswer(w, state, got, err)
			reads := append(w.merchant(state), w.owners(created)...)
			var due []store.Due
			for _, mode := range identity.Modes {
				t := identity.Tenant{Mode: mode, Merchant: state.Merchant.Code}
				due = append(due, store.Due{Tenant: t, Schedule: true}, store.Due{Tenant: t, BankAccounts: true})
				reads = append(reads, storedtest.Expect("BankAccounts", state.BankAccounts(mode),
					func(ctx context.Context) (merchant.BankAccounts, error) { return w.BankAccounts(ctx, t) }))
			}
			return append(reads, w.audited(state.Merchant.Code), w.dueItems(due...))
		},
		unseen: storedtest.NotRead{"MERCHANT write_id": notRead, "MEMBER write_id": notRead, "SCHEDULE write_id": notRead},
	},
}

// actor returns a maker of changes.
func (w fixture) actor() audit.By {
	w.Helper()
	return audit.ByPlatform(storedtest.Fill[audit.Actor](w, w.Filler), "operation")
}

// audited expects the merchant's audit as it is now.
func (w fixture) audited(code string) storedtest.Read {
	w.Helper()
	read := func(ctx context.Context) ([]audit.Entry, error) {
		return collect(w.AuditEntries(ctx, code, time.Time{}, w.Now(), ""))
	}
	want, err := read(w.Context())
	w.must(err)
	return storedtest.Expect("AuditEntries", want, read)
}

// merchant expects the merchant from each read.
func (w fixture) merchant(state merchant.State) []storedtest.Read {
	code := state.Merchant.Code
	state.Accounts = merchant.ByMode[*merchant.BankAccounts]{} // they have a separate read
	return []storedtest.Read{
		storedtest.Expect("Merchant", state.Merchant, func(ctx context.Context) (merchant.Merchant, error) {
			return w.Merchant(ctx, code)
		}),
		storedtest.Expect("MerchantState", state, func(ctx context.Context) (merchant.State, error) {
			return w.MerchantState(ctx, code)
		}),
	}
}

// account expects the merchant's onboarding data.
func (w fixture) account(code string, want account.Account) storedtest.Read {
	return storedtest.Expect("Account", want, func(ctx context.Context) (account.Account, error) {
		return w.Account(ctx, code)
	})
}

// principal expects the principal of the key's bearer, and that the key can be revoked by its id.
func (w fixture) principal(k identity.APIKey, m merchant.Merchant) storedtest.Read {
	type bearer struct {
		Principal identity.Principal
		Merchant  merchant.Merchant
	}
	return storedtest.Expect("Authenticate", bearer{k.Principal(), m}, func(ctx context.Context) (bearer, error) {
		p, m, err := w.Authenticate(ctx, identity.Token{Kind: k.Kind, Tenant: k.Tenant, Hash: k.TokenHash}, "")
		return bearer{p, m}, err
	})
}
