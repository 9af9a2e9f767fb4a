package payouts_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// line matches a record as CSV. No value needs quotes. No cell begins with a character that starts a formula in a
// spreadsheet (= + - @).
var line = regexp.MustCompile(`^[1-9]\d{0,15},(PAYOUT|CHARGE_BACK_DEDUCTION|REFUND_DEDUCTION|BALANCE_DEDUCTION),` +
	`\d+\.\d\d,2026-11-\d\d,EUR,\d+\.\d\d,(SUCCESSFUL|FAILED),PAYOUT 2026-11-\d\d [0-9a-f]{8},(T[0-9A-Z]{9})?$`)

// TestListPayouts_EachKindAsCSV checks the CSV of each kind of record, including a failed payout and its replacement.
func TestListPayouts_EachKindAsCSV(t *testing.T) {
	t.Parallel()
	s := open(t)
	disputed := s.Sell("30")
	runNight(s)
	s.Operate(fields{"command": "charge_back", "merchant_code": s.Merchant.Code, "transaction": disputed.ID}, nil)
	s.Sell("90")
	s.SetPayout(fields{"iban": sandbox.ClosedIBAN})
	runNightUntil(s, "FAILED") // the bank rejects the payout
	s.SetPayout(fields{"iban": sandbox.PaidIBAN})
	runNight(s)
	for _, path := range paths(s) {
		text := string(list(s, path, days("2026-11-01", "2026-11-30", "format", "csv")).Body)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if lines[0] != header {
			t.Errorf("%s: got header %q, want %q", path, lines[0], header)
		}
		kinds := map[string]int{}
		for _, l := range lines[1:] {
			found := line.FindStringSubmatch(l)
			if found == nil {
				t.Fatalf("%s: got %q, want a match of %s", path, l, line)
			}
			kinds[found[1]+" "+found[2]]++
		}
		for kind, n := range map[string]int{"PAYOUT FAILED": 1, "CHARGE_BACK_DEDUCTION FAILED": 1, "PAYOUT SUCCESSFUL": 6,
			"CHARGE_BACK_DEDUCTION SUCCESSFUL": 1, "REFUND_DEDUCTION SUCCESSFUL": 1, "BALANCE_DEDUCTION SUCCESSFUL": 1} {
			if kinds[kind] != n {
				t.Errorf("%s: got %d times %s, want %d, in\n%s", path, kinds[kind], kind, n, text)
			}
		}
		got := list(s, path, days("2026-11-01", "2026-11-30", "format", "csv", "limit", "2", "order", "desc"))
		lastTwo := []string{lines[len(lines)-1], lines[len(lines)-2]}
		if diff := cmp.Diff(lastTwo, strings.Split(string(got.Body), "\n")[1:3]); diff != "" {
			t.Errorf("%s: the last two lines (-want +got):\n%s", path, diff)
		}
	}
}

// TestListPayouts_Scopes checks that any of three scopes suffices, and that no other scope does (contract §1). A
// request without a sufficient scope gets 403 even if its fields have faults.
func TestListPayouts_Scopes(t *testing.T) {
	t.Parallel()
	s := world.New(t).Shop()
	for scope, status := range map[string]int{"user.profile": 200, "user.profile_readonly": 200, "payouts.read": 200,
		"user.payout-settings": 403, "payments": 403, "transactions.history": 403} {
		other := s.WithKey(s.NewKey("secret", scope))
		for _, path := range paths(s) {
			r := list(other, path, days("2026-11-01", "2026-11-30"))
			if r.Status != status || status == http.StatusForbidden && (r.Text("error_message") != "request_not_allowed" ||
				r.Text("status_code") != "403") {
				t.Errorf("%s with %s: got %d %s, want %d (a 403 with request_not_allowed)", path, scope, r.Status, r.Body,
					status)
			}
			if r := list(other, path, nil); status == http.StatusForbidden && r.Status != status {
				t.Errorf("%s with %s and without dates: got %d, want %d", path, scope, r.Status, status)
			}
		}
	}
}
