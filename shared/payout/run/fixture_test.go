package run_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout/run"
	"github.com/cashwrap/cashwrap/shared/store"
)

var tenant = identity.Tenant{Mode: identity.Live, Merchant: "MC0A1B2C3D"}

// fixture is a runner with a table and a bank. The test can act before each call to the table.
type fixture struct {
	testing.TB
	*run.Runner
	*clock.Clock
	wire     *faults.Wire // carries the calls to the table
	requests []bank.Transfer
	outcome  bank.Outcome // the bank's answer to transfers
	bankErr  error        // error that the bank returns instead of taking a transfer
	cancel   func(id string) (bank.Outcome, error)

	verdict   merchant.BankAccountStatus // the bank's answer about accounts
	verifyErr error
	verified  atomic.Int64 // number of questions about accounts
}

// newFixture returns a fixture with a merchant that is paid out each day.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	h := openFixture(t)
	h.setTerms(func(*terms) {})
	return h
}

// openFixture returns a fixture with a merchant without a bank account.
func openFixture(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{TB: t, Clock: clock.New(), wire: &faults.Wire{Send: enginetest.Do},
		outcome: bank.Outcome{State: bank.Paid}, verdict: merchant.BankAccountPending}
	accessKey := enginetest.AccessKey(t)
	s := store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1",
		Endpoint: enginetest.Table(t), Now: h.Now, HTTP: h.wire, DueShards: 4, MaxBackoff: time.Millisecond,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: "none"}, nil
		})})
	if err := s.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.Runner = run.New(run.Config{Store: s, Log: slog.New(slog.DiscardHandler),
		Banks: map[identity.Mode]bank.Bank{identity.Live: h}})
	owner := merchant.Merchant{Code: tenant.Merchant, Currency: "EUR",
		Settings: merchant.ByMode[merchant.Settings]{}.With(tenant.Mode, merchant.DefaultSettings)}
	if err := s.CreateMerchant(t.Context(), byTest, owner, account.Account{}); err != nil {
		t.Fatal(err)
	}
	return h
}

// doBefore calls do before the next call of the operation reaches the table.
func (h *fixture) doBefore(operation string, do func()) { h.wire.Meanwhile(operation, 1, do) }

// Transfer takes a transfer and returns the outcome that the test has set.
func (h *fixture) Transfer(_ context.Context, t bank.Transfer) (bank.Outcome, error) {
	if h.bankErr != nil {
		return bank.Outcome{}, h.bankErr
	}
	h.requests = append(h.requests, t)
	return h.outcome, nil
}

// Verify returns the verdict that the test has set.
func (h *fixture) Verify(_ context.Context, v bank.Verification) (merchant.BankAccountStatus, error) {
	h.verified.Add(1)
	if v.Tenant != tenant.String() || v.Account.Status != merchant.BankAccountPending {
		h.Errorf("got a question about %+v, want one about a pending account of %s", v, tenant)
	}
	return h.verdict, h.verifyErr
}

// Cancel calls the function that the test has set. Without such a function, Cancel fails the test.
func (h *fixture) Cancel(_ context.Context, id string) (bank.Outcome, error) {
	if h.cancel == nil {
		h.Errorf("got a cancellation of %s, want none", id)
		return bank.Outcome{}, errors.New("not expected")
	}
	return h.cancel(id)
}

// Statement returns no lines.
func (h *fixture) Statement(context.Context, time.Time) iter.Seq2[bank.StatementLine, error] {
	return func(func(bank.StatementLine, error) bool) {}
}

// terms are the times and the account of a tenant's payouts.
type terms struct {
	merchant.PayoutSchedule
	Settings merchant.Settings
	TimeZone string
}

