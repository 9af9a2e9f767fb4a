package payments

import (
	"fmt"
	"math/rand/v2"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// administer is a scenario of operators who get in each other's way: two open
// the same merchant under different names, two rotate one secret, a key is
// made and revoked, callbacks are replayed.
func (s *order) administer() {
	code := fmt.Sprintf("MC%08d", 10_000_000+s.RNG.IntN(1000))
	for i := range 2 {
		s.StartClient("operator", i, func(actor string, _ *rand.Rand) {
			s.Command(actor, `{"command":"create_merchant","name":"Nr. %d","email":"n@example.com","country":"DE",`+
				`"currency":"EUR","merchant_code":%q}`, i, code)
			s.Command(actor, `{"command":"rotate_callback_secret","merchant_code":%q,"force":true}`, s.Merchant)
			s.Command(actor, `{"command":"replay_callbacks","merchant_code":%q,"from":"2026-11-01T00:00:00Z",`+
				`"to":"2027-11-01T00:00:00Z"}`, s.Merchant)
		})
	}
	s.StartClient("operator", 2, s.lendKey)
}

// lendKey makes a key, uses it and revokes it: from then on it is refused.
func (s *order) lendKey(actor string, _ *rand.Rand) {
	var made struct {
		Key struct{ ID, Plaintext string } `json:"api_key"`
	}
	mode := map[string]string{"T": "test", "L": "live"}[s.Tenant[:1]]
	command := fmt.Sprintf(`{"command":"create_api_key","merchant_code":%q,"mode":%q,"name":"lent"}`, s.Merchant, mode)
	if !s.Operate(actor, command, &made) || made.Key.ID == "" {
		return
	}
	list := client.Request{Method: "GET", Path: "/v0.1/checkouts", APIKey: made.Key.Plaintext}
	s.Send(actor, s.Tenant, list)
	revoke := fmt.Sprintf(`{"command":"revoke_api_key","merchant_code":%q,"mode":%q,"key_id":%q}`,
		s.Merchant, mode, made.Key.ID)
	if !s.Operate(actor, revoke, nil) {
		return
	}
	if s.Answers[len(s.Answers)-1].Code() != "" {
		return
	}
	if answer := s.Send(actor, s.Tenant, list); answer.Status == 200 {
		s.Find("", "a revoked key still works")
	}
}
