package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// TestPretty_Secrets checks requests and replies.
func TestPretty_Secrets(t *testing.T) {
	t.Parallel()
	body := object{"card": client.Card(client.Frictionless, now), "password": "correct horse"}
	shown := pretty(body)
	for _, secret := range []string{client.Frictionless, client.CVV, "horse"} {
		if strings.Contains(shown, secret) {
			t.Errorf("got %s, want no %s in it", shown, secret)
		}
	}
	if !strings.Contains(shown, "************0091") {
		t.Errorf("got %s, want the last digits of the number", shown)
	}
	if sent := body["card"].(object); sent["number"] != client.Frictionless || body["password"] != "correct horse" {
		t.Errorf("got %v to send, want nothing of it hidden", body)
	}
	if got := prettyReply([]byte(`{"plaintext":"sk_test_0A1B2C3Dc3D4e5F6"}`)) + prettyReply([]byte("a sk_test_0A")); got !=
		"  {\n    \"plaintext\": \"***\"\n  }  a sk_test_…" {
		t.Errorf("got replies %s, want no key in them", got)
	}
}

var now = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// newCallback returns a callback as the platform sends it, and a scenario that can verify it.
func newCallback(t *testing.T) (*scenario, callback) {
	t.Helper()
	key, err := webhook.NewSigningKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	secret := webhook.DeriveSecret(bytes.Repeat([]byte{9}, 32), "MC1", 1)
	body := []byte(`{"event_type":"CHECKOUT_STATUS_CHANGED","id":"c1","status":"PAID"}`)
	header, err := webhook.Sign(webhook.Message{ID: "msg_1", Timestamp: now, Body: body}, []webhook.SigningKey{key},
		[]webhook.Secret{secret})
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{shop: &shop{}, print: printer{io.Discard}, secrets: []webhook.Secret{secret},
		keys: []webhook.PublicKey{key.PublicKey()}}
	return s, callback{header, body, now}
}

func TestVerify_Signatures(t *testing.T) {
	t.Parallel()
	s, n := newCallback(t)
	if mine, err := s.verify(n, "c1", "PAID"); !mine || err != nil {
		t.Errorf("got mine %t and error %v, want true and none", mine, err)
	}
	if mine, err := s.verify(n, "c2", "PAID"); mine || err != nil {
		t.Errorf("another checkout's: got mine %t and error %v, want false and none", mine, err)
	}
	for name, spoil := range map[string]func(*scenario, *callback){
		"another body":   func(_ *scenario, n *callback) { n.body = append(n.body, ' ') },
		"another id":     func(_ *scenario, n *callback) { n.header.Set("webhook-id", "msg_2") },
		"too late":       func(_ *scenario, n *callback) { n.at = now.Add(time.Hour) },
		"another secret": func(s *scenario, _ *callback) { s.secrets = nil },
		"another key":    func(s *scenario, _ *callback) { s.keys = nil },
		"not JSON":       func(_ *scenario, n *callback) { n.body = []byte("hello") },
	} {
		s, n := newCallback(t)
		spoil(s, &n)
		if _, err := s.verify(n, "c1", "PAID"); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
}

func TestRun_FirstError(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(api.Close)
	good := webhook.DeriveSecret(bytes.Repeat([]byte{9}, 32), "MC1", 1).Reveal()
	for name, c := range map[string]struct {
		answer string
		err    error
		want   string
	}{
		"the operator's call fails":  {err: errors.New("no route to it"), want: "no route to it"},
		"the operator is refused":    {answer: `{"error":{"code":"NOT_FOUND"}}`, want: "NOT_FOUND"},
		"the API answers otherwise":  {answer: `{"secret":"` + good + `"}`, want: "answered 404 Not Found, not 200"},
		"the answer makes no sense":  {answer: `hello`, want: "invalid character"},
		"the secret is not a secret": {answer: `{"secret":"whsec_"}`, want: webhook.ErrSecret.Error()},
	} {
		var out bytes.Buffer
		err := Run(t.Context(), Config{API: client.Client{BaseURL: api.URL}, MerchantCode: "MC1", APIKey: "sk_test_1",
			Out: &out, Operator: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(c.answer), c.err
			}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q in it", name, err, c.want)
		}
		if printed := out.String(); strings.Contains(printed, good) || strings.Contains(printed, "sk_test_1") {
			t.Errorf("%s: got output %s, want no secret in it", name, printed)
		}
	}
}
