package sweep_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/functions/sweep"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// broken is an acquirer whose client panics.
type broken struct{ acquirer.Acquirer }

func (broken) LookUp(context.Context, string) (payments.Outcome, error) { panic("index out of range") }

func TestTick_Panic(t *testing.T) {
	t.Parallel()
	ctx, now, log := t.Context(), world.Start, &world.Log{}
	a := app.New(app.Config{Table: "cashwrap", Region: "eu-central-1", Secret: make([]byte, 32)}, app.Overrides{
		Now: func() time.Time { return now }, HTTP: down{table: dynamodb.New(dynamodb.Config{})},
		Credentials:  credentials.NewStaticCredentialsProvider("local", "none", ""),
		Log:          slog.New(slog.NewJSONHandler(log, nil)),
		WrapAcquirer: func(next acquirer.Acquirer) acquirer.Acquirer { return broken{next} },
	})
	if err := a.Store.CreateTable(ctx); err != nil {
		t.Fatal(err)
	}
	amount, err := money.Parse("5", "EUR")
	if err != nil {
		t.Fatal(err)
	}
	past, owner := now.Add(-time.Minute), identity.Tenant{Mode: identity.Test, Merchant: "MC1"}
	open := payments.Checkout{ID: "open", Reference: "1", Amount: amount, Status: payments.CheckoutPending,
		Attempt: &payments.Attempt{ID: "attempt", State: payments.AttemptPending, NextPoll: past.Add(-time.Hour)}}
	late := payments.Checkout{ID: "late", Reference: "2", Amount: amount, Status: payments.CheckoutPending,
		ValidUntil: &past}
	for _, c := range []payments.Checkout{open, late} {
		if _, err := a.Store.CreateCheckout(ctx, owner, c); err != nil {
			t.Fatal(err)
		}
	}
	if err := sweep.Tick(a)(ctx); err != nil {
		t.Errorf("the tick: got error %v, want none", err)
	}
	if c, err := a.Store.Checkout(ctx, owner, "late"); err != nil || c.Status != payments.CheckoutExpired {
		t.Errorf("the other checkout: got %s, error %v; want %s", c.Status, err, payments.CheckoutExpired)
	}
	if want := "panic: index out of range"; !strings.Contains(log.String(), want) {
		t.Errorf("got log %s, want %q in it", log, want)
	}
}
