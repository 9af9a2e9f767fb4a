package file_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// The platform requests a transfer. The operator exports it for their bank, and records the bank's outcome.
func ExampleBank_Export() {
	ctx, b := context.Background(), openBank()
	payout := bank.Transfer{ID: "0123456789abcdef", Tenant: "L#MC123456", Amount: money.MustParse("87.73", "EUR"),
		To: merchant.BankAccount{Holder: "Müller & Sons", IBAN: germanIBAN}, Reference: "Payout 2026-11-20"}
	show(b.Transfer(ctx, payout))

	var xml strings.Builder
	ids, err := b.Export(ctx, &xml, file.Request{ID: "payouts-1", Currency: "EUR", Day: "2026-11-23",
		Transfers: []string{payout.ID}, Debtor: merchant.BankAccount{Holder: "Operator GmbH", IBAN: operatorsIBAN}})
	fmt.Println(ids, err)
	fmt.Println(idsIn(xml.String()))

	fmt.Println(b.Settle(ctx, payout.ID, bank.Outcome{State: bank.Paid}))
	show(b.Transfer(ctx, payout)) // a repeated request returns the outcome
	// Output:
	// accepted <nil>
	// [0123456789abcdef] <nil>
	// [0123456789abcdef]
	// <nil>
	// paid <nil>
}

func show(o bank.Outcome, err error) { fmt.Println(o.State, err) }

// openBank returns a bank over a table in memory.
func openBank() *file.Bank {
	now := func() time.Time { return clock.Start }
	s := store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1", Endpoint: "http://dynamodb.test", Now: now,
		Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
		HTTP:        &http.Client{Transport: dynamodb.New(dynamodb.Config{Now: now})}})
	if err := s.CreateTable(context.Background()); err != nil {
		panic(err)
	}
	db, table := s.Raw()
	return file.New(file.Config{DB: db, Table: table, Now: now})
}
