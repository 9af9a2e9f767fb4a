package readers_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/cashwrap/cashwrap/functions/readers"
	"github.com/cashwrap/cashwrap/shared/app"
)

// TestReturnURLsWhereCallbacksLeaveTheMachine are https, and lead to no host inside (contract §11.3, §11.4).
// Unlike the local run a deployment allows nothing else.
func TestReturnURLsWhereCallbacksLeaveTheMachine(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	deployed := c.AppWith(func(config *app.Config) { config.AllowLoopbackCallbacks = false })
	handler := deployed.Handler(readers.Routes(deployed))
	for address, want := range map[string]int{
		"http://example.com/hook": 400, "https://localhost/hook": 400, "https://127.0.0.1/hook": 400,
		"https://[::1]/hook": 400, "https://[::ffff:10.0.0.1]/hook": 400, "https://169.254.169.254/hook": 400,
		"https://0x7f000001/hook": 400, "https://example.com:22/hook": 400, "https://a:b@example.com/hook": 400,
		"https://example.com/hook": 201,
	} {
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
		handler.ServeHTTP(answer, request)
		if answer.Code != want {
			t.Errorf("%s: got %d %s, want %d", address, answer.Code, answer.Body, want)
		}
	}
}
