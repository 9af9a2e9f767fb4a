package stripetest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/linkstripe"
)

// Start serves a stand-in on a loopback address. It returns the variables of a platform
// whose live mode charges there.
func Start(tb testing.TB, standIn http.Handler) map[string]string {
	tb.Helper()
	server := httptest.NewServer(standIn)
	tb.Cleanup(server.Close)
	variables := linkstripe.Variables(server.URL, app.AcquirerKeys{Key: Key,
		NoticeSecrets: []string{CurrentSecret, FormerSecret}})
	variables["ACQUIRER_HOSTS"] = host
	return variables
}
