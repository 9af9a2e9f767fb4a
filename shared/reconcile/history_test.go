package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout/run"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

// history is a platform with random payments and payouts, in both modes and with every plan of payouts. A seed decides
// everything. The rules and the store are the real ones. The acquirer and the bank only keep their statements.
type history struct {
	*testing.T
	*rand.Rand
	clock        *clock.Clock
	store        *store.Store
	payouts      *run.Runner
	movements    []acquirer.Movement
	lines        []bank.StatementLine
	outcomes     map[string]bank.Outcome // outcomes of the transfers, by id
	transactions []paid
	refunds      []openRefund
	opened       []run.Planned // payouts
	n            int

	engine     http.RoundTripper
	records    bool                // if true, no payment is interrupted
	late       []paid              // interrupted payments
	interferes bool                // if true, act runs before some calls
	busy       sync.Mutex          // locked while act runs
	before     func(*http.Request) // called before each call
}

// RoundTrip carries a call to the table.
func (h *history) RoundTrip(r *http.Request) (*http.Response, error) {
	if h.before != nil {
		h.before(r)
	}
	if h.interferes && h.busy.TryLock() { // if the lock is taken, the call may belong to act itself
		if h.IntN(10) == 0 { // a run makes some calls for each item, so more actions would keep it from ending
			h.act()
		}
		h.busy.Unlock()
	}
	return h.engine.RoundTrip(r)
}

// act performs one random action.
func (h *history) act() {
	[]func(){h.pay, h.pay, h.reserve, h.reserve, h.settle, h.settle, h.settle, h.chargeBack, h.payOut}[h.IntN(9)]()
	h.clock.Advance(time.Duration(h.IntN(1000)) * time.Millisecond)
}

type paid struct {
	tenant   identity.Tenant
	id       string
	checkout payments.Checkout
}

type openRefund struct {
	paid
	id string
}

// statement is a fake acquirer of one mode, which only has a statement.
type statement struct {
	acquirer.None
	h *history
}

func (s statement) Statement(_ context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
	return func(yield func(acquirer.Movement, error) bool) {
		for _, m := range s.h.movements {
			late := time.Duration(0)
			if !m.Kind.OfCharge() {
				late = acquirer.LateSettlements
			}
			if !m.At.Add(late).Before(since) && !yield(m, nil) {
				return
			}
		}
	}
}

var shops = []identity.Tenant{{Mode: identity.Live, Merchant: "MC1"}, {Mode: identity.Test, Merchant: "MC1"},
	{Mode: identity.Test, Merchant: "MC2"}}

func newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	c := clock.New()
	h := &history{T: t, outcomes: map[string]bank.Outcome{}, Rand: rand.New(rand.NewPCG(seed, 0)), clock: c,
		engine: dynamodb.New(dynamodb.Config{Now: c.Now})}
	h.store = store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1",
		Endpoint: "http://dynamodb.test", Now: c.Now, DueShards: 4,
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), HTTP: &http.Client{Transport: h}})
	h.must(h.store.CreateTable(t.Context()))
	h.payouts = run.New(run.Config{Store: h.store, Log: slog.New(slog.DiscardHandler),
		Banks: h.banks()})
	for _, code := range []string{"MC1", "MC2"} {
		h.must(h.store.CreateMerchant(t.Context(), byTest, merchant.Merchant{Code: code, Currency: "EUR"}, account.Account{}))
	}
	for _, tenant := range shops {
		h.payTo(tenant, "Shop")
	}
	return h
}

// payTo enables payouts on demand for the tenant, to an account of the holder.
func (h *history) payTo(t identity.Tenant, holder string) {
	h.Helper()
	_, err := h.payouts.ChangeMerchant(h.Context(), byTest, t.Merchant, func(s merchant.State) (merchant.State, error) {
		schedule := s.Schedule(t.Mode)
		schedule.To = merchant.BankAccount{ID: "a", Holder: holder, IBAN: "DE89370400440532013000",
			Status: merchant.BankAccountVerified}
		return s.WithSettings(t.Mode, merchant.Settings{OnDemand: true}).WithSchedule(t.Mode, schedule), nil
	})
	h.must(err)
}

func (h *history) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// nextUUID returns a random UUID that depends on the seed.
func (h *history) nextUUID() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(h.Uint32())
	}
	return payments.FormatUUIDv4(b[:])
}

func (h *history) move(p paid, kind acquirer.Kind, id string, a money.Amount) {
	h.movements = append(h.movements, acquirer.Movement{LineID: fmt.Sprint(len(h.movements)), ID: id, ChargeID: p.id,
		Tenant: p.tenant.String(), Kind: kind,
		Amount: a, At: h.clock.Now()})
}

