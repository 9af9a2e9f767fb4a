// Package simulator runs the whole platform in a simulated world that one seed
// decides: the order in which all I/O of all clients and functions happens,
// and what goes wrong with it.
//
// A world lives in a synctest bubble. Every I/O of the platform (a call to
// the table, a queue, the acquirer, or a merchant's receiver), every move of a
// client and every reply on its way back parks at the scheduler. The scheduler
// waits until everything is parked, picks one by the seed's dice, decides its
// fate, and lets that one go on until all is parked again. So exactly one
// chain of events runs at any time, and the history, a line for each of them,
// is the same for the same seed, byte for byte.
//
// What can happen: calls fail before they leave, are done but lose their
// reply, arrive after the caller gave up, are throttled, meet a transaction in
// flight, or hang; processes die at any step and others take their place;
// clocks differ and jump, by seconds and by hours; requests arrive twice;
// messages come late, twice and in any order, and batches fail in part; the
// stream goes silent for a day; indexes and time to live trail. Each seed
// switches some of these on, at rates of its own.
//
// In a world of refunds, cashiers, auditors and issuers compete for transactions
// that were paid before the storm. What their clients saw is searched for an order that explains it
// (package linear).
//
// A world of receivers that hang has prompt event sources, few consumers, and no other
// faults but the queue's: receivers that answer must have their callbacks in time (hanging.go).
//
// When the clients are done the faults stop, and after a bounded number of
// quiet ticks the world must be in order: see the checks in check.go,
// invariants.go, records.go, moneycheck.go and promise.go.
//
// A world of payouts lasts a month in which clocks are put forward or back, and
// jumps from one thing that happens to the next (month.go). In its calm, all that
// was captured must be paid, deducted or kept as a fee, each once, and the
// platform's own reconciliation must find nothing.
//
// In a world of unknown outcomes nothing fails, and delays are the usual ones: what
// the acquirer knows after 30 s is settled within 45 (unknown.go).
//
// Live merchants' payouts go into files, which treasurers take to their bank, and
// whose outcome they report (treasury.go); no refund leaves such a merchant below
// its floor (floor.go).
//
// Left out: the merchant's network beyond one receiver, and API Gateway, whose
// events are made here without their JSON.
package simulator
