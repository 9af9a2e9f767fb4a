package reconcile_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// shop is a shop whose money has moved in every possible way except by payouts.
type shop struct {
	world.Shop
	paid, refunded, chargedBack, pending string                            // ids of transactions
	before                               []map[string]types.AttributeValue // items before the test changed them
	more                                 []bank.StatementLine              // bank lines besides the sandbox's
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Shop: world.NewShop(t)}
	s.paid, s.refunded, s.chargedBack, s.pending = s.Sell("10.10").ID, s.Sell("20").ID, s.Sell("30").ID, s.Sell("100").ID
	s.Pay(s.Create("42.01", nil), s.Card(world.Frictionless)) // a declined payment
	s.refund(s.refunded, "4.10")
	s.refund(s.refunded, "15.90") // more than the payable of the transaction, so the rest is a deduction
	s.Operate(map[string]any{"command": "charge_back", "merchant_code": s.Merchant.Code, "transaction": s.chargedBack,
		"id": "cb", "amount": json.Number("7")}, nil)
	s.refund(s.pending, "42.25") // the refund is executed, but the answer is lost
	s.Clock.Advance(time.Minute)
	return s
}

func (s *shop) refund(id, amount string) {
	s.Helper()
	s.Refund(world.Payment{ID: id}, amount)
}

func (s *shop) reconcile() reconcile.Report {
	s.Helper()
	report, err := reconcile.Run(s.Context(), reconcile.Config{Store: s.App.Store,
		Acquirers: s.App.Acquirers, Banks: s.banks()})
	if err != nil {
		s.Fatal(err)
	}
	return report
}

// sortedKinds returns the kinds of the report's breaks, sorted.
func sortedKinds(r reconcile.Report) []reconcile.BreakKind {
	all := make([]reconcile.BreakKind, len(r.Breaks))
	for i, b := range r.Breaks {
		all[i] = b.Kind
	}
	slices.Sort(all)
	return all
}

// hasBreakAbout returns true if a break is about the id.
func hasBreakAbout(r reconcile.Report, id string) bool {
	return slices.ContainsFunc(r.Breaks, func(b reconcile.Break) bool { return b.ID == id })
}

