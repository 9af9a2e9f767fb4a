// Package banking gives functions the banks that payouts go through. It is a
// package of its own so that only functions that pay out link them.
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

// Banks are test mode's sandbox, and in live mode the files that an operator
// hands to a bank, until a deployment brings a bank of its own.
func Banks(a *app.App) map[identity.Mode]bank.Bank {
	return map[identity.Mode]bank.Bank{identity.Test: a.Bank(Sandbox(a)), identity.Live: a.Bank(File(a))}
}

// Sandbox is test mode's bank.
func Sandbox(a *app.App) *sandbox.Bank {
	db, table := a.CounterpartyTable()
	return sandbox.New(sandbox.Config{DB: db, Table: table, Now: a.Now})
}

// File is live mode's bank. Its records are the platform's own.
func File(a *app.App) *file.Bank {
	db, table := a.Store.Raw()
	return file.New(file.Config{DB: db, Table: table, Now: a.Now})
}
