package inspector_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/inspector"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// BenchmarkRequests creates and pays a checkout over HTTP, with the inspector and without, as in the local run without
// logs.
func BenchmarkRequests(b *testing.B) {
	for _, watched := range []bool{false, true} {
		b.Run("watched="+strconv.FormatBool(watched), func(b *testing.B) {
			s := newShop(b, watched)
			for i := range b.N {
				id := s.send(http.MethodPost, "/v0.1/checkouts", object{"checkout_reference": strconv.Itoa(i),
					"amount": json.Number("10.10"), "currency": "EUR", "merchant_code": s.code}).Text("id")
				s.send(http.MethodPut, "/v0.1/checkouts/"+id, byCard(client.Frictionless))
			}
		})
	}
}

// shop is a merchant of a platform without a folder.
type shop struct {
	*testing.B
	client.Client
	code, key string
}

func newShop(b *testing.B, watched bool) *shop {
	b.Helper()
	table, queues := dynamodb.New(dynamodb.Config{}), sqs.New(sqs.Config{})
	engines := &http.Client{Transport: faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.") {
			return queues.RoundTrip(r)
		}
		return table.RoundTrip(r)
	})}
	e := runner.Engines{DynamoDB: "http://dynamodb.test", SQS: "http://sqs.test", AccessKey: "local"}
	log, unlimited := slog.New(slog.DiscardHandler), rest.Limit{Rate: 1_000_000, Burst: 1_000_000}
	c := runner.Config{Environment: e.Environment([]byte("a secret for this one benchmark!"), time.Now()), HTTP: engines,
		Addr: "127.0.0.1:0", Log: log, Overrides: app.Overrides{HTTP: engines, Credentials: e.Credentials(), Log: log,
			Limits: rest.Limits{Credential: unlimited}}}
	if watched {
		i := inspector.New()
		b.Cleanup(i.Close)
		c.WrapAPI, c.Overrides.HTTP, c.Overrides.Log = i.WatchAPI, i.WatchCalls(engines), i.WatchLog(log)
		c.Overrides.WrapAcquirer, c.Overrides.WrapTerminals = i.WatchAcquirer, i.WatchTerminals
		c.Overrides.WrapCallbacks = i.WatchCallbacks
	}
	r, err := runner.Start(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(r.Stop)
	var made struct {
		MerchantCode string                     `json:"merchant_code"`
		APIKey       struct{ Plaintext string } `json:"api_key"`
	}
	if err = client.Invoke(r.Invoke).Operate(b.Context(), object{"command": "create_merchant", "sandbox": true,
		"name": "Shop", "email": "shop@example.com", "country": "DE", "currency": "EUR"}, &made); err != nil {
		b.Fatal(err)
	}
	return &shop{b, client.Client{BaseURL: r.URL}, made.MerchantCode, made.APIKey.Plaintext}
}

func (s *shop) send(method, path string, body any) client.Response {
	s.Helper()
	got, err := s.Do(s.Context(), client.Request{Method: method, Path: path, APIKey: s.key, Body: body})
	if err != nil || got.Status >= http.StatusBadRequest {
		s.Fatalf("%s %s: got %d %s, error %v, want a status below 400", method, path, got.Status, got.Body, err)
	}
	return got
}
