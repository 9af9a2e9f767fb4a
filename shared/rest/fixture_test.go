package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

const baseURL = "https://api.example.test"

var hashKey = bytes.Repeat([]byte("k"), 32)

var tenant = identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}

// fixture is a handler with its own table, and with a clock and a log for the test.
type fixture struct {
	*clock.Clock
	handler http.Handler
	store   *store.Store
	wire    *faults.Wire // to the table
	sent    lockedBuffer // bodies of all calls to the table
	log     *lockedBuffer
	secret  string // a secret key of the tenant with the scope "things"
	public  string // a public key of the tenant
	other   string // a secret key of the tenant without scopes
}

// send passes a call to the table, and records its body.
func (f *fixture) send(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, _ = f.sent.Write(body)
	return enginetest.Do(r)
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newFixture(t *testing.T, routes []rest.Route, change ...func(*rest.Config)) *fixture {
	t.Helper()
	f := &fixture{Clock: clock.New(), log: &lockedBuffer{}}
	f.wire = &faults.Wire{Send: f.send}
	f.store = store.Open(store.Config{
		Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(t),
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(t), "none", ""),
		HTTP:        f.wire, MaxBackoff: time.Millisecond, Now: f.Now,
	})
	if err := f.store.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	shop := merchant.Merchant{Code: tenant.Merchant, Name: "Shop"}
	if err := f.store.CreateMerchant(t.Context(), byTest, shop, account.Account{}); err != nil {
		t.Fatal(err)
	}
	f.secret = f.addCredential(t, "key_1", identity.SecretKey, "things")
	f.public = f.addCredential(t, "key_2", identity.PublicKey)
	f.other = f.addCredential(t, "key_3", identity.SecretKey, "else")
	f.handler = f.newProcess(routes, change...)
	return f
}

// newProcess returns another warm process on the same table.
func (f *fixture) newProcess(routes []rest.Route, change ...func(*rest.Config)) http.Handler {
	c := rest.Config{Routes: routes, Store: f.store, Now: f.Now, BaseURL: baseURL, HashKey: hashKey,
		Log: slog.New(slog.NewJSONHandler(f.log, nil))}
	for _, apply := range change {
		apply(&c)
	}
	return rest.New(c)
}

// addCredential adds a key of the tenant and returns its token. The platform need not know the key's scopes.
func (f *fixture) addCredential(t *testing.T, id string, kind identity.Kind, scopes ...string) string {
	t.Helper()
	return f.addKey(t, tenant, id, kind, scopes...)
}

// addKey adds a key of any tenant and returns its token.
func (f *fixture) addKey(t *testing.T, tenant identity.Tenant, id string, kind identity.Kind, scopes ...string) string {
	t.Helper()
	key, token, err := identity.NewAPIKey(tenant, identity.KeyRequest{Kind: kind, Name: "till", Scopes: &[]string{}},
		f.Now())
	if err != nil {
		t.Fatal(err)
	}
	key.ID, key.Scopes = id, scopes
	if _, err := f.store.CreateAPIKey(t.Context(), byTest, key); err != nil {
		t.Fatal(err)
	}
	return token
}

// ask sends one request. Header lines are "Name: value". Every request comes over HTTPS with the secret key, unless a
// header line says otherwise; a line "Name:" removes the header.
func (f *fixture) ask(method, target, body string, header ...string) *httptest.ResponseRecorder {
	return answer(f.handler, f.request(method, target, body, header...))
}

func (f *fixture) request(method, target, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.TLS = nil
	r.Header.Set("X-Forwarded-Proto", "https")
	r.Header.Set("Authorization", "Bearer "+f.secret)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		if value == "" {
			r.Header.Del(name)
			continue
		}
		r.Header.Set(name, strings.TrimPrefix(value, " "))
	}
	return r
}

func answer(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// decodeObject returns the JSON object in a response.
func decodeObject(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		t.Fatalf("got body %q (%v), want an object", w.Body, err)
	}
	return m
}

// shownError is the part of most errors that tests compare.
type shownError struct {
	Status               int
	Code, Param, Message string
}

// errorOf returns the error in a response that is one object.
func errorOf(t *testing.T, w *httptest.ResponseRecorder) shownError {
	t.Helper()
	m := decodeObject(t, w)
	text := func(name string) string { s, _ := m[name].(string); return s }
	return shownError{w.Code, text("error_code"), text("param"), text("message")}
}

// invalidError returns the error for a parameter with an invalid value.
func invalidError(param, rule string) shownError {
	return shownError{http.StatusBadRequest, "INVALID", param, param + " " + rule}
}

// route returns a route with the method, path and operation. It takes the scope "things".
func route[Req, Res any](method, path string, op func(context.Context, Req) (Res, error)) rest.Route {
	return rest.Route{Method: method, Path: path, Scopes: []string{"things"}, Handle: rest.JSON(http.StatusOK, op)}
}

type emptyRequest struct{}

type textResponse struct {
	Text string `json:"text"`
}

func respond(text string) func(context.Context, emptyRequest) (textResponse, error) {
	return func(context.Context, emptyRequest) (textResponse, error) { return textResponse{text}, nil }
}

func refuse(err error) func(context.Context, emptyRequest) (textResponse, error) {
	return func(context.Context, emptyRequest) (textResponse, error) { return textResponse{}, err }
}

// byTest is the actor of changes that a test makes directly.
var byTest = audit.ByPlatform(audit.Actor{Kind: audit.Command}, "test")
