package simulator_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

const (
	// monthScouts are the months that find out which conditions there are.
	monthScouts = 8
	// mutantMonths is how many months each mutant must survive to count.
	mutantMonths = 300
	// survivorMonths is the same for known survivors.
	survivorMonths = 2
	// mutantMonthsVariable sets both.
	mutantMonthsVariable = "CASHWRAP_SIM_MUTANT_MONTHS"
)

// ofPayouts are the conditions of payouts, of merchants' settings, and of what
// refunds and payouts both change. The other workloads miss the rest.
var ofPayouts = regexp.MustCompile(`SCHEDULE:|PAYOUT:|RECORD:|TRANSFER:|FILEBANK|CREDIT:|DEBIT:|TRANSACTION: ` +
	`\(version|EVENT: \(status = |payout` +
	`|MERCHANT: \(version`)

// monthSurvivors are the conditions that no month can miss, and why.
var monthSurvivors = map[string]string{
	"Delete CREDIT: (attribute_exists(pk))": "in one transaction with its payment's, whose version lets " +
		"one payout take it",
	"Put CREDIT: (attribute_exists(pk))": "likewise: a payout that takes the row changes the payment's " +
		"transaction",
	"Put CREDIT: (attribute_not_exists(pk))": "in one transaction with its payment's, whose version lets " +
		"it in once, under a number of its own",
	"Put DEBIT: (attribute_not_exists(pk))": "in one transaction with its payment's or payout, whose " +
		"version lets it in once",
	"Put EVENT: (status = ?)": "in one transaction with the payout that tells it, whose " +
		"version lets each record be told once",
	"Put RECORD: (attribute_not_exists(pk))": "in one transaction with its payout, whose version lets it " +
		"in once",
	"Put RECORD: (status = ?)": "in one transaction with its payout, whose version lets it " +
		"be told once",
	"Put FILEBANK EXPORT: (attribute_not_exists(digest))": "every call seals the same: its transfers have been " +
		"claimed for it, and never leave it",
	"Put SCHEDULE: (attribute_not_exists(pk))": "in one transaction with its merchant, whose version lets it " +
		"in once",
	"Put payout: (attribute_not_exists(pk))": "in one transaction with its payout, whose version lets it " +
		"in once",
	"Put payout_paid: (attribute_not_exists(pk))": "in one transaction with its payout, whose version lets it " +
		"in once",
	"Put payout_returned: (attribute_not_exists(pk))": "in one transaction with its payout, whose version lets it " +
		"in once",
}

// monthMissing are months that miss a condition, to find them at once; another
// is searched for when the workload has moved on.
var monthMissing = map[string]uint64{
	"Put FILEBANK EXPORT: (attribute_not_exists(pk))":   19,
	"Put FILEBANK TRANSFER: (attribute_not_exists(pk))": 2,
	"Put FILEBANK TRANSFER: (transfer_state = ?)":       2,
	"Put MERCHANT: (version = ?)":                       93,
	"Delete DEBIT: (attribute_exists(pk))":              22,
	"Put TRANSACTION: (version = ?)":                    12,
	"Put PAYOUT: (attribute_not_exists(pk))":            6,
	"Put PAYOUT: (version = ?)":                         2,
	"Put SANDBOX TRANSFER: (attribute_not_exists(pk))":  1,
	"Put SANDBOX TRANSFER: (transfer_state = ?)":        31,
	"Put SCHEDULE: (version = ?)":                       3,
}

// TestEachPayoutConditionIsNeeded takes each condition that payouts add out of
// all writes in turn, at the transport: some month must then not come right.
func TestEachPayoutConditionIsNeeded(t *testing.T) {
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	for i, name := range payoutConditions(t) {
		if uint64(i)%parts != part || !strings.Contains(name, os.Getenv(mutantVariable)) {
			continue
		}
		seed, finding := firstMonth(t, name)
		judge(t, name, monthSurvivors, fmt.Sprintf("month %d", seed), finding)
	}
}

// payoutConditions are all that the months' writes carry.
func payoutConditions(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	for seed := uint64(1); seed <= monthScouts; seed++ {
		simulator.Run(t, seed, simulator.Options{Workload: simulator.Month, Conditions: func(name string) {
			if ofPayouts.MatchString(name) {
				seen[name] = true
			}
		}})
	}
	return slices.Sorted(maps.Keys(seen))
}

// firstMonth misses the condition, and what it finds.
func firstMonth(t *testing.T, condition string) (seed uint64, finding string) {
	t.Helper()
	most := number(t, mutantMonthsVariable, mutantMonths)
	if monthSurvivors[condition] != "" {
		most = number(t, mutantMonthsVariable, survivorMonths)
	}
	for n := range most + 1 {
		if seed = n; n == 0 {
			if seed = monthMissing[condition]; seed == 0 {
				continue
			}
		}
		if found := simulator.Run(t, seed, simulator.Options{Workload: simulator.Month, Without: condition}).Findings(); len(
			found) > 0 {
			return seed, found[0].Text
		}
	}
	return 0, ""
}
