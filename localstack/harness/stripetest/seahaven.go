package stripetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

//go:embed seahaven.sh
var seahavenScript string

// serveSeahaven serves accounts at /worlds/{name}, without a log of requests.
const serveSeahaven = endWithTest + `import sys, uvicorn
from seahaven.http import app
from seahaven_stripe_world import http_api, world
served = app(world, http_api.handle, reset_options={}, max_instances=0)
uvicorn.run(served, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")`

// Seahaven is a running seahaven-stripe-world, a program by others that imitates Stripe, and a network to it. It has
// Stripe's idempotency keys, its checks of parameters and its balance.
type Seahaven struct {
	Remote
	server string
}

// StartSeahaven starts seahaven-stripe-world with an empty account. It also returns the number of charges to make,
// CASHWRAP_SEAHAVEN_CHARGES. Without that variable it skips the test, because the installation needs Debian's apt-get
// on x86-64.
func StartSeahaven(tb testing.TB) (s *Seahaven, charges int) {
	tb.Helper()
	charges = enginetest.Number(tb, "CASHWRAP_SEAHAVEN_CHARGES")
	python := filepath.Join(installSeahaven(tb), "python")
	port := fmt.Sprint(enginetest.FreePort(tb))
	enginetest.StartServer(tb, exec.CommandContext(tb.Context(), python, "-c", serveSeahaven, port), "127.0.0.1:"+port)
	s = &Seahaven{Remote: Remote{Key: Key, unknown: []string{"return_url"}}, server: "http://127.0.0.1:" + port}
	s.openAccount()
	return s, charges
}

// installSeahaven installs seahaven-stripe-world into the user's cache, unless it is there, and returns its folder.
// Each version of the script has a folder. Several processes may install at the same time: the first to end wins.
func installSeahaven(tb testing.TB) (home string) {
	tb.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		tb.Fatal(err)
	}
	hash := sha256.Sum256([]byte(seahavenScript))
	home = filepath.Join(cache, fmt.Sprintf("cashwrap-seahaven-%x", hash[:8]))
	if _, missing := os.Stat(home); missing == nil {
		return home
	}
	if err = os.MkdirAll(cache, 0o700); err != nil {
		tb.Fatal(err)
	}
	fresh, err := os.MkdirTemp(cache, "cashwrap-seahaven-*")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	install := exec.CommandContext(tb.Context(), "sh", "-c", seahavenScript, "sh", fresh)
	if output, err := install.CombinedOutput(); err != nil {
		tb.Fatalf("%v:\n%s", err, output)
	}
	if err := os.Rename(fresh, home); err != nil {
		if _, missing := os.Stat(home); missing != nil {
			tb.Fatal(err)
		}
	}
	return home
}

func (s *Seahaven) openAccount() { s.URL = s.server + "/worlds/" + rand.Text() }

// Forget deletes the account, and changes to an empty one. An account begins with its first request.
func (s *Seahaven) Forget(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, s.URL, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent && answer.StatusCode != http.StatusNotFound {
		return fmt.Errorf("seahaven: DELETE %s: %s", s.URL, answer.Status)
	}
	s.openAccount()
	return nil
}

// RoundTrip implements http.RoundTripper.
func (s *Seahaven) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.Remote.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil {
		body, err = rewriteObject(body, addAddress)
	}
	if err != nil {
		return nil, err
	}
	return NewReply(r, answer.StatusCode, body), nil
}
