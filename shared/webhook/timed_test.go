package webhook

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

// TestSignTimed compares a signature with the output of `openssl dgst -sha256 -hmac whsec_…`.
func TestSignTimed(t *testing.T) {
	t.Parallel()
	secret, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	m := Message{ID: "msg_1", Timestamp: time.Unix(1614265330, 0), Body: []byte(`{"test": 2432232314}`)}
	want := "t=1614265330,v1=e7defd4a180d410774d628f38b3b0a0909e9df10bec10f812aade2a5d89fda32"
	if got := signTimed(m, secret); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSend_TimedSignature checks that a callback has exactly one header with a timed signature, which is made with the
// newest secret. Without the header's name or a secret, there is no such header.
func TestSend_TimedSignature(t *testing.T) {
	t.Parallel()
	const name = "X-Shop-Signature"
	newest, older := testSecret(2), testSecret(1)
	for _, c := range []struct {
		header  string
		secrets []Secret
		want    string
	}{
		{name, []Secret{newest, older}, signTimed(testMessage(), newest)},
		{name, nil, ""},
		{"", []Secret{newest}, ""},
	} {
		got := "not sent"
		sender := NewSenderOver(func(http.RoundTripper) http.RoundTripper {
			return faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
				got = strings.Join(r.Header.Values(name), " and ")
				return nil, context.Canceled
			})
		}, loopbackOnly, testKey(t)).WithTimedSignatures(c.header)
		_ = sender.Send(t.Context(), "M0", "http://127.0.0.1/hook", testMessage(), c.secrets) // the request gets no answer
		if got != c.want {
			t.Errorf("header %q, %d secrets: got %q, want %q", c.header, len(c.secrets), got, c.want)
		}
	}
}

func TestCheckTimedHeader(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{"": true, "X-Shop-Signature": true, "X-" + strings.Repeat("a", 62): true,
		"X-" + strings.Repeat("a", 63): false, "X-": false, "x-shop": false, "Webhook-Signature": false, "X-Shop\n": false,
		"X-Shop: a": false, "X-Shöp": false} {
		if err := CheckTimedHeader(name); (err == nil) != ok {
			t.Errorf("%q: got error %v, want one: %t", name, err, !ok)
		}
	}
}
