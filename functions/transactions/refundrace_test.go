package transactions_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// refunded returns the money that was refunded for a payment, according to the acquirer's records.
func refunded(s world.Shop, p world.Payment) string {
	s.Helper()
	moved, err := s.App.Sandbox.Moved(s.Context(), p.ID)
	if err != nil {
		s.Fatal(err)
	}
	return moved["refund"].String()
}

// TestRefund_HundredConcurrentFull checks that only one of a hundred full refunds succeeds, and that all others are
// refused.
func TestRefund_HundredConcurrentFull(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	counted := s.DoConcurrently(100, world.Request{Method: "POST", Path: "/v0.1/me/refund/" + p.ID})
	if counted[http.StatusNoContent] != 1 || counted[http.StatusConflict] != 99 {
		t.Errorf("statuses: got %v, want 204 once and 409 99 times", counted)
	}
	wantSummary(s, p, "REFUNDED, REFUND REFUNDED 10.10, PAYOUT_DEDUCTION PENDING 0.20")
	if moved := refunded(s, p); moved != "10.10" {
		t.Errorf("the acquirer gave back: got %s, want 10.10", moved)
	}
	checkBalances(s, "0.20", "0.00")
}

// TestRefund_ManyConcurrentPartial checks that each successful request makes one refund, and that a refused request
// makes none.
func TestRefund_ManyConcurrentPartial(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10")
	many := 100
	if enginetest.OnDynamoDBLocal() { // slow: more requests would wait longer than they may
		many = 25
	}
	counted := s.DoConcurrently(many, world.Request{Method: "POST", Path: "/v0.1/me/refund/" + p.ID,
		Body: map[string]any{"amount": 0.5}})
	if late := counted[http.StatusGatewayTimeout]; late > 0 && enginetest.OnDynamoDBLocal() {
		// A busy machine may need longer than the 10 s in which package processing records an outcome. The sweep then asks
		// the acquirer.
		counted[http.StatusNoContent] += late
		for range late { // the polls contend, too
			s.PassMinute()
		}
	}
	made := strings.Count(summary(s, p), "REFUND REFUNDED 0.50")
	if made != counted[http.StatusNoContent] || made == 0 || made > 20 || made+counted[http.StatusConflict] != many {
		t.Errorf("got %d refunds, statuses %v, want 1 to 20 refunds, as many 204, and 409 for the rest", made, counted)
	}
	if rest := refundV0(s, p, ""); (rest.Status == http.StatusNoContent) != (made < 20) {
		t.Errorf("the rest after %d refunds: got %d %s, want 204: %t", made, rest.Status, rest.Body, made < 20)
	}
	if moved := refunded(s, p); moved != "10.00" {
		t.Errorf("the acquirer gave back: got %s, want 10.00", moved)
	}
	checkBalances(s, "0.20", "0.00")
}

// TestIdempotencyKey_HundredConcurrentRefunds checks that a hundred requests with the same key make one refund.
func TestIdempotencyKey_HundredConcurrentRefunds(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("10.10")
		request := f.request(s, p, "1")
		request.IdempotencyKey = "once"
		counted := s.DoConcurrently(100, request)
		if counted[f.ok] == 0 || counted[f.ok]+counted[http.StatusConflict] != 100 {
			t.Errorf("statuses: got %v, want %d at least once, and 409 for the rest", counted, f.ok)
		}
		again := s.Do(request)
		f.checkDone(t, again)
		if again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("headers: got %v, want Idempotency-Replayed: true", again.Header)
		}
		wantSummary(s, p, "REFUNDED, REFUND REFUNDED 1.00, left 9.10")
		request.Body = map[string]any{"amount": 2}
		if reused := s.Do(request); reused.Status != http.StatusUnprocessableEntity {
			t.Errorf("the key for another amount: got %d %s, want 422", reused.Status, reused.Body)
		}
	})
}

// TestIdempotencyKey_RefusedByRunningRefund checks that a refusal because of a running refund is not stored. The
// running refund only holds its money, so a client may later ask for that money with the same key (contract §2.8).
func TestIdempotencyKey_RefusedByRunningRefund(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Pay(s.Create("50", nil), s.Card(world.Frictionless))
		s.Refund(p, world.Unanswered)
		s.Refund(p, "7.75")
		request := f.request(s, p, "1")
		request.IdempotencyKey = "meanwhile"
		for _, replayed := range []string{"", "", "true"} { // the refund ends before the second request
			got := s.Do(request)
			if conflict.Check(t, got); got.Header.Get("Idempotency-Replayed") != replayed {
				t.Errorf("replayed: got %q, want %q", got.Header.Get("Idempotency-Replayed"), replayed)
			}
			s.PassMinute()
		}
	})
}

// isUnanswered returns true if a client must repeat its request after this response.
func isUnanswered(r world.Response) bool {
	return r.Status >= 500 || r.Status == 424 || r.Text("error_code") == "IDEMPOTENCY_IN_PROGRESS"
}
