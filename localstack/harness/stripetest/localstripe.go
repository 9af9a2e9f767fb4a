package stripetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

// launch starts localstripe, a program by others that imitates Stripe. By itself it would listen on all addresses, and
// write all objects to a file after each request.
const launch = endWithTest + `import sys
from aiohttp import web
from localstripe import server
server.store.dump_to_disk = lambda: None
web.run_app(server.app, host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None)`

// endWithTest ends a program when its standard input ends, as the input of enginetest.StartServer does.
const endWithTest = `import os, threading
threading.Thread(target=lambda: (os.read(0, 1), os._exit(0)), daemon=True).start()
`

// LocalStripe is a running localstripe, and a network to it. Localstripe has no idempotency keys, so the network keeps
// the reply to each key.
type LocalStripe struct {
	Remote

	mu      sync.Mutex
	replies map[string]*keyed
}

// keyed is the reply to an idempotency key.
type keyed struct {
	sync.Mutex
	status int
	body   []byte
}

// StartLocalStripe installs and starts localstripe.
func StartLocalStripe(tb testing.TB) *LocalStripe {
	tb.Helper()
	home, port := tb.TempDir(), fmt.Sprint(enginetest.FreePort(tb))
	python := filepath.Join(home, "bin", "python")
	for _, install := range []*exec.Cmd{exec.CommandContext(tb.Context(), "python3", "-m", "venv", home),
		exec.CommandContext(tb.Context(), python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
			"aiohttp==3.14.5", "localstripe==1.15.10")} {
		if output, err := install.CombinedOutput(); err != nil {
			tb.Fatalf("%v:\n%s", err, output)
		}
	}
	enginetest.StartServer(tb, exec.CommandContext(tb.Context(), python, "-c", launch, port), "127.0.0.1:"+port)
	return &LocalStripe{Remote: Remote{URL: "http://127.0.0.1:" + port, Key: Key, unknown: unknown},
		replies: map[string]*keyed{}}
}

// unknown lists the parameters that localstripe does not know.
var unknown = []string{"return_url", "off_session", "statement_descriptor_suffix", "mandate_data", "created", "types"}

// RoundTrip implements http.RoundTripper.
func (l *LocalStripe) RoundTrip(r *http.Request) (*http.Response, error) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" || l.keyless != nil && l.keyless(Operation(r)) {
		status, body, err := l.send(r)
		if err != nil {
			return nil, err
		}
		return NewReply(r, status, body), nil
	}
	reply := l.replyTo(key)
	reply.Lock()
	defer reply.Unlock()
	if reply.status == 0 {
		var err error
		if reply.status, reply.body, err = l.send(r); err != nil {
			return nil, err
		}
	}
	return NewReply(r, reply.status, reply.body), nil
}

// send sends a request to localstripe. A cancelled intent has no reason, because Stripe may forget why it failed.
func (l *LocalStripe) send(r *http.Request) (int, []byte, error) {
	answer, err := l.Remote.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, err
	}
	body, err = rewriteObject(body, func(o Object) {
		addAddress(o)
		if o["status"] == "canceled" {
			delete(o, "last_payment_error")
		}
	})
	return answer.StatusCode, body, err
}

func (l *LocalStripe) replyTo(key string) *keyed {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.replies[key] == nil {
		l.replies[key] = &keyed{}
	}
	return l.replies[key]
}

// NewReply returns a response of JSON.
func NewReply(r *http.Request, status int, body []byte) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(body)), Request: r}
}

// Authenticate acts as the payer of a challenge. If the intent has none any more, it does nothing.
func (l *LocalStripe) Authenticate(ctx context.Context, id string, success bool) error {
	intent, err := l.Intent(ctx, id)
	if err != nil || intent["status"] != "requires_action" {
		return err
	}
	_, _, err = l.call(ctx, http.MethodPost, "/v1/payment_intents/"+id+"/_authenticate", url.Values{
		"client_secret": {intent["client_secret"].(string)}, "success": {fmt.Sprint(success)}})
	return err
}

// Forget deletes all objects and replies.
func (l *LocalStripe) Forget(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replies = map[string]*keyed{}
	_, err := l.mustCall(ctx, http.MethodDelete, "/_config/data", nil)
	return err
}

// SendNotices makes localstripe send notices to an address, signed with CurrentSecret.
func (l *LocalStripe) SendNotices(ctx context.Context, address string) error {
	_, err := l.mustCall(ctx, http.MethodPost, "/_config/webhooks/platform", url.Values{"url": {address},
		"secret": {CurrentSecret}})
	return err
}
