package capacity_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// BenchmarkPayment creates, pays and reads a checkout. These are three requests through API Gateway events, the real
// handlers and the whole SDK. Table, queues and the sandbox acquirer are in memory.
func BenchmarkPayment(b *testing.B) {
	w := world.New(b)
	send := func(method, path, body string, want int) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(b.Context(), method, path, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+w.Merchant.Key.Plaintext)
		request.Header.Set("Content-Type", "application/json")
		response := httptest.NewRecorder()
		w.Main().Handler().ServeHTTP(response, request)
		if response.Code != want {
			b.Fatalf("%s %s: got %d %s, want %d", method, path, response.Code, response.Body, want)
		}
		return response
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		created := send(http.MethodPost, "/v0.1/checkouts", fmt.Sprintf(
			`{"checkout_reference":"order-%d","amount":10.10,"currency":"EUR","merchant_code":%q}`, n, w.Merchant.Code),
			http.StatusCreated)
		id := world.Response{Body: created.Body.Bytes()}.Text("id")
		send(http.MethodPut, "/v0.1/checkouts/"+id, `{"payment_type":"card","card":{"name":"Ada","number":"`+
			world.Frictionless+
			`","expiry_month":"12","expiry_year":"2030","cvv":"`+world.CVV+`"}}`, http.StatusOK)
		send(http.MethodGet, "/v0.1/checkouts/"+id, "", http.StatusOK)
	}
}
