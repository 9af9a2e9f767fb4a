// Package banking opens the banks that payouts go through. Open returns a runner of payouts over these banks. Only
// functions that pay out import the package, because it links the banks.
package banking

import (
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payout/run"
)

// Open returns the runner of payouts over the platform's banks; it makes no call.
func Open(a *app.App) *run.Runner {
	return run.New(run.Config{Store: a.Store, Log: a.Log, Metrics: a.Metrics,
		Banks: Banks(a)})
}

// Banks returns the bank of each mode. Test mode has the sandbox bank. Live mode has files that an operator hands to a
// bank, until a deployment brings another bank.
func Banks(a *app.App) map[identity.Mode]bank.Bank {
	return map[identity.Mode]bank.Bank{identity.Test: a.Bank(Sandbox(a)), identity.Live: a.Bank(File(a))}
}

// Sandbox returns test mode's bank.
func Sandbox(a *app.App) *sandbox.Bank {
	db, table := a.CounterpartyTable()
	return sandbox.New(sandbox.Config{DB: db, Table: table, Now: a.Now})
}

// File returns live mode's bank. The bank stores its records in the platform's own table.
func File(a *app.App) *file.Bank {
	db, table := a.Store.Raw()
	return file.New(file.Config{DB: db, Table: table, Now: a.Now})
}
