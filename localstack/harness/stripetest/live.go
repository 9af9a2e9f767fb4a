package stripetest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/linkstripe"
)

// Start serves a stand-in on a loopback address. It returns the variables of a platform
// whose live mode charges there.
func Start(tb testing.TB, standIn http.Handler) map[string]string {
	tb.Helper()
	server := httptest.NewServer(standIn)
	tb.Cleanup(server.Close)
	return Variables(server.URL)
}

// Variables returns the variables of a platform whose live mode charges at the stand-in with the address.
func Variables(address string) map[string]string {
	variables := linkstripe.Variables(address, app.AcquirerKeys{Key: Key,
		NoticeSecrets: []string{CurrentSecret, FormerSecret}})
	variables["ACQUIRER_HOSTS"] = host
	return variables
}

// Open returns the acquirer of a function with these variables. It reaches the stand-in over the network.
func Open(a *app.App, network http.RoundTripper) acquirer.Acquirer {
	c := linkstripe.Config(a)
	c.Network = network
	return stripe.New(c)
}
