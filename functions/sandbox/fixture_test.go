package sandbox_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"

	family "github.com/cashwrap/cashwrap/functions/sandbox"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

const baseURL = "https://pay.example"

// fixture serves the family's routes with a sandbox, which has its own table.
type fixture struct {
	http.Handler
	sandbox *sandbox.Acquirer
	notices []acquirer.Hint // of each call of Notify
	broken  error           // returned by Notify
	log     bytes.Buffer
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	opened := store.Open(store.Config{
		Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(t),
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(t), "none", ""),
	})
	if err := opened.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	db, table := opened.Raw()
	secret := []byte(strings.Repeat("s", 32))
	s := &fixture{sandbox: sandbox.New(sandbox.Config{DB: db, Table: table, Secret: func() []byte { return secret },
		BaseURL: baseURL})}
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	routes := family.Config{Sandbox: s.sandbox, Notify: s.notify, BaseURL: baseURL, Log: log}.Routes()
	s.Handler = rest.New(rest.Config{
		Routes: routes, Store: opened, Log: log, BaseURL: baseURL, HashKey: secret, AllowHTTP: true,
		Limits: rest.Limits{Address: rest.Limit{Rate: 1000, Burst: 1000}},
	})
	return s
}

// notify acts as the platform, which asks the sandbox about the hint and records the outcome.
func (s *fixture) notify(ctx context.Context, h acquirer.Hint) (payments.Checkout, error) {
	s.notices = append(s.notices, h)
	if s.broken != nil {
		return payments.Checkout{}, s.broken
	}
	o, err := s.sandbox.LookUp(ctx, h.ID)
	return payments.Checkout{Status: map[payments.Decision]payments.CheckoutStatus{
		payments.Approved: payments.CheckoutPaid, payments.Declined: payments.CheckoutFailed,
		payments.Cancelled: payments.CheckoutExpired}[o.Decision]}, err
}

// reply is a response with its body read.
type reply struct {
	status int
	header http.Header
	body   string
}

func (s *fixture) get(t *testing.T, path string) reply {
	t.Helper()
	return s.send(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
}

func (s *fixture) post(t *testing.T, path string, form url.Values) reply {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.send(t, r)
}

func (s *fixture) send(t *testing.T, r *http.Request) reply {
	t.Helper()
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, r)
	res := recorder.Result()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(body)}
}

// directive returns one directive of the reply's Content-Security-Policy.
func (r reply) directive(name string) string {
	for directive := range strings.SplitSeq(r.header.Get("Content-Security-Policy"), "; ") {
		if own, _, _ := strings.Cut(directive, " "); own == name {
			return directive
		}
	}
	return ""
}

// charge makes the sandbox accept a payment of merchant MC1 that waits for its payer.
func (s *fixture) charge(t *testing.T, c acquirer.Charge) *payments.Step {
	t.Helper()
	if c.Reference.Tenant == "" {
		c.Reference = acquirer.Reference{Tenant: "T#MC1", CheckoutID: "co-1"}
	}
	c.Amount, c.Descriptor = money.MustParse("10.10", "EUR"), "Caffè <Roma> & Figli"
	o, err := s.sandbox.Charge(t.Context(), c)
	if err != nil || o.Step == nil {
		t.Fatalf("got %+v, %v, want a step", o, err)
	}
	return o.Step
}

func challengeCard() *payments.Card {
	return &payments.Card{Name: "Ada Payer", Number: secret.New("4200000000000042"), ExpiryMonth: "12",
		ExpiryYear: "2030", CVV: secret.New("123")}
}

func cardCharge(returnURL string) acquirer.Charge {
	return acquirer.Charge{ID: "a-1", Method: payments.CardMethod, Card: challengeCard(), ReturnURL: returnURL}
}

func bankCharge(returnURL string) acquirer.Charge {
	return acquirer.Charge{ID: "a-1", Method: payments.IDEAL, ReturnURL: returnURL}
}
