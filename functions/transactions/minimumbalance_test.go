package transactions_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/functions/transactions"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// TestRefund_MinimumBalance checks that refunds of a live merchant cannot reduce its balance below the minimum
// (contract §6.4). The platform has no acquirer for live mode, so the test provides one.
func TestRefund_MinimumBalance(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.App.Acquirers[identity.Live] = s.App.Sandbox
	s = s.NewLiveShop()
	id := paidLive(s)
	notEnough := world.Refused(409, "NOT_ENOUGH_BALANCE", "", "conflict")
	// The platform owes the merchant 10 less the fee of 0.20, which is 9.80.
	setMinimumBalance(s, "9.81")
	notEnough.Check(t, refundLive(s, "/v0.1/me/refund/"+id, `{"amount":0.01}`))
	setMinimumBalance(s, "4.80")
	notEnough.Check(t, refundLive(s, "/v1.0/merchants/"+s.Merchant.Code+"/payments/"+id+"/refunds", `{"amount":5.01}`))
	s.Want("to the minimum", 204, refundLive(s, "/v0.1/me/refund/"+id, `{"amount":5}`))
	notEnough.Check(t, refundLive(s, "/v0.1/me/refund/"+id, ""))
	setMinimumBalance(s, "") // "" is the contract's default, −1000
	s.Want("to the contract's minimum", 201,
		refundLive(s, "/v1.0/merchants/"+s.Merchant.Code+"/payments/"+id+"/refunds", ""))
}

// paidLive creates a paid live transaction of 10 EUR.
func paidLive(s world.Shop) string {
	s.Helper()
	tenant := identity.Tenant{Mode: identity.Live, Merchant: s.Merchant.Code}
	c, err := s.App.Store.CreateCheckout(s.Context(), tenant, payments.Checkout{ID: uuid.NewString(), Reference: "order",
		Amount: money.MustParse("10", "EUR"), Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout,
		CreatedAt: s.Clock.Now(),
		Payee:     payments.Payee{Code: s.Merchant.Code, FeeRate: "0.0195"}})
	if err != nil {
		s.Fatal(err)
	}
	paid, _, err := s.App.Processing.Start(s.Context(), tenant, processing.PaymentRequest{CheckoutID: c.ID,
		Operation: uuid.NewString(),
		Method:    payments.CardMethod, Installments: 1, Card: &payments.Card{Name: "Ada",
			Number:      secret.New(world.Frictionless),
			ExpiryMonth: "12", ExpiryYear: "2030", CVV: secret.New(world.CVV)}})
	if err != nil || paid.Status != payments.CheckoutPaid {
		s.Fatalf("pay: got %s, %v, want %s", paid.Status, err, payments.CheckoutPaid)
	}
	return paid.Transactions[0].ID
}

func setMinimumBalance(s world.Shop, minimum string) {
	s.Helper()
	s.Command("update_merchant", map[string]any{"refund_floor": minimum})
}

// refundLive sends a request to the family over s.App, which has the test's acquirer for live mode.
func refundLive(s world.Shop, path, body string) world.Response {
	s.Helper()
	request := httptest.NewRequestWithContext(s.Context(), "POST", path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+s.Merchant.Key.Plaintext)
	recorder := httptest.NewRecorder()
	s.App.Handler(transactions.Routes(s.App)).ServeHTTP(recorder, request)
	return world.Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
}
