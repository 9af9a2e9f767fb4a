// Package simulator runs the whole platform in a simulated world. One seed
// decides in which order the I/O of all clients and functions happens, and
// which faults are injected.
//
// A world lives in a synctest bubble. Every I/O of the platform (a call to
// the table, a queue, the acquirer, or a merchant's receiver), every move of a
// client and every response on its way back parks at the scheduler. The
// scheduler waits until everything is parked, picks one at random, decides
// whether it fails, and lets it go on until everything is parked again. So
// exactly one chain of events runs at any time, and the history, a line for
// each of them, is the same for the same seed, byte for byte.
//
// What can happen: calls fail before they leave, are done but lose their
// reply, arrive after the caller gave up, are throttled, meet a transaction in
// flight, or hang; processes die at any step and others take their place;
// clocks differ and jump, by seconds and by hours; requests arrive twice;
// messages come late, twice and in any order, and batches fail in part; the
// stream is silent for a day; indexes and time to live trail. Each seed
// switches some of these on, at rates of its own.
//
// When the clients are done the faults stop, and after a bounded number of
// ticks without faults the world must be in order: see the checks in check.go,
// invariants.go, records.go, moneycheck.go and clientview.go.
//
// The other workloads:
//
//   - Refunds: cashiers, auditors and issuers compete for transactions that were
//     paid before the faults begin. There must be an order of all requests that
//     explains what the clients saw (package linear).
//   - Hanging: some receivers never answer, and only the queue has faults. All
//     other receivers must have their callbacks in time (hanging.go).
//   - Month: a month in which clocks are put forward or back; time jumps from one
//     event to the next (month.go). In the end all that was captured must be paid
//     out, deducted or kept as a fee, each once, and the platform's own
//     reconciliation must find nothing. Live merchants' payouts go into files,
//     which operators take to the bank, and whose outcome they report
//     (filebank.go); no refund takes such a merchant below the minimum balance
//     (minimumbalance.go). Meanwhile merchants and operators change settings and bank
//     accounts: the settings shown are linearizable (package linear), each payout goes
//     to the account that is the payee when its transfer is recorded, no rule of
//     contract §7.3 is broken (bankaccountcheck.go), clients are shown what was there
//     (bankaccountview.go), and each change has one audit entry (auditcheck.go).
//   - People: owners, employees, operators and keys of a merchant change roles, members
//     and keys at the same time, invite and accept. Who writes a change has the right to
//     it at that moment, and each change has its audit entry and its mail
//     (peoplewrites.go). After each write all counts, guards and links agree, and there
//     is an active owner (peoplecheck.go). No change is lost or made twice: what clients
//     saw of each role, member and key is linearizable (package linear). Rules that need
//     no race are tested elsewhere: who may do what, in the tests of package functions.
//   - Files: clients of one or two tenants make collections and files, upload by links
//     that may have ended, complete, move and delete them, while calls to S3 fail as
//     those to the table. After each write all lists, counts and entries of objects agree
//     with the files, and each uploaded file's content is at S3 as it was checked
//     (filescheck.go, objectcheck.go). Each answer was true at some time between the
//     request and the answer (filesview.go). In the end S3 has what the table says, and
//     nothing else, and the platform's own reconciliation finds nothing.
//   - Unknown: nothing fails, and delays are the usual ones. What the acquirer
//     knows after 30 s is settled within 45 s (unknown.go).
//
// A mutation control takes a condition out of all writes (Options.Without). Such a write waits while others go on,
// which is what the condition is for, and of some conditions all people play a story (hold.go, people.go).
//
// Not simulated: the merchant's network beyond one receiver, and the JSON of
// the functions' events.
package simulator
