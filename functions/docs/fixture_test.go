package docs_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/functions/docs"
	"github.com/cashwrap/cashwrap/functions/public"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

const baseURL = "https://pay.example"

// newHandler returns a handler for the family's routes, as a running function at the base URL serves them. It also
// serves the routes of package public, because pages link to some of them.
func newHandler(t *testing.T, base string) http.Handler {
	t.Helper()
	a := app.New(app.Config{
		Table: "cashwrap", Region: "eu-central-1", DynamoDBEndpoint: enginetest.Table(t), BaseURL: base,
		Secret: []byte(strings.Repeat("s", 32)), AllowHTTP: true,
	}, app.Overrides{
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(t), "none", ""),
		HTTP:        http.DefaultClient, // no time limit, because the engine may be busy
		Log:         slog.New(slog.DiscardHandler), Limits: rest.Limits{Address: rest.Limit{Rate: 10_000, Burst: 10_000}},
	})
	if err := a.Store.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a.Handler(append(docs.Routes(a), public.Routes(a)...))
}

// ask sends a request with header lines, each a "Name: value".
func ask(t *testing.T, h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
