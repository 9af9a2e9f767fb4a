package processing_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

var tenant = identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}

// fixture is a processor with a table and acquirers. A test can run functions between the processor's calls.
type fixture struct {
	*processing.Processor
	*clock.Clock
	store    *store.Store
	mu       sync.Mutex
	onWrite  func()                                      // runs after the next PutItem
	onCancel func(attempt string)                        // runs before the acquirer is asked to cancel
	network  func(*http.Request) (*http.Response, error) // carries calls to the table; nil: without faults
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	o := &fixture{Clock: clock.New()}
	accessKey := enginetest.AccessKey(t)
	config := store.Config{
		Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(t), Now: o.Now, HTTP: o,
		MaxBackoff: time.Millisecond,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: "none"}, nil
		}),
	}
	o.store = store.Open(config)
	if err := o.store.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := merchant.Merchant{Code: tenant.Merchant}
	if err := o.store.CreateMerchant(t.Context(), byTest, m, account.Account{}); err != nil {
		t.Fatal(err)
	}
	config.HTTP = &http.Client{Transport: enginetest.Real{}}
	db, table := store.Open(config).Raw()
	key := []byte(strings.Repeat("k", 32))
	bank := sandbox.New(sandbox.Config{
		DB: db, Table: table, Secret: func() []byte { return key }, BaseURL: "http://cashwrap.test", Now: o.Now,
	})
	o.Processor = processing.New(processing.Config{
		Store: o.store, Acquirers: map[identity.Mode]acquirer.Acquirer{identity.Test: observed{bank, o}},
		BaseURL: "http://cashwrap.test", SessionKey: func(time.Time) []byte { return key },
		TokenKey: func() []byte { return key }, Log: slog.New(slog.DiscardHandler),
	})
	return o
}

// Do carries a call to the table.
func (o *fixture) Do(r *http.Request) (*http.Response, error) {
	carry := o.network
	if carry == nil {
		carry = enginetest.Do
	}
	response, err := carry(r)
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".PutItem") {
		o.mu.Lock()
		happens := o.onWrite
		o.onWrite = nil
		o.mu.Unlock()
		if happens != nil {
			happens()
		}
	}
	return response, err
}

type observed struct {
	acquirer.Acquirer
	fixture *fixture
}

func (a observed) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	happens := a.fixture.onCancel
	a.fixture.onCancel = nil
	if happens != nil {
		happens(id)
	}
	return a.Acquirer.Cancel(ctx, id)
}

