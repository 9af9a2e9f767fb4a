package stripetest

import (
	"net/http/httptest"
	"testing"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/linkstripe"
)

// Start serves the stand-in on a loopback address. It returns the variables of a platform whose live mode charges
// there.
func (s *StandIn) Start(tb testing.TB) map[string]string {
	tb.Helper()
	server := httptest.NewServer(s)
	tb.Cleanup(server.Close)
	variables := linkstripe.Variables(server.URL, app.AcquirerKeys{Key: Key,
		Notices: []string{CurrentSecret, FormerSecret}})
	variables["ACQUIRER_HOSTS"] = host
	return variables
}
