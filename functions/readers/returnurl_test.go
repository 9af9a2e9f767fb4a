package readers_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/cashwrap/cashwrap/functions/readers"
	"github.com/cashwrap/cashwrap/shared/app"
)

// TestReturnURL_Deployed checks that a return_url must be https and must not lead to an internal host (contract §11.3,
// §11.4). Only the local run allows URLs to the machine itself, even over http.
func TestReturnURL_Deployed(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	deployed := c.AppWith(func(config *app.Config, _ *app.Overrides) { config.AllowLoopbackCallbacks = false })
	for address, allowed := range map[string]struct{ deployed, local bool }{
		"http://example.com/hook": {}, "http://localhost.example.com/hook": {}, "http://93.184.216.34/hook": {},
		"https://localhost/hook": {local: true}, "http://localhost:3000/hook": {local: true},
		"http://shop.localhost/hook": {local: true}, "https://127.0.0.1/hook": {local: true},
		"http://127.1.2.3:81/hook": {local: true}, "https://[::1]/hook": {local: true},
		"http://[::1]:3000/hook":         {local: true},
		"https://[::ffff:10.0.0.1]/hook": {}, "https://169.254.169.254/hook": {}, "https://0x7f000001/hook": {},
		"https://example.com:22/hook": {}, "https://a:b@example.com/hook": {}, "https://:443/hook": {},
		"https://example.com:0/hook": {}, "https://example.com/hook": {true, true},
	} {
		for name, place := range map[string]struct {
			app     *app.App
			allowed bool
		}{"deployed": {deployed, allowed.deployed}, "local": {c.App, allowed.local}} {
			body := c.SaleBody(1010)
			body["return_url"] = address
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			request := httptest.NewRequestWithContext(t.Context(), "POST", c.Path("/checkout"), bytes.NewReader(text))
			request.Header.Set("Authorization", "Bearer "+c.Merchant.Key.Plaintext)
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("X-Forwarded-Proto", "https")
			answer := httptest.NewRecorder()
			place.app.Handler(readers.Routes(place.app)).ServeHTTP(answer, request)
			if refused := answer.Code == 400; refused == place.allowed { // allowed: 201, or 422 while the reader is busy
				t.Errorf("%s, %s: got %d %s, want it allowed %t", address, name, answer.Code, answer.Body, place.allowed)
			}
		}
	}
}