func TestRun_NoBreaks(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	// There are 4 captures, 2 refunds and a chargeback, and 4 parts and a deduction.
	want := reconcile.Report{At: s.Clock.Now(), Tenants: 1, Transactions: 5, Entries: 7, Payables: 5, Movements: 7,
		Open: 1, Totals: []reconcile.Total{
			{Account: "acquirer_receivable", Currency: "EUR", Amount: "133.10"},
			{Account: "fee_income", Currency: "EUR", Amount: "-3.12"},
			{Account: "merchant_payable", Currency: "EUR", Amount: "-129.98"},
			{Account: "payables", Currency: "EUR", Amount: "129.98"},
			{Account: "the acquirer's statement", Currency: "EUR", Amount: "133.10"},
		}}
	if diff := cmp.Diff(want, s.reconcile()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// Once the refund's outcome is known, everything is settled.
	s.PassMinute()
	if r := s.reconcile(); r.Found != 0 || r.Open != 0 || r.Entries != 8 || r.Movements != 8 {
		t.Errorf("got %+v, want no breaks, nothing open, 8 entries and 8 movements", r)
	}
}

// readItem reads the only item whose keys begin with pk and sk.
func (s *shop) readItem(pk, sk string) map[string]types.AttributeValue {
	s.Helper()
	_, table := s.App.Store.Raw()
	var all []map[string]types.AttributeValue
	if err := table.Scan().Filter("begins_with(pk, ?) AND begins_with(sk, ?)", pk, sk).All(
		s.Context(), &all); err != nil || len(all) != 1 {
		s.Fatalf("got %d items of %s %s, %v, want 1", len(all), pk, sk, err)
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

// amount returns the text as a stored amount.
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

// Partitions of a transaction and its entries.
func (s *shop) transactions(id string) string {
	return "TRANSACTION#" + s.Tenant().String() + "#" + payments.CodeOfID(id)
}

func (s *shop) journal(id string) string {
	return "JOURNAL#" + s.Tenant().String() + "#" + payments.CodeOfID(id)
}

func (s *shop) payables() string { return "PAYABLE#" + s.Tenant().String() + "#EUR" }

// part returns the payable of a transaction's only part.
func (s *shop) part(id string) map[string]types.AttributeValue {
	s.Helper()
	_, table := s.App.Store.Raw()
	var all []map[string]types.AttributeValue
	if err := table.Get("pk", s.payables()).All(s.Context(), &all); err != nil {
		s.Fatal(err)
	}
	for _, payable := range all {
		if text(payable["id"]) == id+"#1" {
			return payable
		}
	}
	s.Fatalf("got %v, want a payable of %s in it", all, id)
	return nil
}

// postings returns the postings of a stored entry. Its arguments are pairs of an account and an amount.
func postings(of ...string) types.AttributeValue {
	var postings types.AttributeValueMemberL
	for i := 0; i < len(of); i += 2 {
		postings.Value = append(postings.Value, &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"account": str(of[i]), "amount": amount(of[i+1])}})
	}
	return &postings
}

// TestRun_EachCorruption changes one record at a time and checks that the report names the change.
func TestRun_EachCorruption(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		corrupt func(*shop)
		want    []reconcile.BreakKind
		about   func(*shop) string // the id that a break must name; nil: any
	}{
		"a payment's entry is gone": {func(s *shop) { s.drop(s.readItem(s.journal(s.paid), "payment#")) },
			[]reconcile.BreakKind{"entry_missing", reconcile.PayablesDiffer}, func(s *shop) string {
				return "payment " + s.paid
			}},
		"a refund's entry is gone": {func(s *shop) { s.dropFirst(s.journal(s.refunded), "refund#") },
			[]reconcile.BreakKind{"entry_missing", reconcile.PayablesDiffer}, nil},
		"a chargeback's entry is gone": {func(s *shop) { s.drop(s.readItem(s.journal(s.chargedBack), "chargeback#")) },
			[]reconcile.BreakKind{"entry_missing", reconcile.PayablesDiffer}, nil},
		"an entry has other amounts": {func(s *shop) {
			s.change(s.readItem(s.journal(s.paid), "payment#"), "postings", postings("acquirer_receivable", "10",
				"merchant_payable", "-9.80", "fee_income", "-0.20"))
		}, []reconcile.BreakKind{"entry_differs", "movement_differs", reconcile.PayablesDiffer}, nil},
		"an entry is not balanced": {func(s *shop) {
			s.change(s.readItem(s.journal(s.paid), "payment#"), "postings", postings("acquirer_receivable", "10.10",
				"merchant_payable", "-9.90"))
		}, []reconcile.BreakKind{reconcile.Unbalanced, "entry_differs"}, nil},
		"an entry has no cause": {func(s *shop) {
			entry := s.readItem(s.journal(s.paid), "payment#")
			entry["kind"], entry["id"] = str("refund"), str("nothing")
			s.change(entry, "sk", str("refund#nothing"))
		}, []reconcile.BreakKind{"entry_unexpected", "movement_missing", reconcile.PayablesDiffer},
			func(*shop) string {
				return "refund nothing"
			}},
		"a payable is gone": {func(s *shop) {
			s.drop(s.part(s.paid))
		}, []reconcile.BreakKind{"payable_missing", reconcile.PayablesDiffer}, func(s *shop) string {
			return s.paid + "#1"
		}},
		"a deduction's payable is gone": {func(s *shop) {
			s.drop(s.readItem(s.payables(), "DEBIT#"))
		}, []reconcile.BreakKind{"payable_missing", reconcile.PayablesDiffer}, nil},
		"a payable has another amount": {func(s *shop) {
			s.change(s.part(s.paid), "amount", amount("9"))
		}, []reconcile.BreakKind{"payable_differs", reconcile.PayablesDiffer}, nil},
		"a payable has another fee": {func(s *shop) {
			s.change(s.part(s.paid), "fee", amount("0.21"))
		}, []reconcile.BreakKind{"payable_differs"}, nil},
		"a payable is stored twice": {func(s *shop) {
			s.change(s.part(s.paid), "sk", str("CREDIT#0000000000000000#again"))
		}, []reconcile.BreakKind{"payable_duplicate", reconcile.PayablesDiffer}, nil},
		"a payable of no transaction": {func(s *shop) {
			payable := s.part(s.paid)
			payable["transaction_id"] = str("none")
			payable["id"] = str("none#1")
			s.change(payable, "sk", str("CREDIT#1"))
		}, []reconcile.BreakKind{"payable_unexpected"}, func(*shop) string {
			return "none#1"
		}},
		"a transaction is gone": {func(s *shop) {
			s.drop(s.readItem(s.transactions(s.refunded), "TRANSACTION#"))
		}, []reconcile.BreakKind{reconcile.Orphan, "entry_unexpected", "payable_unexpected"}, nil},
		"a transaction lost a refund": {func(s *shop) {
			s.change(s.readItem(s.transactions(s.refunded), "TRANSACTION#"), "refunded", amount("4.10"))
		}, []reconcile.BreakKind{reconcile.SumsDiffer}, func(s *shop) string { return s.refunded }},
		"more is refundable": {func(s *shop) {
			s.change(s.readItem(s.transactions(s.paid), "TRANSACTION#"), "refundable", amount("10.11"))
		}, []reconcile.BreakKind{reconcile.SumsDiffer}, nil},
		"more was captured": {func(s *shop) {
			s.change(s.readItem(s.transactions(s.paid), "TRANSACTION#"), "captured", amount("10.11"))
		}, []reconcile.BreakKind{"entry_differs", reconcile.SumsDiffer}, nil},
		"a captured one failed": {func(s *shop) {
			s.change(s.readItem(s.transactions(s.paid), "TRANSACTION#"), "status", str("FAILED"))
		}, []reconcile.BreakKind{reconcile.SumsDiffer}, nil},
		"an event is gone": {func(s *shop) {
			s.drop(s.readItem(s.transactions(s.chargedBack), "EVENT#"))
		}, []reconcile.BreakKind{"entry_unexpected", reconcile.SumsDiffer}, nil},
		"a pending refund is gone": {func(s *shop) {
			s.drop(s.readItem(s.transactions(s.pending), "EVENT#"))
		}, []reconcile.BreakKind{reconcile.SumsDiffer}, func(s *shop) string { return s.pending }},
		"an event has another amount": {func(s *shop) {
			s.change(s.readItem(s.transactions(s.chargedBack), "EVENT#"), "amount", amount("8"))
		}, []reconcile.BreakKind{"entry_differs", reconcile.SumsDiffer}, nil},
		"an item cannot be read": {func(s *shop) {
			s.change(s.readItem(s.journal(s.paid), "payment#"), "postings", str("none"))
		}, []reconcile.BreakKind{reconcile.Unreadable, "entry_missing"}, nil},
		"an entry is misplaced": {func(s *shop) {
			s.change(s.readItem(s.journal(s.paid), "payment#"), "pk", str(s.journal(s.refunded)))
		},
			[]reconcile.BreakKind{reconcile.Misplaced}, func(s *shop) string { return s.paid }},
		"an entry is about something else": {func(s *shop) {
			about := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
				"subject": str("payout"), "id": str(s.paid)}}
			s.change(s.readItem(s.journal(s.paid), "payment#"), "about", about)
		}, []reconcile.BreakKind{reconcile.Misplaced}, func(s *shop) string { return s.paid }},
		"a reserve for nothing": {func(s *shop) {
			s.put(map[string]types.AttributeValue{"pk": str("RESERVE#" + s.Tenant().String() + "#EUR"), "sk": str("RESERVE"),
				"amount": amount("1")})
		}, []reconcile.BreakKind{reconcile.ReserveDiffers}, nil},
		"no reserve for a pending refund": {func(s *shop) {
			s.change(s.readItem(s.transactions(s.pending), "EVENT#"), "in_reserve", &types.AttributeValueMemberBOOL{Value: true})
		}, []reconcile.BreakKind{reconcile.ReserveDiffers}, nil},
		"a refund is stuck": {func(s *shop) {
			s.Clock.Advance(25 * time.Hour)
		}, []reconcile.BreakKind{reconcile.RefundStuck}, nil},

		"a movement is missing": {func(s *shop) { s.drop(s.readItem("SANDBOX#CHARGE#"+s.paid, "CAPTURE#")) },
			[]reconcile.BreakKind{"movement_missing"}, func(s *shop) string { return "capture " + s.paid }},
		"a chargeback's movement is missing": {func(s *shop) {
			s.drop(s.readItem("SANDBOX#CHARGE#"+s.chargedBack, "CHARGEBACK#"))
		}, []reconcile.BreakKind{"movement_missing"}, nil},
		"a movement has another amount": {func(s *shop) {
			s.change(s.readItem("SANDBOX#CHARGE#"+s.paid, "CAPTURE#"), "amount", amount("10"))
		}, []reconcile.BreakKind{"movement_differs"}, nil},
		"money moved twice": {func(s *shop) {
			s.change(s.readItem("SANDBOX#CHARGE#"+s.paid, "CAPTURE#"), "sk", str("CAPTURE#again"))
		}, []reconcile.BreakKind{"movement_duplicate"}, nil},
		"a addCapture movement": {func(s *shop) {
			s.addCapture("00000000-0000-4000-8000-000000000000", s.Tenant().String())
			s.PassMinute()
			s.Clock.Advance(24 * time.Hour)
		},
			[]reconcile.BreakKind{"movement_unexpected"}, func(*shop) string {
				return "capture 00000000-0000-4000-8000-000000000000"
			}},
		"a movement of no tenant": {func(s *shop) {
			s.addCapture("00000000-0000-4000-8000-000000000000", "")
			s.PassMinute()
			s.Clock.Advance(24 * time.Hour)
		},
			[]reconcile.BreakKind{"movement_unexpected"}, nil},
		"another tenant's movement": {func(s *shop) {
			s.change(s.readItem("SANDBOX#CHARGE#"+s.paid, "CAPTURE#"), "tenant", str("T#"+s.Other.Code))
			s.PassMinute()
			s.Clock.Advance(24 * time.Hour)
		},
			[]reconcile.BreakKind{"movement_unexpected", "movement_missing"}, nil},
		"a settlement is short": {func(s *shop) {
			s.reconcile() // has the movement that the sandbox then forgets
			s.drop(s.readItem("SANDBOX#CHARGE#"+s.paid, "CAPTURE#"))
			s.settle()
		}, []reconcile.BreakKind{reconcile.SettlementDiffers}, func(*shop) string { return "sbx-2026-11-21" }},
		"a settlement's entry has another kind": {func(s *shop) {
			s.settle()
			s.reconcile()
			s.change(s.readItem("JOURNAL#"+s.Tenant().String()+"#settlement#", "settlement#"), "kind",
				str("settlement_returned"))
		}, []reconcile.BreakKind{"entry_missing", "entry_unexpected"}, nil},
		"a settlement's line has another fee": {func(s *shop) {
			s.settle()
			s.reconcile()
			s.change(s.readItem("STATEMENT#"+s.Tenant().String()+"#settlement#", "settlement#"), "fee", amount("9"))
		}, []reconcile.BreakKind{"entry_differs", reconcile.SettlementDiffers}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			test.corrupt(s)
			r := s.reconcile()
			for _, item := range s.before { // put the items back: the world also checks the journal when the test ends
				s.put(item)
			}
			for _, kind := range test.want {
				if !slices.Contains(sortedKinds(r), kind) {
					t.Errorf("got %+v, want %s in it", r.Breaks, kind)
				}
			}
			if r.Found != len(r.Breaks) {
				t.Errorf("got %d found, want the %d reported", r.Found, len(r.Breaks))
			}
			if test.about != nil && !hasBreakAbout(r, test.about(s)) {
				t.Errorf("got %+v, want one about %s", r.Breaks, test.about(s))
			}
			for _, b := range r.Breaks {
				if !strings.HasPrefix(b.Tenant, "T#") || b.Text == "" || b.ID == "" {
					t.Errorf("got %+v, want tenant, text and id", b)
				}
			}
		})
	}
}

