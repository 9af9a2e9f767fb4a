package transactions_test

import (
	"net/url"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestListTransactions_FirstFault checks the order of faults: first the parameters that both histories have, then the
// version's own parameters.
func TestListTransactions_FirstFault(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	common := []string{"order", "limit", "types", "changes_since", "newest_time", "oldest_time"}
	for path, own := range map[string][]string{
		"/v2.1/merchants/" + w.Merchant.Code + "/transactions/history": {"statuses", "payment_types", "entry_modes"},
		"/v0.1/me/transactions/history": {"statuses", "payment_types", "geo_coordinates",
			"newest_incl", "oldest_incl"},
		"/v0.1/me/transactions": {"event_statuses", "event_types"},
	} {
		params := own
		if path != "/v0.1/me/transactions" {
			params = append(append([]string{}, common...), own...)
		}
		for i, param := range params {
			query := url.Values{}
			for _, later := range params[i:] {
				query.Set(later, "none")
			}
			several := world.Refused(400, "INVALID", param, "multiple-invalid-parameters")
			if i == len(params)-1 {
				several = world.Invalid(param)
			}
			several.Check(t, w.Do(world.Request{Method: "GET", Path: path + "?" + query.Encode()}))
		}
	}
}
