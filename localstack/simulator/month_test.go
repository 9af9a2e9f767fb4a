package simulator_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

const (
	monthsVariable = "CASHWRAP_SIM_MONTHS"
	defaultMonths  = 2
)

// TestRun_Month checks months of payouts.
func TestRun_Month(t *testing.T) { runSeeds(t, "month", monthsVariable, defaultMonths) }

// TestMutation_PayoutConditions checks the conditions of payouts in months, like TestMutation_Conditions.
func TestMutation_PayoutConditions(t *testing.T) {
	mutations{
		workloads: []string{"month"},
		included:  payoutConditions.MatchString,
		survivors: monthSurvivors, scoutSeeds: 8, mutantSeeds: 300, survivorSeeds: 2,
	}.run(t)
}

// payoutConditions matches the conditions of payouts, and of merchants' settings and bank accounts. It also matches
// conditions of items that both refunds and payouts change. The other workloads test all other conditions.
var payoutConditions = regexp.MustCompile(`SCHEDULE:|PAYOUT:|RECORD:|TRANSFER:|FILEBANK|CREDIT:|DEBIT:|TRANSACTION: ` +
	`\(version|EVENT: \(status = |payout` +
	`|MERCHANT: \(version|BANKACCOUNTS:|AUDIT:`)

// monthSurvivors lists the conditions whose removal no month can notice, with the reasons.
var monthSurvivors = map[string]string{
	"Delete CREDIT: (attribute_exists(pk))": "in one transaction with its payment's, whose version lets " +
		"one payout take it",
	"Put CREDIT: (attribute_exists(pk))": "likewise: a payout that takes the payable changes the payment's " +
		"transaction",
	"Put CREDIT: (attribute_not_exists(pk))": "in one transaction with its payment's, whose version lets " +
		"it in once, under a number of its own",
	"Put DEBIT: (attribute_not_exists(pk))": "in one transaction with its payment's or payout, whose " +
		"version lets it in once",
	"Put EVENT: (status = ?)": "in one transaction with its payout, whose version lets " +
		"each outcome be applied once",
	"Put AUDIT: (attribute_not_exists(pk))": "in one transaction with the change, under a fresh random id",
	"Put RECORD: (attribute_not_exists(pk))": "in one transaction with its payout, whose version lets it " +
		"in once",
	"Put RECORD: (status = ?)": "in one transaction with its payout, whose version lets " +
		"each outcome be applied once",
	"Put FILEBANK EXPORT: (attribute_not_exists(digest))": "every call seals the same: its transfers have been " +
		"claimed for it, and never leave it",
	"Put BANKACCOUNTS: (attribute_not_exists(pk))": "in one transaction with its merchant, whose version lets it " +
		"in once",
	"Put BANKACCOUNTS: (version = ?)": "likewise: every change of the accounts writes the merchant, too",
	"Put SCHEDULE: (attribute_not_exists(pk))": "in one transaction with its merchant, whose version lets it " +
		"in once",
	"Put payout: (attribute_not_exists(pk))": "in one transaction with its payout, whose version lets it " +
		"in once",
	"Put payout_paid: (attribute_not_exists(pk))": "in one transaction with its payout, whose version lets it " +
		"in once",
	"Put payout_returned: (attribute_not_exists(pk))": "in one transaction with its payout, whose version lets it " +
		"in once",
}

// TestMutation_PayeeAndAudit removes the payout account or the audit entry from changes of accounts. A month must then
// fail.
func TestMutation_PayeeAndAudit(t *testing.T) {
	skipUnlessControls(t)
	const months = 10
	for without, want := range map[string]string{calls.Payee: "the payee of", calls.Audit: "audit entries"} {
		found := ""
		for seed := uint64(1); seed <= months && !strings.Contains(found, want); seed++ {
			found = seedRun{"month", seed}.runWithout(t, without)
		}
		if !strings.Contains(found, want) {
			t.Errorf("without %s: got %q in %d months, want a finding of %q", without, found, months, want)
		}
	}
}

// TestMutation_Shards lets queries read only the first of a merchant's shards. A month of merchants with several shards
// must then fail.
func TestMutation_Shards(t *testing.T) {
	skipUnlessControls(t)
	if !runShards(t) {
		return
	}
	part, parts, _ := readShard(t)
	for seed := part + 1; seed <= 10; seed += parts {
		finding := seedRun{"month", seed}.runWithout(t, calls.Shards)
		if finding != "" {
			t.Logf("seed %d finds %s", seed, finding)
			return
		}
	}
	t.Errorf("part %d: got no finding of readers that ignore all shards but the first, want one", part)
}
