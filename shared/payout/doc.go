// Package payout holds the types and pure rules of a payout, which pays a merchant for one period. It does no I/O;
// package run plans and runs payouts by these rules.
//
// # How money leaves
//
// These steps bring money to a merchant's bank account. ARCHITECTURE.md, "Payouts", has the reasons.
//
//   - A payment succeeds. The transaction that records it also writes the journal entry and one payable for each
//     instalment (shared/payments/payable.go, part.go). A refund reduces the payable. If the payable has been paid out,
//     the refund adds a negative payable.
//   - The merchant's schedule waits in the due index (shared/store/payout.go, scheduleItem). Its next cut-off is a
//     local midnight, stored in UTC (shared/merchant/calendar.go).
//   - Every quarter of an hour functions/payoutplan sends a message for each shard of the due index.
//   - functions/payoutopen takes such a message. Runner.WalkDue (run/overdue.go) walks the shard, and Runner.Plan
//     (run/plan.go) opens the payout of each schedule whose cut-off has come: [New], under an [ID] that follows from
//     merchant, currency and day. payoutopen puts the payout's message into the queue.
//   - functions/payoutrun takes that message. Runner.Run (run/runner.go) takes one step after the other, each in one
//     database transaction: [Payout.Collect] moves payables into the payout as records, [Payout.Seal] ends the
//     collecting, and [Payout.Send] enters the transfer into the journal. A sealed payout waits for a verified account.
//   - The next step orders the transfer at the bank (shared/bank) under the payout's id, so that a repeated order is
//     the same transfer. An order that the bank does not accept for a day is cancelled there.
//   - The bank answers, at once or at a later poll. [Payout.Paid] or [Payout.Rejected] enters the outcome into the
//     journal. [Payout.ApplyOutcome] makes the transactions PAID_OUT, or SCHEDULED again.
//   - Runner.OpenOnDemand (run/plan.go) opens a payout between two cut-offs. This payout takes the same steps.
//   - The payout of the next cut-off collects returned payables and a negative total that was carried forward.
//
// Runner.ChangeBankAccounts (run/bankaccounts.go) changes the account for payouts, on a merchant's request
// (functions/merchants) or the operator's set_payout. run_payouts and settle_payout (functions/provision) call the same
// runner. In live mode export_payouts writes the bank's file, and settle_payout records the bank's answer
// (shared/bank/file). Merchants read payouts through functions/payouts. functions/reconcile proves each night that
// payables, payouts, the journal and the bank's statement agree.
package payout
