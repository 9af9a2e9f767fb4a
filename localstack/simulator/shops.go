package simulator

import (
	"fmt"
	"strings"
)

// shop is a tenant with its API key: a merchant in one mode.
type shop struct {
	tenant, merchant, token string
	currency                string
	all                     []*shop // of the world
}

func (s *shop) live() bool { return strings.HasPrefix(s.tenant, "L#") }

// openShops has an operator make the merchants: a sandbox one in Germany, and one in Brazil
// that is live and has a test key.
func openShops(w *World) (shops []*shop) {
	w.run(clients, func() { shops = makeMerchants(w) })
	w.steer(clients)
	return shops
}

func makeMerchants(w *World) []*shop {
	var german, brazilian struct {
		Code   string                     `json:"merchant_code"`
		Key    struct{ Plaintext string } `json:"api_key"`
		Second struct{ Plaintext string } `json:"test_api_key"`
	}
	w.operate("operator", fmt.Sprintf(`{"command":"create_merchant","name":"Kaffeehaus","email":"k@example.com",`+
		`"country":"DE","currency":"EUR","sandbox":true,"shards":%d}`, someShards(w, 0)), &german)
	w.operate("operator", fmt.Sprintf(`{"command":"create_merchant","name":"Padaria","email":"p@example.com",`+
		`"country":"BR","currency":"BRL","test_key":true,"shards":%d}`, someShards(w, 1)), &brazilian)
	shops := []*shop{
		{tenant: "T#" + german.Code, merchant: german.Code, token: german.Key.Plaintext, currency: "EUR"},
		{tenant: "T#" + brazilian.Code, merchant: brazilian.Code, token: brazilian.Second.Plaintext, currency: "BRL"},
		{tenant: "L#" + brazilian.Code, merchant: brazilian.Code, token: brazilian.Key.Plaintext, currency: "BRL"},
	}
	for _, s := range shops {
		s.all = shops
	}
	return shops
}

// someShards is how many a merchant has at first. It may grow when a write of its
// payments is throttled.
func someShards(w *World, merchant int) int {
	rng := w.random(3_000 + merchant) // random numbers of its own: it came later
	return []int{1, 1, 2, 4}[rng.IntN(4)]
}

// recoverShops lets the platform recover once the clients are done. At rest, every chargeback is reported once more: one
// that the issuer has made is a fact, and must be recorded as soon as no refund is under way that counts on the same money.
func recoverShops(w *World) {
	w.steer(clients, stragglers)
	w.recover(func() { repeatChargebacks(w) })
}

// pickShop returns one of the shops: mostly the first.
func pickShop(w *World, shops []*shop) *shop {
	return shops[[]int{0, 0, 0, 0, 1, 1, 1, 2}[w.rng.IntN(8)]]
}