// setTerms changes the tenant's terms. They begin as a verified account and daily payouts in euros and UTC.
func (h *fixture) setTerms(change func(*terms)) terms {
	h.Helper()
	var set terms
	_, err := h.ChangeMerchant(h.Context(), byTest, tenant.Merchant, func(s merchant.State) (merchant.State, error) {
		set = terms{s.Schedule(tenant.Mode), s.Merchant.Settings.Of(tenant.Mode), s.Merchant.TimeZone}
		if set.Version == 0 {
			set.To = merchant.BankAccount{Holder: "Shop", IBAN: "DE17100100100000005678", Status: merchant.BankAccountVerified}
		}
		change(&set)
		s.Merchant.TimeZone = set.TimeZone
		return s.WithSettings(tenant.Mode, set.Settings).WithSchedule(tenant.Mode, set.PayoutSchedule), nil
	})
	if err == nil {
		set.PayoutSchedule, err = h.Store.PayoutSchedule(h.Context(), tenant)
	}
	if err != nil {
		h.Fatal(err)
	}
	return set
}

func eur(amount string) money.Amount { return money.MustParse(amount, "EUR") }

// pay stores a payment of 10.10 EUR without a fee. All of its parts are due now.
func (h *fixture) pay(parts int) payments.Transaction {
	h.Helper()
	c, err := h.Store.CreateCheckout(h.Context(), tenant, payments.Checkout{ID: uuid.NewString(),
		Reference: uuid.NewString(), Amount: eur("10.10"),
		Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout, CreatedAt: h.Now(),
		Payee: payments.Payee{Code: tenant.Merchant, PayoutPlan: merchant.TrueInstallment}})
	if err != nil {
		h.Fatal(err)
	}
	a := payments.Attempt{ID: uuid.NewString(), Operation: "request", Method: payments.CardMethod, Installments: parts}
	if c, err = c.Begin(a, payments.Source{}, h.Now()); err != nil {
		h.Fatal(err)
	}
	change, ok := c.Settle(a.ID, payments.Outcome{Decision: payments.Approved}, "msg_"+a.ID, payments.Session{}, h.Now())
	if !ok {
		h.Fatalf("settle %s: got nothing to write, want a change", a.ID)
	}
	for i := range change.Payables {
		change.Payables[i].EligibleAt, change.Transaction.Payouts[i].EligibleAt = h.Now(), h.Now()
	}
	if _, err := h.Store.Apply(h.Context(), tenant, change); err != nil {
		h.Fatal(err)
	}
	return *change.Transaction
}

func (h *fixture) readTransaction(tx payments.Transaction) payments.Transaction {
	h.Helper()
	r, err := h.Store.Transaction(h.Context(), tenant, tx.ID)
	if err != nil {
		h.Fatal(err)
	}
	return r.Transaction
}

// chargeback stores a chargeback of an amount of a payment.
func (h *fixture) chargeback(tx payments.Transaction, amount string) {
	h.Helper()
	x := eur(amount)
	change, err := h.readTransaction(tx).Chargeback(payments.Checkout{}, uuid.NewString(), &x, false, "", h.Now())
	if err != nil {
		h.Fatal(err)
	}
	if err := h.Store.ApplyTransaction(h.Context(), tenant, change, nil); err != nil {
		h.Fatal(err)
	}
}

// plan opens the due payout and returns its id, or "" if no payout is due.
func (h *fixture) plan() string {
	h.Helper()
	planned, due, err := h.Plan(h.Context(), tenant)
	if err != nil {
		h.Fatal(err)
	}
	if !due {
		return ""
	}
	return planned.ID
}

// run runs a payout until it waits, and returns "status total records".
func (h *fixture) run(id string) string {
	h.Helper()
	if waits, err := h.Run(h.Context(), tenant, id); err != nil || !waits {
		h.Fatalf("waits: got %t, %v, want true", waits, err)
	}
	return h.payoutState(id)
}

func (h *fixture) payoutState(id string) string {
	h.Helper()
	p, err := h.Store.Payout(h.Context(), tenant, id)
	if err != nil {
		h.Fatal(err)
	}
	return fmt.Sprint(p.Status, " ", p.Total, " ", p.Records)
}

func (h *fixture) want(what, got, want string) {
	h.Helper()
	if got != want {
		h.Errorf("%s: got %q, want %q", what, got, want)
	}
}

const day = 24 * time.Hour

// byTest is the actor of changes that a test makes directly.
var byTest = audit.ByPlatform(audit.Actor{Kind: audit.Command}, "test")
