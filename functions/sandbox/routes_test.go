package sandbox_test

import (
	"net/http"
	"testing"

	"github.com/cashwrap/cashwrap/functions/sandbox"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestShowRedirectPayment_RunningFunction checks the pages of a running function, which uses the platform's table.
func TestShowRedirectPayment_RunningFunction(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	s := &fixture{Handler: w.App.Handler(sandbox.Routes(w.App))}
	if r := s.get(t, "/apm/guess"); r.status != http.StatusNotFound {
		t.Errorf("bank page: got %d %s, want 404", r.status, r.body)
	}
}