func (s *shop) dropFirst(pk, sk string) {
	s.Helper()
	_, table := s.App.Store.Raw()
	var all []map[string]types.AttributeValue
	if err := table.Get("pk", pk).Range("sk", dynamo.BeginsWith, sk).All(s.Context(), &all); err != nil || len(all) < 2 {
		s.Fatalf("got %d items of %s %s, %v, want at least 2", len(all), pk, sk, err)
	}
	s.drop(all[0])
}

// settle lets days pass, until the sandbox has settled all movements.
func (s *shop) settle() {
	s.Helper()
	s.PassMinute() // so that the outcome of the refund is known
	s.Clock.Advance(72 * time.Hour)
}

// addCapture adds a capture that the platform never requested.
func (s *shop) addCapture(charge, tenant string) {
	s.Helper()
	movement := s.readItem("SANDBOX#CHARGE#"+s.paid, "CAPTURE#")
	movement["pk"], movement["id"], movement["tenant"] = str("SANDBOX#CHARGE#"+charge), str(charge), str(tenant)
	s.put(movement)
}

// TestRun_RecentMovement checks that a movement whose outcome is pending at the acquirer is no break yet.
func TestRun_RecentMovement(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.addCapture("00000000-0000-4000-8000-000000000000", s.Tenant().String())
	if r := s.reconcile(); r.Found != 0 || r.Open != 2 {
		t.Errorf("got %+v, want no breaks and 2 open", r)
	}
}
