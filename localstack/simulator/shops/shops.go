// Package shops has the merchants of a simulated world, and what clients of most workloads do with one checkout.
package shops

import (
	"fmt"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

// Shop is a tenant with its API key: a merchant in one mode.
type Shop struct {
	Tenant, Merchant, Token string
	Currency                string
	All                     []*Shop // of the world
}

// Live reports whether the shop takes real money.
func (s *Shop) Live() bool { return strings.HasPrefix(s.Tenant, "L#") }

// Open has an operator make the merchants: a sandbox one in Germany, and one in Brazil
// that is live and has a test key.
func Open(w *simulator.World) (shops []*Shop) {
	w.Go(simulator.Clients, func() { shops = makeMerchants(w) })
	w.Steer(simulator.Clients)
	return shops
}

func makeMerchants(w *simulator.World) []*Shop {
	var german, brazilian struct {
		Code   string                     `json:"merchant_code"`
		Key    struct{ Plaintext string } `json:"api_key"`
		Second struct{ Plaintext string } `json:"test_api_key"`
	}
	w.Operate("operator", fmt.Sprintf(`{"command":"create_merchant","name":"Kaffeehaus","email":"k@example.com",`+
		`"country":"DE","currency":"EUR","sandbox":true,"shards":%d}`, SomeShards(w, 0)), &german)
	w.Operate("operator", fmt.Sprintf(`{"command":"create_merchant","name":"Padaria","email":"p@example.com",`+
		`"country":"BR","currency":"BRL","test_key":true,"shards":%d}`, SomeShards(w, 1)), &brazilian)
	shops := []*Shop{
		{Tenant: "T#" + german.Code, Merchant: german.Code, Token: german.Key.Plaintext, Currency: "EUR"},
		{Tenant: "T#" + brazilian.Code, Merchant: brazilian.Code, Token: brazilian.Second.Plaintext, Currency: "BRL"},
		{Tenant: "L#" + brazilian.Code, Merchant: brazilian.Code, Token: brazilian.Key.Plaintext, Currency: "BRL"},
	}
	for _, s := range shops {
		s.All = shops
	}
	return shops
}

// SomeShards is how many a merchant has at first. It may grow when a write of its
// payments is throttled.
func SomeShards(w *simulator.World, merchant int) int {
	rng := w.Random(3_000 + merchant) // random numbers of its own: it came later
	return []int{1, 1, 2, 4}[rng.IntN(4)]
}

// Recover lets the platform recover once the clients are done. At rest, every chargeback is reported once more: one
// that the issuer has made is a fact, and must be recorded as soon as no refund is under way that counts on the same
// money.
func Recover(w *simulator.World) {
	w.Steer(simulator.Clients, simulator.Stragglers)
	w.Recover(func() { RepeatChargebacks(w) })
}

// Pick returns one of the shops: mostly the first.
func Pick(w *simulator.World, shops []*Shop) *Shop {
	return shops[[]int{0, 0, 0, 0, 1, 1, 1, 2}[w.RNG.IntN(8)]]
}
