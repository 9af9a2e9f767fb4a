package sandbox_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/banktest"
	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// fixture is a bank with its own table.
type fixture struct {
	*sandbox.Bank
	*counterpartytest.Fixture
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{Fixture: counterpartytest.New(t)}
	w.Bank = w.restart()
	return w
}

// restart returns the bank as a restarted process would have it.
func (w *fixture) restart() *sandbox.Bank {
	return sandbox.New(sandbox.Config{DB: w.DB, Table: w.Table, Now: w.Now})
}

// transferTo returns a transfer of 10 EUR to an account.
func transferTo(id, iban string) bank.Transfer {
	return bank.Transfer{ID: id, Tenant: "T#MC1", Amount: money.MustParse("10", "EUR"),
		Reference: "PAYOUT 2026-11-20 " + id,
		To:        merchant.BankAccount{ID: "a", Holder: "Corner Shop", IBAN: iban, Status: merchant.BankAccountVerified}}
}

// mustTransfer requests a transfer and checks the outcome. The transfer may have been requested before.
func (w *fixture) mustTransfer(t *testing.T, request bank.Transfer, want bank.Outcome) {
	t.Helper()
	banktest.MustBe(t, w, request, want)
}

func (w *fixture) mustCancel(t *testing.T, id string, want bank.Outcome) {
	t.Helper()
	banktest.MustCancel(t, w, id, want)
}

// mustHavePaid checks how many payments of 10 EUR were made for the transfer.
func (w *fixture) mustHavePaid(t *testing.T, id string, times int) {
	t.Helper()
	n, sum, err := w.Executed(t.Context(), id)
	if err != nil || n != times || sum.Minor() != int64(1000*times) {
		t.Fatalf("%s: got paid %d times, %s, %v, want %d times", id, n, sum, err, times)
	}
}

var accepted, paid, rejected = banktest.Accepted, banktest.Paid, banktest.Rejected
