package capacity_test

import (
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// crowdedShop is a merchant more payers come to than one shard takes.
type crowdedShop struct {
	world.Shop
	sold []string // checkouts that were paid, in the order of their creation
	paid []world.Payment
}

// aSecond is how many payments a second a shard takes in these tests, where 500 would take long.
const aSecond = 20

func newCrowdedShop(t *testing.T) *crowdedShop {
	t.Helper()
	s := &crowdedShop{Shop: world.NewShop(t)}
	s.SetPayout(map[string]any{"holder": "Markt", "iban": sandbox.PaidIBAN})
	return s
}

// sell has many payers come within one second and counts those who met an error of ours.
func (s *crowdedShop) sell(many int) (refused int) {
	s.Helper()
	for range many {
		made := s.Send("POST", "/v0.1/checkouts", s.CheckoutBody("10"))
		if made.Status != http.StatusCreated {
			refused++
			continue
		}
		paid := s.ProcessCheckout(made.Text("id"), s.Card(world.Frictionless))
		if paid.Status != http.StatusOK {
			refused++
		}
		s.sold = append(s.sold, made.Text("id"))
	}
	return refused
}

// shards is the merchant's number.
func (s *crowdedShop) shards() int {
	s.Helper()
	m, err := s.App.Store.Merchant(s.Context(), s.Merchant.Code)
	if err != nil {
		s.Fatal(err)
	}
	return m.ShardCount()
}

// grow sells more than one shard takes until nobody is refused, for a second every few minutes.
func (s *crowdedShop) grow(many int) {
	s.Helper()
	for want := 1; ; want *= 2 {
		if got := s.shards(); got != want {
			s.Fatalf("got %d shards, want %d", got, want)
		}
		refused := s.sell(many)
		s.Logf("%d shards: %d of %d refused", want, refused, many)
		if refused == 0 {
			if want == 1 {
				s.Fatalf("got nobody refused by one shard, want more than none of %d", many)
			}
			break
		}
		if want >= 16 {
			s.Fatalf("got %d refused by %d shards, want none", refused, want)
		}
		s.PassMinute()
		s.Clock.Advance(2 * time.Minute) // also ends what was refused in the middle
	}
	s.Clock.Advance(2 * time.Minute)
	s.PassMinute()
}

// TestAMerchantGrowsUntilItIsNoLongerThrottled, and all that reads its shards finds everything.
func TestAMerchantGrowsUntilItIsNoLongerThrottled(t *testing.T) {
	t.Parallel()
	s := newCrowdedShop(t)
	hot := s.LimitPartitions(2 * aSecond)
	s.grow(2 * aSecond)
	if hot.Throttled() == 0 {
		t.Error("got no throttled request, want some")
	}
	other := s.OtherShop()
	if m, err := s.App.Store.Merchant(t.Context(), other.Merchant.Code); err != nil || m.ShardCount() != 1 {
		t.Errorf("the other merchant: got %d shards (%v), want 1", m.ShardCount(), err)
	}
	s.wantAllRead()
	for _, p := range s.payments()[:3] {
		s.Refund(p, "4")
	}
	s.wantPaidOut()
	for _, p := range s.payments()[3:6] { // has been paid out: a debit
		s.Refund(p, "3")
	}
	s.sell(3)
	s.wantPaidOut()
}

// payments are those of the checkouts that are paid.
func (s *crowdedShop) payments() []world.Payment {
	s.Helper()
	if s.paid != nil {
		return s.paid
	}
	for _, id := range s.sold {
		var c struct {
			Status       string
			Transactions []struct{ ID string }
		}
		if err := s.Checkout(id).Into(&c); err != nil {
			s.Fatal(err)
		}
		if c.Status == "PAID" {
			s.paid = append(s.paid, world.Payment{Checkout: id, ID: c.Transactions[len(c.Transactions)-1].ID})
		}
	}
	return s.paid
}

// wantAllRead: the list has all checkouts, and the history, page by page in both directions, all payments.
func (s *crowdedShop) wantAllRead() {
	s.Helper()
	var listed []struct{ ID string }
	if err := s.Send("GET", "/v0.1/checkouts", nil).Into(&listed); err != nil {
		s.Fatal(err)
	}
	var ids []string
	for _, c := range listed {
		ids = append(ids, c.ID)
	}
	want := slices.Clone(s.sold)
	slices.Sort(want)
	if sorted := slices.Sorted(slices.Values(ids)); !slices.Equal(sorted, want) {
		s.Errorf("got %d checkouts listed, want the %d that were created", len(sorted), len(want))
	}
	for _, order := range []string{"ascending", "descending"} {
		if got := s.walk(order); len(got) != len(s.payments()) {
			s.Errorf("%s: got %d payments in the history, want %d", order, len(got), len(s.payments()))
		}
	}
}

// walk is the history by pages; no payment may come twice.
func (s *crowdedShop) walk(order string) map[string]bool {
	s.Helper()
	found, last := map[string]bool{}, ""
	query := url.Values{"limit": {"7"}, "order": {order}}.Encode()
	for query != "" {
		var page struct {
			Items []struct {
				ID        string `json:"transaction_id"`
				Timestamp string
			}
			Links []struct{ Rel, Href string }
		}
		if err := s.Send("GET", "/v2.1/merchants/"+s.Merchant.Code+"/transactions/history?"+query, nil).
			Into(&page); err != nil {
			s.Fatal(err)
		}
		query = ""
		for _, item := range page.Items {
			if found[item.ID] {
				s.Errorf("%s: got %s twice, want it once", order, item.ID)
			}
			if last != "" && (order == "ascending") != (last <= item.Timestamp) && last != item.Timestamp {
				s.Errorf("got %s after %s, want them %s", item.Timestamp, last, order)
			}
			found[item.ID], last = true, item.Timestamp
		}
		for _, link := range page.Links {
			if link.Rel == "next" {
				query = link.Href
			}
		}
	}
	return found
}

// wantPaidOut: a day later all that waited is paid out, and reconcile finds no break.
func (s *crowdedShop) wantPaidOut() {
	s.Helper()
	for range 3 {
		s.Clock.Advance(24 * time.Hour)
		s.RunPayouts()
		s.Clock.Advance(16 * time.Minute)
		s.RunPayouts()
	}
	if state := s.PayoutState(s.Merchant); len(state.Payables) > 0 {
		s.Errorf("got %d payables that wait, want none", len(state.Payables))
	}
	s.CheckPayouts()
	if found := s.Reconcile().Found; found != 0 {
		s.Errorf("got %d breaks, want none", found)
	}
}

// TestAMerchantGrowsWhileItSellsAndIsPaidOut: by an operator, as by itself.
func TestAMerchantGrowsWhileItSellsAndIsPaidOut(t *testing.T) {
	t.Parallel()
	s := newCrowdedShop(t)
	s.sell(12)
	var running sync.WaitGroup
	for shards := 2; shards <= 16; shards *= 2 {
		running.Go(func() { s.RunPayouts() })
		running.Go(func() { s.Command("update_merchant", map[string]any{"shards": shards}) })
		s.sell(12)
		running.Wait()
		s.Clock.Advance(24 * time.Hour)
	}
	s.wantAllRead()
	s.wantPaidOut()
}

// TestATableThatIsThrottledAsAWholeMakesNobodyGrow: little is sold, so more shards would not help.
func TestATableThatIsThrottledAsAWholeMakesNobodyGrow(t *testing.T) {
	t.Parallel()
	s := newCrowdedShop(t)
	s.sell(1)
	s.LimitPartitions(1)
	if refused := s.sell(1); refused != 1 {
		t.Errorf("got %d refused, want one", refused)
	}
	s.LimitPartitions(0)
	for range 3 {
		s.Clock.Advance(2 * time.Minute)
		s.PassMinute()
	}
	if got := s.shards(); got != 1 {
		t.Errorf("got %d shards, want 1", got)
	}
}
