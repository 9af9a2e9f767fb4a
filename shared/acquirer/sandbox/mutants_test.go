package sandbox_test

import (
	"fmt"
	"maps"
	"regexp"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/acquirertest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// mutant is a sandbox that breaks rules of the port in one way.
type mutant struct {
	change func(*override, *memory)
	fails  []string // names of the cases that must fail
}

// allMutants returns the mutants by name.
func allMutants() map[string]mutant {
	all := map[string]mutant{}
	for _, some := range []map[string]mutant{chargeMutants, cancelMutants, refundMutants, cardMutants, answerMutants,
		noticeMutants} {
		maps.Copy(all, some)
	}
	return all
}

// TestAcquirer_Mutants checks that each case fails for a sandbox that breaks the case's rules.
func TestAcquirer_Mutants(t *testing.T) {
	t.Parallel()
	cases, failed := map[string]acquirertest.Case{}, map[string]bool{}
	for _, c := range acquirertest.Cases() {
		cases[c.Name] = c
	}
	for name, m := range allMutants() {
		for _, c := range m.fails {
			failed[c] = true
			t.Run(fmt.Sprintf("%s, %s", name, c), func(t *testing.T) {
				t.Parallel()
				p := openPeer(t)
				overrideBoth(&p, m.change)
				mustFail(t, cases[c], p)
			})
		}
	}
	for c := range cases {
		if !failed[c] {
			t.Errorf("%s: got no mutant that fails the case, want one", c)
		}
	}
}

// TestAcquirer_AvailableLate checks that a line passes that is available at any time of the last allowed date.
func TestAcquirer_AvailableLate(t *testing.T) {
	t.Parallel()
	for _, c := range acquirertest.Cases() {
		if c.Name != "Statement_EveryLine" {
			continue
		}
		p := openPeer(t)
		overrideBoth(&p, changeLine(func(m *acquirer.Movement) {
			m.AvailableOn = m.At.Truncate(24*time.Hour).AddDate(0, 0, 401).Add(-time.Second)
		}))
		if failure := c.FirstFailure(t.Context(), p); failure != "" {
			t.Errorf("got failure %q, want none", failure)
		}
	}
}

func mustFail(t *testing.T, c acquirertest.Case, p acquirertest.Peer) {
	t.Helper()
	failure := c.FirstFailure(t.Context(), p)
	if failure == "" {
		t.Fatal("got no failure, want one")
	}
	t.Log(failure)
}

// needFaults matches the names of the cases that inject faults or count requests.
var needFaults = regexp.MustCompile(`_(Interrupted|Meets.*|CallerGivesUp|NoSecrets)$`)

// TestAcquirer_FaultsNotWired checks that cases fail if the peer's faults do not reach the acquirer's requests.
func TestAcquirer_FaultsNotWired(t *testing.T) {
	t.Parallel()
	for _, c := range acquirertest.Cases() {
		p := openPeer(t)
		p.Steps = new(faults.Steps)
		if failure := c.FirstFailure(t.Context(), p); (failure != "") != needFaults.MatchString(c.Name) {
			t.Errorf("%s: got failure %q, want one only of a case that needs faults", c.Name, failure)
		}
	}
}

// TestAcquirer_RecordsNotShared checks that a case fails if the second process has other records.
func TestAcquirer_RecordsNotShared(t *testing.T) {
	t.Parallel()
	for _, c := range acquirertest.Cases() {
		if c.Name == "Charge_EachResult" {
			p := openPeer(t)
			p.Second = openPeer(t).Second
			mustFail(t, c, p)
		}
	}
}

// TestAcquirer_LacksResults checks that a case fails if the peer lacks a result that every acquirer must have. If the
// peer lacks another result, the case is skipped.
func TestAcquirer_LacksResults(t *testing.T) {
	t.Parallel()
	for _, c := range acquirertest.Cases() {
		fails, known := map[string]bool{"Charge_Interrupted": true, "Charge_Pending": false, "Charge_Code": false}[c.Name]
		if !known {
			continue
		}
		p := openPeer(t)
		p.NewCharge = func(acquirertest.Result) (acquirer.Charge, bool) { return acquirer.Charge{}, false }
		if failure := c.FirstFailure(t.Context(), p); (failure != "") != fails {
			t.Errorf("%s: got failure %q, want one %t", c.Name, failure, fails)
		}
	}
}

// reword returns a mutant's change that turns an outcome of any call into another.
func reword(as func(*payments.Outcome)) func(*override, *memory) {
	return func(o *override, _ *memory) { o.reword = as }
}
