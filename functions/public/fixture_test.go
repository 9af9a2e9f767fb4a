package public_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/functions/public"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

const baseURL = "https://pay.example"

// fixture serves the family's routes. Its Ready function returns the error in the field broken.
type fixture struct {
	http.Handler
	broken error
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	table := store.Open(store.Config{
		Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(t),
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(t), "none", ""),
	})
	if err := table.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, log := &fixture{}, slog.New(slog.NewTextHandler(io.Discard, nil))
	s.Handler = rest.New(rest.Config{
		Routes: public.Config{WebhookKeys: publishedKeys, Commit: "0123456789ab-dirty", Log: log,
			Ready: func(context.Context) error { return s.broken }}.Routes(),
		Store: table, Log: log, BaseURL: baseURL, HashKey: []byte(strings.Repeat("s", 32)), AllowHTTP: true,
		Limits: rest.Limits{Address: rest.Limit{Rate: 1000, Burst: 1000}},
	})
	return s
}

func publishedKeys() ([]app.SigningKey, error) {
	key, err := webhook.NewSigningKey(bytes.Repeat([]byte{7}, 32))
	return []app.SigningKey{{SigningKey: key, Since: time.Date(2026, 11, 1, 2, 3, 4, 5e6, time.UTC)}}, err
}

// reply is a response with its body read.
type reply struct {
	status            int
	contentType, body string
}

func (s *fixture) get(t *testing.T, path string) reply {
	t.Helper()
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return reply{recorder.Code, recorder.Result().Header.Get("Content-Type"), recorder.Body.String()}
}
