package store

import (
	"strconv"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// The keys of the journal, payables, bank accounts, payouts and reserves, as the table in keys.go lists them.

// filedUnder names the journal partition of the entries about a subject: by the transaction's code, or by the id of the
// payout or settlement.
func filedUnder(about ledger.Reference) string {
	if about.Subject == ledger.SubjectTransaction {
		return payments.CodeOfID(about.ID)
	}
	return about.ID
}

func journalPartition(t identity.Tenant, name string) string { return KindJournal.of(t, bounded(name)) }

func journalKey(t identity.Tenant, e ledger.Entry) key {
	return key{journalPartition(t, filedUnder(e.About)), string(e.Kind) + "#" + bounded(e.ID)}
}

// BalanceAtLeast reads debits before credits.
const (
	debitPrefix  = "DEBIT#"
	creditPrefix = "CREDIT#"
)

func payablePartition(t identity.Tenant, c money.Currency, shard int) string {
	return KindPayable.of(t, inShard(shard, string(c))...)
}

func payableKey(t identity.Tenant, u payments.Payable) key {
	prefix := creditPrefix
	if u.Kind != payments.PayablePart {
		prefix = debitPrefix
	}
	return key{payablePartition(t, u.Amount.Currency(), u.Shard), prefix + micros(u.EligibleAt) + "#" + u.ID}
}

func bankAccountsKey(t identity.Tenant) key { return key{KindBankAccounts.of(t), "BANKACCOUNTS"} }

func payoutScheduleKey(t identity.Tenant) key { return key{KindPayoutSchedule.of(t), "SCHEDULE"} }

func payoutKey(t identity.Tenant, id string) key {
	return key{KindPayout.of(t, bounded(id)), "PAYOUT"}
}

func payoutLeaseKey(shard int) key { return key{KindPayoutLease.named(strconv.Itoa(shard)), "LEASE"} }

func payoutRecordPartition(t identity.Tenant) string { return KindPayoutRecords.of(t) }

// recordPrefix returns the prefix of a payout's records.
func recordPrefix(p payout.Payout) string { return p.Day + "#" + p.ID + "#" }

func reserveKey(t identity.Tenant, c money.Currency) key {
	return key{KindReserve.of(t, string(c)), "RESERVE"}
}
