package public_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/functions/public"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/shared/app"
)

// TestCheckReadiness_RunningFunction checks the routes of a running function. The function is ready once the table
// exists.
func TestCheckReadiness_RunningFunction(t *testing.T) {
	t.Parallel()
	a := app.New(app.Config{
		Table: "cashwrap", Region: "eu-central-1", DynamoDBEndpoint: enginetest.Table(t), BaseURL: baseURL,
		Secret: []byte(strings.Repeat("s", 32)), AllowHTTP: true,
	}, app.Overrides{
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(t), "none", ""), MaxAttempts: 1,
	})
	s := &fixture{Handler: a.Handler(public.Routes(a))}
	if r := s.get(t, "/readyz"); r.status != http.StatusServiceUnavailable {
		t.Errorf("readyz without a table: got %d %s, want 503", r.status, r.body)
	}
	if err := a.Store.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := s.get(t, "/readyz"); r.status != http.StatusOK {
		t.Errorf("readyz: got %d %s, want 200", r.status, r.body)
	}
	if r := s.get(t, "/.well-known/webhook-keys"); r.status != http.StatusOK ||
		!strings.Contains(r.body, `"public_key":"whpk_`) {
		t.Errorf(`keys: got %d %s, want 200 and "public_key":"whpk_ in it`, r.status, r.body)
	}
}
