package stripetest

import (
	"encoding/json"
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
	keys, err := json.Marshal(app.AcquirerKeys{Key: Key, Notices: []string{CurrentSecret, FormerSecret}})
	if err != nil {
		tb.Fatal(err)
	}
	return map[string]string{"LIVE_ACQUIRER": linkstripe.Name, "ACQUIRER_URL": server.URL, "ACQUIRER_SECRET": string(keys),
		"ACQUIRER_HOSTS": host}
}