func (h *history) pay() {
	h.n++
	p := paid{tenant: shops[h.IntN(len(shops))], id: h.nextUUID()}
	amount := money.MustParse(fmt.Sprintf("%d.%02d", 1+h.IntN(200), h.IntN(100)), "EUR")
	c, err := h.store.CreateCheckout(h.Context(), p.tenant, payments.Checkout{ID: h.nextUUID(),
		Reference: fmt.Sprint(h.n), Amount: amount,
		Status: payments.CheckoutPending, CreatedAt: h.clock.Now(), Payee: payments.Payee{Code: p.tenant.Merchant,
			FeeRate: "0.0195", PayoutPlan: []merchant.PayoutPlan{"", merchant.TrueInstallment}[h.IntN(2)]}})
	h.must(err)
	c, err = c.Begin(payments.Attempt{ID: p.id, Method: payments.CardMethod, Installments: 1 + h.IntN(3)},
		payments.Source{}, h.clock.Now())
	h.must(err)
	decision := []payments.Decision{payments.Approved, payments.Approved, payments.Approved, payments.Declined}[h.IntN(4)]
	if decision == payments.Approved {
		h.move(p, acquirer.CaptureMovement, p.id, amount)
		if h.IntN(10) == 0 && !h.records {
			p.checkout = c
			h.late = append(h.late, p) // interrupted before the outcome was recorded
			return
		}
	}
	p.checkout = c
	h.record(p, decision)
}

func (h *history) read(p paid) store.Record {
	h.Helper()
	r, err := h.store.Transaction(h.Context(), p.tenant, p.id)
	h.must(err)
	return r
}

// drawPart returns a random part of the refundable amount, or nil to refund the whole amount.
func (h *history) drawPart(r store.Record) *money.Amount {
	if h.IntN(3) == 0 || r.Refundable.IsZero() {
		return nil
	}
	part := r.Refundable.Split(1 + h.IntN(4))
	return &part[len(part)-1]
}

func (h *history) reserve() {
	if len(h.transactions) == 0 {
		return
	}
	p := h.transactions[h.IntN(len(h.transactions))]
	r := h.read(p)
	h.n++
	change, err := r.BeginRefund(fmt.Sprint(h.n), h.drawPart(r), p.tenant.Mode == identity.Live, h.clock.Now())
	if err != nil {
		return
	}
	var held *store.Reserve
	if p.tenant.Mode == identity.Live {
		now, err := h.store.Reserve(h.Context(), p.tenant, "EUR")
		h.must(err)
		held = &now
	}
	h.must(h.store.ApplyTransaction(h.Context(), p.tenant, change, held))
	h.refunds = append(h.refunds, openRefund{p, change.Events[0].ID})
}

func (h *history) settle() {
	if len(h.refunds) == 0 {
		return
	}
	o := h.refunds[h.IntN(len(h.refunds))]
	r := h.read(o.paid)
	e, _ := r.Refund(o.id)
	decision := []payments.Decision{payments.Approved, payments.Approved, payments.Declined,
		payments.OutcomeUnknown}[h.IntN(4)]
	change, ok := r.SettleRefund(e, payments.Outcome{Decision: decision}, h.clock.Now())
	if h.IntN(5) == 0 {
		change, ok = r.WithdrawRefund(e, h.clock.Now())
	} else if ok && decision == payments.Approved {
		h.move(o.paid, acquirer.RefundMovement, e.ID, e.Amount)
	}
	if ok {
		h.must(h.store.ApplyTransaction(h.Context(), o.tenant, change, nil))
	}
}

func (h *history) chargeBack() {
	if len(h.transactions) == 0 {
		return
	}
	p := h.transactions[h.IntN(len(h.transactions))]
	r := h.read(p)
	h.n++
	id := fmt.Sprint("cb ", h.n)
	change, err := r.Chargeback(p.checkout, id, h.drawPart(r), h.IntN(2) == 0, uuid.NewString(), h.clock.Now())
	if err != nil {
		return
	}
	h.move(p, acquirer.ChargebackMovement, id, change.Events[0].Amount)
	h.must(h.store.ApplyTransaction(h.Context(), p.tenant, change, nil))
}

