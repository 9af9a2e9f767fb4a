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

// TestMonths simulates months of payouts.
func TestMonths(t *testing.T) { runSeeds(t, "month", monthsVariable, defaultMonths) }

// TestEachPayoutConditionIsNeeded does the same in months of payouts.
func TestEachPayoutConditionIsNeeded(t *testing.T) {
	mutations{
		workloads: []string{"month"},
		included:  ofPayouts.MatchString,
		survivors: monthSurvivors, scouts: 8, mutants: 300, vain: 2,
	}.test(t)
}

// ofPayouts are the conditions of payouts, of merchants' settings and bank accounts, and
// of what refunds and payouts both change. The other workloads notice the rest.
var ofPayouts = regexp.MustCompile(`SCHEDULE:|PAYOUT:|RECORD:|TRANSFER:|FILEBANK|CREDIT:|DEBIT:|TRANSACTION: ` +
	`\(version|EVENT: \(status = |payout` +
	`|MERCHANT: \(version|BANKACCOUNTS:|AUDIT:`)

// monthSurvivors are the conditions whose removal no month can notice, and why.
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

// TestEachWriteOfAChangeIsNeeded takes away what a change of a merchant's account writes
// beside it: the account that payouts go to, and the audit entry. A month must notice.
func TestEachWriteOfAChangeIsNeeded(t *testing.T) {
	control(t)
	const months = 10
	for without, want := range map[string]string{calls.Payee: "the payee of", calls.Audit: "audit entries"} {
		found := ""
		for seed := uint64(1); seed <= months && !strings.Contains(found, want); seed++ {
			found = seedRun{"month", seed}.without(t, without)
		}
		if !strings.Contains(found, want) {
			t.Errorf("without %s: got %q in %d months, want a finding of %q", without, found, months, want)
		}
	}
}

// TestAReaderOfOneShardIsNoticed is the control of merchants that have grown: what readers do not find is not paid out.
func TestAReaderOfOneShardIsNoticed(t *testing.T) {
	control(t)
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	for seed := part + 1; seed <= 10; seed += parts {
		finding := seedRun{"month", seed}.without(t, calls.Shards)
		if finding != "" {
			t.Logf("seed %d finds %s", seed, finding)
			return
		}
	}
	t.Errorf("part %d: got no finding of readers that ignore all shards but the first, want one", part)
}
