package checkouts_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestProcessCheckout_LimitBySource checks that attempts with the public key are counted by network address, because
// all payers share that key. A payer at the limit blocks neither other payers nor the merchant (contract §2.9).
func TestProcessCheckout_LimitBySource(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	public, id := s.NewKey("public"), s.Create("10.10", nil)
	by := func(key, address, card string) world.Response {
		return s.Do(world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + id, Body: s.Card(card), APIKey: key,
			From: address})
	}
	for range 10 {
		s.Must(200, by(public, "2001:db8::1", failingCards[0]))
	}
	tooMany.Check(t, by(public, "2001:db8::2", failingCards[0])) // an address in the same /64
	tooMany.Check(t, by(s.NewKey("public"), "2001:db8::3", failingCards[0]))
	tooMany.Check(t, by(s.MerchantToken(), "2001:db8::4", failingCards[0]))
	s.Want("another payer", 200, by(public, "2001:db8:0:1::1", failingCards[0]))
	for range 10 {
		s.Must(200, by("", "2001:db8::1", failingCards[0]))
	}
	tooMany.Check(t, by("", "2001:db8:0:2::1", world.Frictionless))
	if got := by(s.NewKey("secret", "payments"), "2001:db8::1", world.Frictionless); got.Status != 200 ||
		got.Text("status") != "PAID" {
		t.Errorf("another of the merchant's keys: got %d %s, want 200 and PAID", got.Status, got.Body)
	}
}
