package reconcile_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// shop is a world in which money has moved in every way there is.
type shop struct {
	*world.World
	tenant identity.Tenant
	// ids of transactions
	paid, refunded, chargedBack, pending string
	before                                 []map[string]types.AttributeValue // what was changed
	more                                   []bank.Booking                    // beside the sandbox's
}

func newShop(t *testing.T) *shop {
	t.Helper()
	w := world.New(t)
	s := &shop{World: w, tenant: identity.Tenant{Mode: identity.Test, Merchant: w.Merchant.Code}}
	s.paid, s.refunded, s.chargedBack, s.pending = s.pay("paid", 10.10), s.pay("refunded", 20),
		s.pay("charged back", 30), s.pay("pending", 100)
	s.pay("declined", 42.01)
	s.refund(s.refunded, "4.10")
	s.refund(s.refunded, "15.90") // more than waits for its payout: a deduction
	s.chargeBack(s.chargedBack, "7")
	s.refund(s.pending, "42.25") // taken, and nobody hears how it went
	w.Clock.Advance(time.Minute)
	return s
}

// pay pays a checkout by card, and answers its transaction's id.
func (s *shop) pay(reference string, amount float64) string {
	s.Helper()
	created := s.Do(world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: map[string]any{
		"checkout_reference": reference, "amount": amount, "currency": "EUR", "merchant_code": s.Merchant.Code}})
	done := s.Do(world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + created.Text("id"), Body: map[string]any{
		"payment_type": "card", "card": map[string]any{"name": "Ada Lovelace", "number": "4200000000000091",
			"expiry_month": "12", "expiry_year": "2030", "cvv": "737"}}})
	if done.Status != http.StatusOK {
		s.Fatalf("%s: %d %s", reference, done.Status, done.Body)
	}
	return done.Text("transaction_id")
}

func (s *shop) refund(id, amount string) {
	s.Helper()
	order := processing.RefundOrder{TransactionID: id, Operation: "refund of " + amount, Amount: money.Literal(amount)}
	if err := s.App.Processing.Refund(s.Context(), s.tenant, order); err != nil {
		s.Fatal(err)
	}
}

// chargeBack is told to both sides, as provision does.
func (s *shop) chargeBack(id, amount string) {
	s.Helper()
	if err := s.App.Sandbox.ChargeBack(s.Context(), id, "cb", money.MustParse(amount, "EUR")); err != nil {
		s.Fatal(err)
	}
	order := processing.ChargeBackOrder{TransactionID: id, ID: "cb", Amount: money.Literal(amount)}
	if _, err := s.App.Processing.ChargeBack(s.Context(), s.tenant, order); err != nil {
		s.Fatal(err)
	}
}

func (s *shop) reconcile() reconcile.Report {
	s.Helper()
	report, err := reconcile.Run(s.Context(), reconcile.Config{Store: s.App.Store.Reader,
		Acquirers: s.App.Acquirers, Banks: s.banks()})
	if err != nil {
		s.Fatal(err)
	}
	return report
}

func TestBooksThatAgree(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := s.reconcile()
	if r.Found != 0 || len(r.Differences) != 0 {
		t.Fatalf("%+v", r.Differences)
	}
	// 4 captured, 2 refunds and a charge-back; 4 parts and a deduction.
	if r.Tenants != 1 || r.Transactions != 5 || r.Entries != 7 || r.Rows != 5 || r.Movements != 7 ||
		r.Open != 1 || r.Suspects != 0 {
		t.Errorf("%+v", r)
	}
	for _, want := range []reconcile.Total{
		{Account: "acquirer_receivable", Currency: "EUR", Amount: "133.10"},
		{Account: "merchant_payable", Currency: "EUR", Amount: "-129.98"},
		{Account: "fee_income", Currency: "EUR", Amount: "-3.12"}, {Account: "rows that wait for payouts",
			Currency: "EUR", Amount: "129.98"},
		{Account: "the acquirer's statement", Currency: "EUR", Amount: "133.10"},
	} {
		if !slices.Contains(r.Totals, want) {
			t.Errorf("no %+v in %+v", want, r.Totals)
		}
	}
	// Once the refund's outcome is known, everything is settled.
	s.Minute()
	if r = s.reconcile(); r.Found != 0 || r.Open != 0 || r.Entries != 8 || r.Movements != 8 {
		t.Errorf("%+v", r)
	}
}