func (o *fixture) create(t *testing.T, validFor time.Duration) payments.Checkout {
	t.Helper()
	until := o.Now().Add(validFor)
	c, err := o.store.CreateCheckout(t.Context(), tenant, payments.Checkout{
		ID: uuid.NewString(), Reference: "order", Amount: money.MustParse("10.10", "EUR"),
		Status:  payments.CheckoutPending,
		Purpose: payments.PurposeCheckout, CreatedAt: o.Now(), ValidUntil: &until, RedirectURL: "https://shop.example/done",
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (o *fixture) pay(t *testing.T, c payments.Checkout, number string) (payments.Checkout, error) {
	t.Helper()
	card := &payments.Card{Name: "Ada", Number: secret.New(number), ExpiryMonth: "12", ExpiryYear: "2030",
		CVV: secret.New("739")}
	paid, _, err := o.Start(t.Context(), tenant, processing.PaymentRequest{
		CheckoutID: c.ID, Operation: uuid.NewString(), Method: payments.CardMethod, Card: card, Installments: 1})
	return paid, err
}

func (o *fixture) read(t *testing.T, c payments.Checkout) payments.Checkout {
	t.Helper()
	read, err := o.store.Checkout(t.Context(), tenant, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

const (
	passing    = "4200000000000091"
	challenged = "4200000000000042"
)

// TestStart_ClaimAfterValidUntil checks that an attempt claimed too late is not charged. A client that read the
// checkout just before the claim saw EXPIRED, and that status is final.
func TestStart_ClaimAfterValidUntil(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	c := o.create(t, time.Minute)
	o.onWrite = func() { o.Advance(2 * time.Minute) }
	if _, err := o.pay(t, c, passing); failure.Of(err).Code != "CHECKOUT_SESSION_IS_EXPIRED" {
		t.Errorf("process: got %v, want CHECKOUT_SESSION_IS_EXPIRED", err)
	}
	now := o.read(t, c)
	if now.StatusAt(o.Now()) != payments.CheckoutExpired || len(now.Transactions) != 0 {
		t.Errorf("got %s with %d transactions, want EXPIRED with none", now.StatusAt(o.Now()), len(now.Transactions))
	}
}

// TestDeactivate_AttemptBegunDuringCancel checks that no attempt stays payable if the payer starts another while the
// first challenge is being cancelled.
func TestDeactivate_AttemptBegunDuringCancel(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	c := o.create(t, time.Hour)
	if _, err := o.pay(t, c, challenged); err != nil {
		t.Fatal(err)
	}
	o.onCancel = func(string) {
		if _, err := o.pay(t, c, challenged); err != nil {
			t.Errorf("second attempt: got %v, want no error", err)
		}
	}
	after, err := o.Deactivate(t.Context(), tenant, c.ID)
	if err != nil || after.Status != payments.CheckoutExpired {
		t.Fatalf("deactivate: got %s, %v, want EXPIRED", after.Status, err)
	}
	if len(after.Transactions) != 2 {
		t.Fatalf("got transactions %+v, want 2", after.Transactions)
	}
	for _, transaction := range after.Transactions {
		at, err := o.Acquirers[identity.Test].LookUp(t.Context(), transaction.ID)
		if transaction.Status != payments.TransactionCancelled || at.Decision != payments.Cancelled || err != nil {
			t.Errorf("transaction: got %s, at the acquirer %s, %v, want %s, %s", transaction.Status, at.Decision, err,
				payments.TransactionCancelled, payments.Cancelled)
		}
	}
}

// TestStart_NotTakenAfterLostAnswer checks that the outcome stays unknown. The acquirer may have charged the first
// request, so no other attempt may replace this attempt.
func TestStart_NotTakenAfterLostAnswer(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	c := o.create(t, time.Hour)
	bank := &lostCharge{Acquirer: o.Acquirers[identity.Test]}
	o.Acquirers[identity.Test] = bank
	pending, err := o.pay(t, c, passing)
	if err != nil || pending.Status != payments.CheckoutPending || pending.Attempt.State != payments.AttemptPending {
		t.Fatalf("process: got %s, %+v, %v, want PENDING, with a pending attempt", pending.Status, pending.Attempt, err)
	}
	if _, err := o.pay(t, c, passing); failure.Of(err).Code != "CONFLICT" {
		t.Errorf("another attempt: got %v, want CONFLICT", err)
	}
	o.Advance(2 * time.Minute)
	if paid := o.resolve(t, pending); paid.Status != payments.CheckoutPaid || len(paid.Transactions) != 1 {
		t.Errorf("resolved: got %s with transactions %+v, want PAID with one", paid.Status, paid.Transactions)
	}
}

// lostCharge charges once and loses the answer. After that it takes no charge.
type lostCharge struct {
	acquirer.Acquirer
	asked bool
}

func (f *lostCharge) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	if f.asked {
		return payments.Outcome{}, acquirer.ErrNotTaken
	}
	f.asked = true
	if _, err := f.Acquirer.Charge(ctx, c); err != nil {
		return payments.Outcome{}, err
	}
	return payments.Outcome{}, context.DeadlineExceeded
}

// TestStart_Cancelled checks that the client may try again if another call has cancelled the charge before it began.
// Without an error the checkout would look as if its payment were pending.
func TestStart_Cancelled(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	c := o.create(t, time.Hour)
	bank := o.Acquirers[identity.Test]
	o.Acquirers[identity.Test] = cancelledCharge{bank}
	if got, err := o.pay(t, c, passing); !failure.Is(err, failure.KindUpstream) || !got.Restartable() {
		t.Errorf("got %+v, %v, want an upstream failure and no open attempt", got.Attempt, err)
	}
	o.Acquirers[identity.Test] = bank
	if paid, err := o.pay(t, c, passing); err != nil || paid.Status != payments.CheckoutPaid {
		t.Errorf("again: got %s, %v, want PAID", paid.Status, err)
	}
}

// cancelledCharge is an acquirer that another call asks to cancel each charge first.
type cancelledCharge struct{ acquirer.Acquirer }

func (a cancelledCharge) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	if _, err := a.Cancel(ctx, c.ID); err != nil {
		return payments.Outcome{}, err
	}
	return a.Acquirer.Charge(ctx, c)
}

// TestResolveHint_UnknownChargeBeforePoll checks that an unknown charge is not cancelled before its poll is due. Until
// then the request that began it may still be on the way to the acquirer.
func TestResolveHint_UnknownChargeBeforePoll(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	begun, err := o.create(t, time.Hour).Begin(payments.Attempt{ID: uuid.NewString(), Operation: "request",
		Method: payments.CardMethod}, payments.Source{}, o.Now())
	if err != nil {
		t.Fatal(err)
	}
	if begun, err = o.store.SaveCheckout(t.Context(), tenant, begun); err != nil {
		t.Fatal(err)
	}
	cancelled := false
	o.onCancel = func(string) { cancelled = true }
	for _, wait := range []time.Duration{begun.Attempt.NextPoll.Sub(o.Now()) - 1, 1} {
		o.Advance(wait)
		due := wait == 1
		c := o.resolve(t, begun)
		if cancelled != due || (c.Attempt.State == payments.AttemptClosed) != due {
			t.Errorf("got cancelled %t, %+v, want cancelled and closed: %t", cancelled, c.Attempt, due)
		}
	}
}

// byTest is the author of changes that a test makes directly.
var byTest = audit.ByPlatform(audit.Actor{Kind: audit.Command}, "test")
