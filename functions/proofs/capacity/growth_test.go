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

// crowdedShop is a merchant with more payers than one shard can take.
type crowdedShop struct {
	world.Shop
	sold []string // paid checkouts in the order of their creation
	paid []world.Payment
}

// shardRate is the number of payments per second that a shard takes in these tests. The real 500 would take too long.
const shardRate = 20

func newCrowdedShop(t *testing.T) *crowdedShop {
	t.Helper()
	s := &crowdedShop{Shop: world.NewShop(t)}
	s.SetPayout(map[string]any{"holder": "Markt", "iban": sandbox.PaidIBAN})
	return s
}

// sell lets many payers pay within one second. It returns the number of payers that got an error from the platform.
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

// readShards returns the merchant's number of shards.
func (s *crowdedShop) readShards() int {
	s.Helper()
	m, err := s.App.Store.Merchant(s.Context(), s.Merchant.Code)
	if err != nil {
		s.Fatal(err)
	}
	return m.ShardCount()
}

// grow lets a burst of payers pay every few minutes, until no payer is refused. A burst lasts a second, and has more
// payers than one shard can take.
func (s *crowdedShop) grow(many int) {
	s.Helper()
	for want := 1; ; want *= 2 {
		if got := s.readShards(); got != want {
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
		s.Clock.Advance(2 * time.Minute) // also ends interrupted payments
	}
	s.Clock.Advance(2 * time.Minute)
	s.PassMinute()
}

// TestShards_GrowUntilUnthrottled checks that shards grow until no payer is refused. It also checks that every reader
// of the shards finds everything.
func TestShards_GrowUntilUnthrottled(t *testing.T) {
	t.Parallel()
	s := newCrowdedShop(t)
	hot := s.LimitPartitions(2 * shardRate)
	s.grow(2 * shardRate)
	if hot.Throttled() == 0 {
		t.Error("got no throttled request, want some")
	}
	other := s.OtherShop()
	if m, err := s.App.Store.Merchant(t.Context(), other.Merchant.Code); err != nil || m.ShardCount() != 1 {
		t.Errorf("the other merchant: got %d shards (%v), want 1", m.ShardCount(), err)
	}
	s.wantAllRead()
	for _, p := range s.fetchPayments()[:3] {
		s.Refund(p, "4")
	}
	s.wantPaidOut()
	for _, p := range s.fetchPayments()[3:6] { // already paid out, so the refund is a debit
		s.Refund(p, "3")
	}
	s.sell(3)
	s.wantPaidOut()
}

// fetchPayments returns the payments of the paid checkouts.
func (s *crowdedShop) fetchPayments() []world.Payment {
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

// wantAllRead checks that the list has all checkouts and the history all payments. The history is read page by page in
// both directions.
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
		if got := s.walkHistory(order); len(got) != len(s.fetchPayments()) {
			s.Errorf("%s: got %d payments in the history, want %d", order, len(got), len(s.fetchPayments()))
		}
	}
}

// walkHistory reads the history page by page and fails on a payment that comes twice.
func (s *crowdedShop) walkHistory(order string) map[string]bool {
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

// wantPaidOut lets a day pass, and checks that no payable is left and reconcile finds no break.
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

// TestShards_GrowDuringSalesAndPayouts checks that nothing is lost while an operator's command raises the number of
// shards.
func TestShards_GrowDuringSalesAndPayouts(t *testing.T) {
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

// TestShards_TableThrottled checks that a merchant with few sales gets no more shards, because more shards would not
// help.
func TestShards_TableThrottled(t *testing.T) {
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
	if got := s.readShards(); got != 1 {
		t.Errorf("got %d shards, want 1", got)
	}
}