// item is what is stored under a key that begins so, and must be one.
func (s *shop) item(pk, sk string) map[string]types.AttributeValue {
	s.Helper()
	_, table := s.App.Store.Raw()
	var all []map[string]types.AttributeValue
	if err := table.Scan().Filter("begins_with(pk, ?) AND begins_with(sk, ?)", pk, sk).All(
		s.Context(), &all); err != nil || len(all) != 1 {
		s.Fatalf("%d items of %s %s, %v", len(all), pk, sk, err)
	}
	return all[0]
}

func text(v types.AttributeValue) string { return v.(*types.AttributeValueMemberS).Value }

func (s *shop) drop(item map[string]types.AttributeValue) {
	s.Helper()
	_, table := s.App.Store.Raw()
	if err := table.Delete("pk", text(item["pk"])).Range("sk", text(item["sk"])).Run(s.Context()); err != nil {
		s.Fatal(err)
	}
}

func (s *shop) put(item map[string]types.AttributeValue) {
	s.Helper()
	_, table := s.App.Store.Raw()
	if err := table.Put(item).Run(s.Context()); err != nil {
		s.Fatal(err)
	}
}

func str(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

// amount is a stored amount.
func amount(text string) types.AttributeValue {
	v, err := money.MustParse(text, "EUR").MarshalDynamo()
	if err != nil {
		panic(err)
	}
	return v
}

// change rewrites one attribute of an item.
func (s *shop) change(item map[string]types.AttributeValue, name string, to types.AttributeValue) {
	s.Helper()
	s.before = append(s.before, maps.Clone(item))
	item[name] = to
	s.put(item)
}

// Where the books of a transaction are.
func (s *shop) transactions(id string) string {
	return s.tenant.String() + "#TRANSACTION#" + payments.CodeOfID(id)
}

func (s *shop) journal(id string) string {
	return s.tenant.String() + "#JOURNAL#" + payments.CodeOfID(id)
}

func (s *shop) rows() string { return s.tenant.String() + "#PAYABLE#EUR" }

// part is the row of a transaction's only part.
func (s *shop) part(id string) map[string]types.AttributeValue {
	s.Helper()
	_, table := s.App.Store.Raw()
	var all []map[string]types.AttributeValue
	if err := table.Get("pk", s.rows()).All(s.Context(), &all); err != nil {
		s.Fatal(err)
	}
	for _, row := range all {
		if text(row["id"]) == id+"#1" {
			return row
		}
	}
	s.Fatalf("no row of %s", id)
	return nil
}

// postings of a stored entry, of an account and an amount each.
func postings(of ...string) types.AttributeValue {
	var postings types.AttributeValueMemberL
	for i := 0; i < len(of); i += 2 {
		postings.Value = append(postings.Value, &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"account": str(of[i]), "amount": amount(of[i+1])}})
	}
	return &postings
}

