package rest_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// cannedTable answers in process: every read finds one credential and its
// merchant, every write grants.
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

// BenchmarkAuthenticatedRequest is a whole POST but for the network.
func BenchmarkAuthenticatedRequest(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	key, token, err := identity.NewAPIKey(tenant, identity.BootstrapKey(), now)
	if err != nil {
		b.Fatal(err)
	}
	s := store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1", HTTP: cannedTable{now.UnixMicro(), key},
		Credentials: credentials.NewStaticCredentialsProvider("none", "none", ""), Now: func() time.Time { return now }})
	handler := rest.New(rest.Config{Routes: []rest.Route{route("POST", "/things/{id}", echo)}, Store: s, HashKey: hashKey,
		Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	f := &fixture{handler: handler, secret: token}
	body := `{"amount":10.10,"name":"n","card":{"city":"Berlin"},"items":[{"city":"A"},{"city":"B"}],"meta":{"a":"1"}}`
	if w := f.ask("POST", "/things/1", body); w.Code != http.StatusOK {
		b.Fatalf("%d %s", w.Code, w.Body)
	}
	b.ReportAllocs()
	for b.Loop() {
		f.ask("POST", "/things/1", body)
	}
}
