package contract_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// notPlanned matches the rows of contract §1 with this mark, as "METHOD path".
var notPlanned = regexp.MustCompile(`(?m)^\|[^|]*\| (\w+) \(not planned: §13\.8\) \| ([A-Z]+ \S+) \|`)

// TestNotPlannedOperations_NotFound checks that operations that are not planned answer 404, with and without a key
// (contract §13.8).
func TestNotPlannedOperations_NotFound(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../shared/contract/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := notPlanned.FindAllStringSubmatch(string(text), -1)
	if len(rows) != 4 {
		t.Fatalf("got rows %q, want 4", rows)
	}
	s := world.NewShop(t)
	fill := strings.NewReplacer("{mc}", s.Merchant.Code, "{reader_id}", "rdr_3MSAFM23CK82VSTT4BN6RWSQ65",
		"{customer_id}", s.Customer(), "{id}", s.Create("10.10", nil))
	for _, row := range rows {
		method, path, _ := strings.Cut(fill.Replace(row[2]), " ")
		for _, key := range []string{"", world.NoKey, "sk_test_x"} {
			got := s.Main().DoUnchecked(world.Request{Method: method, Path: path, APIKey: key, Body: map[string]any{}})
			if key == "" {
				got = s.Main().DoUnchecked(world.Request{Method: method, Path: path, APIKey: s.Merchant.Key.Plaintext,
					Body: map[string]any{}})
			}
			if got.Status != 404 || got.Text("error_code") != "NOT_FOUND" {
				t.Errorf("%s, key %.9q: got %d %s, want 404 NOT_FOUND", row[1], key, got.Status, got.Body)
			}
		}
	}
}