// TestEveryCorruptionIsFoundAndNamed: whatever is done to any of the books, the report names it.
func TestEveryCorruptionIsFoundAndNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		corrupt func(*shop)
		want    []reconcile.Kind
		about   func(*shop) string // the id that some difference names; nil: any
	}{
		"a payment's entry is gone": {func(s *shop) { s.drop(s.item(s.journal(s.paid), "payment#")) },
			[]reconcile.Kind{"entry_missing", reconcile.OwedDiffers}, func(s *shop) string { return "payment " + s.paid }},
		"a refund's entry is gone": {func(s *shop) { s.dropFirst(s.journal(s.refunded), "refund#") },
			[]reconcile.Kind{"entry_missing", reconcile.OwedDiffers}, nil},
		"a charge-back's entry is gone": {func(s *shop) { s.drop(s.item(s.journal(s.chargedBack), "charge_back#")) },
			[]reconcile.Kind{"entry_missing", reconcile.OwedDiffers}, nil},
		"an entry has other amounts": {func(s *shop) {
			s.change(s.item(s.journal(s.paid), "payment#"), "postings", postings("acquirer_receivable", "10", "merchant_payable",
				"-9.80", "fee_income", "-0.20"))
		}, []reconcile.Kind{"entry_differs", "movement_differs", reconcile.OwedDiffers}, nil},
		"an entry is not balanced": {func(s *shop) {
			s.change(s.item(s.journal(s.paid), "payment#"), "postings", postings("acquirer_receivable", "10.10",
				"merchant_payable", "-9.90"))
		}, []reconcile.Kind{reconcile.Unbalanced, reconcile.BooksDiffer, "entry_differs"}, nil},
		"an entry has no cause": {func(s *shop) {
			entry := s.item(s.journal(s.paid), "payment#")
			entry["kind"], entry["id"] = str("refund"), str("nothing")
			s.change(entry, "sk", str("refund#nothing"))
		}, []reconcile.Kind{"entry_unfounded", "movement_missing", reconcile.OwedDiffers}, func(*shop) string {
			return "refund nothing"
		}},
		"a row is gone": {func(s *shop) {
			s.drop(s.part(s.paid))
		}, []reconcile.Kind{"row_missing", reconcile.OwedDiffers}, func(s *shop) string { return s.paid + "#1" }},
		"a deduction's row is gone": {func(s *shop) {
			s.drop(s.item(s.rows(), "DEBIT#"))
		}, []reconcile.Kind{"row_missing", reconcile.OwedDiffers}, nil},
		"a row has another amount": {func(s *shop) {
			s.change(s.part(s.paid), "amount", amount("9"))
		}, []reconcile.Kind{"row_differs", reconcile.OwedDiffers}, nil},
		"a row has another fee": {func(s *shop) {
			s.change(s.part(s.paid), "fee", amount("0.21"))
		}, []reconcile.Kind{"row_differs"}, nil},
		"a row stands twice": {func(s *shop) {
			s.change(s.part(s.paid), "sk", str("CREDIT#0000000000000000#again"))
		}, []reconcile.Kind{"row_twice", reconcile.OwedDiffers}, nil},
		"a row of no transaction": {func(s *shop) {
			row := s.part(s.paid)
			row["transaction_id"] = str("none")
			row["id"] = str("none#1")
			s.change(row, "sk", str("CREDIT#1"))
		}, []reconcile.Kind{"row_unfounded", reconcile.OwedDiffers}, func(*shop) string { return "none#1" }},
		"a transaction is gone": {func(s *shop) {
			s.drop(s.item(s.transactions(s.refunded), "TRANSACTION#"))
		}, []reconcile.Kind{reconcile.Orphan, "entry_unfounded", "row_unfounded"}, nil},
		"a transaction lost a refund": {func(s *shop) {
			s.change(s.item(s.transactions(s.refunded), "TRANSACTION#"), "refunded", amount("4.10"))
		}, []reconcile.Kind{reconcile.SumsDiffer}, func(s *shop) string { return s.refunded }},
		"more is refundable": {func(s *shop) {
			s.change(s.item(s.transactions(s.paid), "TRANSACTION#"), "refundable", amount("10.11"))
		}, []reconcile.Kind{reconcile.SumsDiffer}, nil},
		"more was captured": {func(s *shop) {
			s.change(s.item(s.transactions(s.paid), "TRANSACTION#"), "captured", amount("10.11"))
		}, []reconcile.Kind{"entry_differs", reconcile.SumsDiffer}, nil},
		"a captured one failed": {func(s *shop) {
			s.change(s.item(s.transactions(s.paid), "TRANSACTION#"), "status", str("FAILED"))
		}, []reconcile.Kind{reconcile.SumsDiffer}, nil},
		"an event is gone": {func(s *shop) {
			s.drop(s.item(s.transactions(s.chargedBack), "EVENT#"))
		}, []reconcile.Kind{"entry_unfounded", reconcile.SumsDiffer}, nil},
		"a refund in flight is gone": {func(s *shop) {
			s.drop(s.item(s.transactions(s.pending), "EVENT#"))
		}, []reconcile.Kind{reconcile.SumsDiffer}, func(s *shop) string { return s.pending }},
		"an event has another amount": {func(s *shop) {
			s.change(s.item(s.transactions(s.chargedBack), "EVENT#"), "amount", amount("8"))
		}, []reconcile.Kind{"entry_differs", reconcile.SumsDiffer}, nil},
		"an item cannot be read": {func(s *shop) {
			s.change(s.item(s.journal(s.paid), "payment#"), "postings", str("none"))
		}, []reconcile.Kind{reconcile.Unreadable, "entry_missing"}, nil},
		"an entry is misplaced": {func(s *shop) {
			s.change(s.item(s.journal(s.paid), "payment#"), "pk", str(s.journal(s.refunded)))
		},
			[]reconcile.Kind{reconcile.Misplaced}, func(s *shop) string { return s.paid }},
		"an entry is about something else": {func(s *shop) {
			about := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
				"subject": str("payout"), "id": str(s.paid)}}
			s.change(s.item(s.journal(s.paid), "payment#"), "about", about)
		}, []reconcile.Kind{reconcile.Misplaced}, func(s *shop) string { return s.paid }},
		"money is held for nothing": {func(s *shop) {
			s.put(map[string]types.AttributeValue{"pk": str(s.tenant.String() + "#HELD#EUR"), "sk": str("HELD"),
				"amount": amount("1")})
		}, []reconcile.Kind{reconcile.HeldDiffers}, nil},
		"a refund in flight is held, and nothing is": {func(s *shop) {
			s.change(s.item(s.transactions(s.pending), "EVENT#"), "held", &types.AttributeValueMemberBOOL{Value: true})
		}, []reconcile.Kind{reconcile.HeldDiffers}, nil},
		"a refund is stuck": {func(s *shop) {
			s.Clock.Advance(25 * time.Hour)
		}, []reconcile.Kind{reconcile.RefundStuck}, nil},

		"a movement is missing": {func(s *shop) { s.drop(s.item("SANDBOX#CHARGE#"+s.paid, "CAPTURE#")) },
			[]reconcile.Kind{"movement_missing"}, func(s *shop) string { return "capture " + s.paid }},
		"a charge-back's movement is missing": {func(s *shop) {
			s.drop(s.item("SANDBOX#CHARGE#"+s.chargedBack, "CHARGE_BACK#"))
		}, []reconcile.Kind{"movement_missing"}, nil},
		"a movement has another amount": {func(s *shop) {
			s.change(s.item("SANDBOX#CHARGE#"+s.paid, "CAPTURE#"), "amount", amount("10"))
		}, []reconcile.Kind{"movement_differs"}, nil},
		"money moved twice": {func(s *shop) {
			s.change(s.item("SANDBOX#CHARGE#"+s.paid, "CAPTURE#"), "sk", str("CAPTURE#again"))
		}, []reconcile.Kind{"movement_twice"}, nil},
		"a phantom movement": {func(s *shop) {
			s.phantom("00000000-0000-4000-8000-000000000000", s.tenant.String())
			s.Minute()
			s.Clock.Advance(24 * time.Hour)
		},
			[]reconcile.Kind{"movement_unfounded"}, func(*shop) string {
				return "capture 00000000-0000-4000-8000-000000000000"
			}},
		"money of nobody": {func(s *shop) {
			s.phantom("00000000-0000-4000-8000-000000000000", "")
			s.Minute()
			s.Clock.Advance(24 * time.Hour)
		},
			[]reconcile.Kind{"movement_unfounded"}, nil},
		"another tenant's movement": {func(s *shop) {
			s.change(s.item("SANDBOX#CHARGE#"+s.paid, "CAPTURE#"), "tenant", str("T#"+s.Other.Code))
			s.Minute()
			s.Clock.Advance(24 * time.Hour)
		},
			[]reconcile.Kind{"movement_unfounded", "movement_missing"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			test.corrupt(s)
			r := s.reconcile()
			for _, item := range s.before { // the world looks at the journal too, when it ends
				s.put(item)
			}
			for _, kind := range test.want {
				if !slices.ContainsFunc(r.Differences, func(d reconcile.Difference) bool { return d.Kind == kind }) {
					t.Errorf("no %s in %+v", kind, r.Differences)
				}
			}
			if r.Found != len(r.Differences) {
				t.Errorf("found %d, told %d", r.Found, len(r.Differences))
			}
			if test.about != nil && !slices.ContainsFunc(r.Differences, func(d reconcile.Difference) bool {
				return d.ID == test.about(s)
			}) {
				t.Errorf("none about %s: %+v", test.about(s), r.Differences)
			}
			for _, d := range r.Differences {
				if !strings.HasPrefix(d.Tenant, "T#") || d.Text == "" || d.ID == "" {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}

// dropFirst drops one of several items.
func (s *shop) dropFirst(pk, sk string) {
	s.Helper()
	_, table := s.App.Store.Raw()
	var all []map[string]types.AttributeValue
	if err := table.Get("pk", pk).Range("sk", dynamo.BeginsWith, sk).All(s.Context(), &all); err != nil || len(all) < 2 {
		s.Fatalf("%d items of %s %s, %v", len(all), pk, sk, err)
	}
	s.drop(all[0])
}

// phantom is a capture the platform never asked for.
func (s *shop) phantom(charge, tenant string) {
	s.Helper()
	movement := s.item("SANDBOX#CHARGE#"+s.paid, "CAPTURE#")
	movement["pk"], movement["id"], movement["tenant"] = str("SANDBOX#CHARGE#"+charge), str(charge), str(tenant)
	s.put(movement)
}

// What is under way at the acquirer is no difference yet.
func TestAMovementThatIsToBeRecordedIsOpen(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.phantom("00000000-0000-4000-8000-000000000000", s.tenant.String())
	if r := s.reconcile(); r.Found != 0 || r.Open != 2 || r.Suspects != 1 {
		t.Errorf("%+v", r)
	}
}
