package webhook_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/shared/webhook"
)

// A receiver verifies the raw body and headers of a request with its merchant's secret or the platform's public key.
func ExampleVerify() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	secret := webhook.DeriveSecret([]byte("a master key of at least 32 bytes"), "MC123456", 1)
	headers, body := signedRequest(now, secret)

	err := webhook.Verify(headers, body, now, []webhook.Secret{secret}, nil)
	fmt.Println("in time:", err)
	err = webhook.Verify(headers, body, now.Add(10*time.Minute), []webhook.Secret{secret}, nil)
	fmt.Println("replayed later:", err)
	err = webhook.Verify(headers, []byte("{}"), now, []webhook.Secret{secret}, nil)
	fmt.Println("with another body:", err)
	// Output:
	// in time: <nil>
	// replayed later: webhook: timestamp outside the tolerance
	// with another body: webhook: no signature matches
}

// signedRequest returns a callback as the platform sends it.
func signedRequest(at time.Time, secret webhook.Secret) (http.Header, []byte) {
	key, err := webhook.NewSigningKey(make([]byte, 32))
	if err != nil {
		panic(err)
	}
	body := []byte(`{"event_type":"CHECKOUT_STATUS_CHANGED","id":"4e425463-3e1b-431d-83fa-1e51c2925e99"}`)
	headers, err := webhook.Sign(webhook.Message{ID: "msg_1", Timestamp: at, Body: body}, []webhook.SigningKey{key},
		[]webhook.Secret{secret})
	if err != nil {
		panic(err)
	}
	return headers, body
}

func ExampleCheckURL() {
	for _, url := range []string{
		"https://shop.example.com/hook", "http://169.254.169.254/latest/meta-data", "https://intranet/hook",
		"https://shop.example.com:22/hook",
	} {
		_, err := webhook.CheckURL(url, webhook.Policy{})
		fmt.Println(url, err)
	}
	// Output:
	// https://shop.example.com/hook <nil>
	// http://169.254.169.254/latest/meta-data must have a public address: the host is a private or special-purpose address
	// https://intranet/hook must have a public host name: this name is reserved, or known only in a local network
	// https://shop.example.com:22/hook must use port 80, 443 or 8443
}
