package platform

import (
	"crypto/rand"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/app"
)

func startSeedable(t *testing.T) *runner.Runner {
	t.Helper()
	e := runner.Engines{DynamoDB: enginetest.Table(t), SQS: enginetest.Queues(t), AccessKey: enginetest.AccessKey(t)}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	r, err := runner.Start(t.Context(), runner.Config{
		Environment: e.Environment([]byte("a secret for the seed's own tests"), time.Now()), QueuePrefix: rand.Text() + "-",
		Overrides: app.Overrides{Credentials: e.Credentials(), Log: log}, Addr: "127.0.0.1:0", Manual: true, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	return r
}

func TestSeed_OnceAndAfterLoss(t *testing.T) {
	t.Parallel()
	place, r := newFolder(t), startSeedable(t)
	first, err := seed(t.Context(), place, r)
	if err != nil {
		t.Fatal(err)
	}
	if first["CALLBACK_SECRET"] == "" || first["BRL_CALLBACK_SECRET"] == "" {
		t.Errorf("got environment %v, want callback secrets in it", first)
	}
	older := maps.Clone(first) // as written by a version without callback secrets
	delete(older, "CALLBACK_SECRET")
	if err = place.writeEnv(older); err != nil {
		t.Fatal(err)
	}
	if first, err = seed(t.Context(), place, r); err != nil || first["CALLBACK_SECRET"] == "" ||
		first["API_KEY"] != older["API_KEY"] {
		t.Errorf("got environment %v and error %v, want that of %v with a secret", first, err, older)
	}
	again, err := seed(t.Context(), place, r)
	if err != nil || !maps.Equal(first, again) {
		t.Errorf("seeded again: got %v and error %v, want %v", again, err, first)
	}
	emptied, err := seed(t.Context(), place, startSeedable(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"API_KEY", "BRL_API_KEY", "MERCHANT_CODE"} {
		if emptied[name] == first[name] {
			t.Errorf("%s: got %s, that of data that is gone, want another", name, emptied[name])
		}
	}
	if written, err := place.ReadEnv(); err != nil || !maps.Equal(written, emptied) {
		t.Errorf("%s: got %v and error %v, want %v", envFile, written, err, emptied)
	}
}

// played lists the payment methods of the seeded merchants, by prefix. These are all methods that contract §4.3 allows
// them.
var played = map[string][]string{
	"": {"card", "google_pay", "ideal", "bancontact", "eps", "mybank", "satispay"}, "BRL_": {"card", "google_pay",
		"boleto", "pix", "qr_code_pix"},
	"PLN_": {"card", "google_pay", "blik", "p24"}, "CHF_": {"card", "google_pay", "twint"},
	"GBP_": {"card", "google_pay", "paypal"},
}

// TestSeed_EachMethod pays by each method of the seeded merchants.
func TestSeed_EachMethod(t *testing.T) {
	t.Parallel()
	r := startSeedable(t)
	env, err := seed(t.Context(), newFolder(t), r)
	if err != nil {
		t.Fatal(err)
	}
	for prefix, want := range played {
		p := payer{t, client.Client{BaseURL: r.URL}, r.Invoke, env[prefix+"MERCHANT_CODE"], env[prefix+"API_KEY"]}
		var offered []string
		listed := p.send("GET", "/v0.1/merchants/"+p.code+"/payment-methods", nil)
		for _, m := range listed["available_payment_methods"].([]any) {
			offered = append(offered, m.(map[string]any)["id"].(string))
		}
		if !slices.Equal(offered, want) {
			t.Errorf("%s: got %v, want %v", prefix, offered, want)
		}
		currency := p.send("GET", "/v1/merchants/"+p.code, nil)["default_currency"]
		for _, method := range offered {
			if got := p.pay(method, currency); got != "PAID" {
				t.Errorf("%s%s: got %s, want PAID", prefix, method, got)
			}
		}
	}
}

// payer pays a merchant's checkouts.
type payer struct {
	*testing.T
	client.Client
	operator  client.Invoke
	code, key string
}

// send sends a request with the merchant's key, which must succeed.
func (p payer) send(method, path string, body any) map[string]any {
	p.Helper()
	got, err := p.Do(p.Context(), client.Request{Method: method, Path: path, APIKey: p.key, Body: body})
	if err != nil || got.Status >= http.StatusBadRequest {
		p.Fatalf("%s %s: got %d %s, %v, want a status below 400", method, path, got.Status, got.Body, err)
	}
	return got.JSON()
}

// pay pays a checkout by the method as a payer would, and returns the result.
func (p payer) pay(method string, currency any) any {
	p.Helper()
	type object = map[string]any
	id := p.send("POST", "/v0.1/checkouts", object{"checkout_reference": method, "amount": 10, "currency": currency,
		"merchant_code": p.code, "redirect_url": "https://shop.example"})["id"].(string)
	payment := object{"payment_type": method, "personal_details": object{"first_name": "João", "last_name": "Silva",
		"email": "joao@example.com", "tax_id": "529.982.247-25", "address": object{"line_1": "Rua A 1", "city": "São Paulo",
			"postal_code": "01304-001", "state": "SP", "country": "BR"}}}
	switch method {
	case "card":
		payment["card"] = client.Card(client.Frictionless, time.Now())
	case "google_pay":
		payment["google_pay"] = object{"apiVersion": 2}
	}
	answer := p.send("PUT", "/v0.1/checkouts/"+id, payment)
	if step, redirected := answer["next_step"].(object); redirected {
		got, err := p.Do(p.Context(), client.Request{Method: "POST", Path: step["full"].(string),
			Body: url.Values{"decision": {"pay"}}})
		if err != nil {
			p.Fatalf("%s: got %d %s, %v, want the shop's page", method, got.Status, got.Body, err)
		}
	} else if answer["status"] == "PENDING" {
		command := object{"command": "pay_voucher", "merchant_code": p.code, "checkout_id": id}
		if err := p.operator.Operate(p.Context(), command, nil); err != nil {
			p.Fatal(err)
		}
	}
	return p.send("GET", "/v0.1/checkouts/"+id, nil)["status"]
}
