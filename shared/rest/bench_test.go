package rest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// cannedTable answers without a network: every read finds one credential and its merchant, and every write succeeds.
type cannedTable struct {
	full int64
	key  identity.APIKey
}

func (c cannedTable) Do(r *http.Request) (*http.Response, error) {
	body := fmt.Sprintf(`{"Attributes":{"full_at":{"N":"%d"}}}`, c.full)
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchGetItem") {
		body = fmt.Sprintf(`{"Responses":{"cashwrap":[`+
			`{"pk":{"S":"KEY#%s"},"sk":{"S":"KEY#%s"},"id":{"S":"key_1"},"kind":{"S":"secret"},`+
			`"tenant":{"M":{"mode":{"S":"T"},"merchant_code":{"S":"%s"}}},"scopes":{"SS":["things"]}},`+
			`{"pk":{"S":"MERCHANT#%[3]s"},"sk":{"S":"MERCHANT"},"code":{"S":"%[3]s"},"name":{"S":"Shop"}}]}}`,
			c.key.Tenant, c.key.TokenHash, c.key.Tenant.Merchant)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body))}, nil
}

// payment is a request with about as many fields as the platform's largest request.
type payment struct {
	ID          string        `path:"id"`
	Amount      money.Literal `json:"amount"`
	Currency    string        `json:"currency"`
	Reference   string        `json:"checkout_reference"`
	Merchant    string        `json:"merchant_code"`
	Description string        `json:"description"`
	ReturnURL   string        `json:"return_url"`
	ValidUntil  time.Time     `json:"valid_until"`
	Type        string        `json:"payment_type"`
	Card        struct {
		Name   string `json:"name"`
		Number string `json:"number"`
		Month  string `json:"expiry_month"`
		Year   string `json:"expiry_year"`
		CVV    string `json:"cvv"`
	} `json:"card"`
	Details struct {
		FirstName string `json:"first_name"`
		LastName  string `json:"last_name"`
		Address   struct {
			Line1   string `json:"line_1"`
			City    string `json:"city"`
			Country string `json:"country"`
		} `json:"address"`
	} `json:"personal_details"`
}

func pay(_ context.Context, in payment) (textResponse, error) { return textResponse{in.Reference}, nil }

// BenchmarkAuthenticatedRequest measures a whole request without the network.
func BenchmarkAuthenticatedRequest(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	key, token, err := identity.NewAPIKey(tenant, identity.BootstrapKey(), now)
	if err != nil {
		b.Fatal(err)
	}
	s := store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1", HTTP: cannedTable{now.UnixMicro(), key},
		Credentials: credentials.NewStaticCredentialsProvider("none", "none", ""), Now: func() time.Time { return now }})
	routes := []rest.Route{
		route("POST", "/v0.1/checkouts", pay),
		route("GET", "/v0.1/checkouts", pay),
		route("GET", "/v0.1/checkouts/{id}", pay),
		route("PUT", "/v0.1/checkouts/{id}", pay),
		route("DELETE", "/v0.1/checkouts/{id}", pay),
		route("PATCH", "/v0.1/checkouts/{id}", pay),
		route("GET", "/v0.1/checkouts/{id}/payment-methods", pay),
		route("GET", "/v0.1/merchants/{merchant_code}/payment-methods", pay),
		route("POST", "/v0.1/checkouts/{id}/complete_payment", pay),
		route("GET", "/pay/c-{id}", pay),
	}
	f := &fixture{secret: token, handler: rest.New(rest.Config{Routes: routes, Store: s, HashKey: hashKey,
		Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})}
	for _, test := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"create", "POST", "/v0.1/checkouts", rest.TypicalBody, http.StatusOK},
		{"create-once", "POST", "/v0.1/checkouts", rest.TypicalBody, http.StatusOK},
		{"read", "GET", "/v0.1/checkouts/3f2c9a41-8a57-4f0e-9d0b-6d1f3c2b7a10", "", http.StatusOK},
		{"worst", "PUT", "/v0.1/checkouts/3f2c9a41-8a57-4f0e-9d0b-6d1f3c2b7a10", rest.WorstBody(), http.StatusOK},
		{"not-found", "GET", "/v0.1/checkouts/3f2c9a41-8a57-4f0e-9d0b-6d1f3c2b7a10/", "", http.StatusNotFound},
		{"not-allowed", "POST", "/v0.1/checkouts/3f2c9a41-8a57-4f0e-9d0b-6d1f3c2b7a10", "", http.StatusMethodNotAllowed},
	} {
		b.Run(test.name, func(b *testing.B) {
			var header []string
			if test.name == "create-once" {
				header = []string{"Idempotency-Key: 1"}
			}
			b.ReportAllocs()
			for b.Loop() {
				if w := f.ask(test.method, test.path, test.body, header...); w.Code != test.status {
					b.Fatalf("%s %s: got %d %s, want %d", test.method, test.path, w.Code, w.Body, test.status)
				}
			}
		})
	}
}