// payOut begins or continues a payout.
func (h *history) payOut() {
	h.n++
	tenant := shops[h.IntN(len(shops))]
	planned, due, err := h.payouts.OpenOnDemand(h.Context(), tenant, fmt.Sprint(h.n%7))
	h.must(err)
	if !due {
		return
	}
	h.opened = append(h.opened, planned)
	if h.IntN(2) == 0 { // the account is replaced, so a transfer that the bank did not take is cancelled
		h.payTo(tenant, fmt.Sprint("Shop ", h.n))
	}
	ctx, stop := context.WithCancel(h.Context())
	if h.IntN(3) == 0 { // the run is interrupted
		stop()
	}
	defer stop()
	if _, err := h.payouts.Run(ctx, tenant, planned.ID); err != nil && !errors.Is(err, context.Canceled) {
		h.Fatal(err)
	}
}

func (h *history) reconcile() reconcile.Report {
	h.Helper()
	h.clock.Advance(time.Second)
	r, err := reconcile.Run(h.Context(), h.config())
	h.must(err)
	return r
}

// movedNothing returns true if the item moved no money. Losing such an item changes nothing.
func movedNothing(item map[string]types.AttributeValue) bool {
	sk, status := text(item["sk"]), ""
	if s, ok := item["status"]; ok {
		status = text(s)
	}
	switch {
	case strings.HasPrefix(sk, "EVENT#"):
		return status == "FAILED" || status == "WITHDRAWN"
	case strings.HasPrefix(sk, "TRANSACTION#"):
		return status != "SUCCESSFUL"
	case sk == "RESERVE":
		var held money.Amount
		return held.UnmarshalDynamo(item["amount"]) == nil && held.IsZero()
	case sk == "PAYOUT":
		return item["records"].(*types.AttributeValueMemberN).Value == "0"
	default:
		return false
	}
}

// TestRun_AnyHistory checks that no history of payments, refunds, chargebacks and payouts has a break, even if steps
// were interrupted. It also checks that losing any one item is a break. The test reconciles once for each lost item.
func TestRun_AnyHistory(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, seed)
			for i := range 120 {
				h.act()
				if i%30 == 29 {
					if r := h.reconcile(); r.Found != 0 {
						t.Fatalf("after %d: got %+v, want no breaks", i, r.Breaks)
					}
				}
			}
			h.loseEach()
			h.loseBankLines()
		})
	}
}

// TestRun_ConcurrentChanges checks that a change between any two reads is no break. The test takes seconds, because few
// changes happen at the moment when what they change is read. If the scheduler lets none happen there, the test tries
// more seeds.
func TestRun_ConcurrentChanges(t *testing.T) {
	t.Parallel()
	suspects := 0
	for seed := uint64(0); seed < 4 || suspects == 0 && seed < 40; seed++ {
		h := newHistory(t, seed)
		for range 30 {
			h.act()
		}
		for range 5 {
			h.interferes = true
			r := h.reconcile()
			h.interferes = false
			if suspects += r.Suspects; r.Found != 0 {
				t.Errorf("seed %d: got %+v, want no breaks", seed, r.Breaks)
			}
		}
	}
	if suspects == 0 {
		t.Errorf("got %d suspects, want some", suspects)
	}
}

// loseEach drops the items one at a time. Each loss must be a break, and no break may be left once the item is back.
func (h *history) loseEach() {
	h.Helper()
	_, table := h.store.Raw()
	var all []map[string]types.AttributeValue
	h.must(table.Scan().Filter("begins_with(pk, ?) OR begins_with(pk, ?) OR begins_with(pk, ?) OR "+
		"begins_with(pk, ?) OR begins_with(pk, ?) OR begins_with(pk, ?)",
		"TRANSACTION#", "JOURNAL#", "PAYABLE#", "RESERVE#", "PAYOUT#", "PAYOUTS#").All(h.Context(), &all))
	h.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	lost := 0
	for _, item := range all {
		if movedNothing(item) {
			continue
		}
		if lost++; lost > 14 {
			break
		}
		h.must(table.Delete("pk", text(item["pk"])).Range("sk", text(item["sk"])).Run(h.Context()))
		if r := h.reconcile(); r.Found == 0 {
			h.Errorf("got no breaks without %s %s, want some", text(item["pk"]), text(item["sk"]))
		}
		h.must(table.Put(item).Run(h.Context()))
	}
	if r := h.reconcile(); r.Found != 0 || lost < 10 {
		h.Errorf("after %d losses: got %+v, want no breaks and at least 10 losses", lost, r.Breaks)
	}
}

// byTest is the author of changes that a test makes directly.
var byTest = audit.ByPlatform(audit.Actor{Kind: audit.Command}, "test")
