package file_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/banktest"
	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// fixture is a bank with its own table.
type fixture struct {
	*file.Bank
	*counterpartytest.Fixture
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{Fixture: counterpartytest.New(t)}
	w.Bank = w.restart()
	return w
}

// restart returns the bank as a restarted process would have it.
func (w *fixture) restart() *file.Bank {
	return file.New(file.Config{DB: w.DB, Table: w.Table, Now: w.Now})
}

// Valid accounts of merchants and of the operator.
const (
	germanIBAN    = "DE17100100100000005678"
	frenchIBAN    = "FR1420041010050500013M02606"
	brazilianIBAN = "BR1800360305000010009795493C1"
	operatorsIBAN = "DE41100100100000009999"
)

// transfer returns a transfer of 10 EUR.
func transfer(id string) bank.Transfer {
	return bank.Transfer{ID: id, Tenant: "L#MC1", Amount: money.MustParse("10", "EUR"),
		Reference: "PAYOUT 2026-11-20 " + id,
		To: merchant.BankAccount{ID: "a", Holder: "Corner Shop", IBAN: germanIBAN,
			Status: merchant.BankAccountVerified}}
}

// transferTo returns a transfer of 10 units of the currency, to an account without an IBAN.
func transferTo(id string, c money.Currency) bank.Transfer {
	t := transfer(id)
	t.Amount = money.MustParse("10", c)
	t.To.IBAN, t.To.AccountNumber, t.To.BankCode = "", "00012345-6", "001"
	return t
}

// request returns a request for a file in euros with the given transfers.
func request(id string, transfers ...string) file.Request {
	return file.Request{ID: id, Currency: "EUR", Day: "2026-11-23", Transfers: transfers,
		Debtor: merchant.BankAccount{Holder: "Cashwrap Operator GmbH", IBAN: operatorsIBAN, BIC: "BANKDEFFXXX"}}
}

func (w *fixture) accept(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		w.mustTransfer(t, transfer(id), accepted)
	}
}

// export writes the file, and checks that it has exactly the given transfers.
func (w *fixture) export(t *testing.T, r file.Request, transfers ...string) string {
	t.Helper()
	var text bytes.Buffer
	ids, err := w.Export(t.Context(), &text, r)
	if err != nil || !slices.Equal(ids, transfers) {
		t.Fatalf("export %s: got %v, %v, want %v", r.ID, ids, err, transfers)
	}
	return text.String()
}

func (w *fixture) mustSettle(t *testing.T, id string, final bank.Outcome) {
	t.Helper()
	if err := w.Settle(t.Context(), id, final); err != nil {
		t.Fatalf("settle %s: got error %v, want none", id, err)
	}
}

// waitingIDs returns the ids of the transfers that are in no file yet.
func (w *fixture) waitingIDs(t *testing.T, c money.Currency) []string {
	t.Helper()
	found, err := w.Waiting(t.Context(), c, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, transfer := range found {
		ids = append(ids, transfer.ID)
	}
	return ids
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

var accepted, paid, rejected = banktest.Accepted, banktest.Paid, banktest.Rejected
