// Package simulator runs the whole platform in a simulated world. One seed decides in which order the I/O of all
// clients and functions happens, and which faults are injected.
//
// A world lives in a synctest bubble. Every I/O of the platform (a call to the table, a queue, the acquirer, or a
// merchant's receiver), every move of a client and every response on its way back parks at the scheduler. The scheduler
// waits until everything is parked, picks one at random, decides whether it fails, and lets it go on until everything
// is parked again. So exactly one chain of events runs at any time, and the history, a line for each of them, is the
// same for the same seed, byte for byte.
//
// What can happen: calls fail before they leave, are done but lose their reply, arrive after the caller gave up, are
// throttled, meet a transaction in flight, or hang; processes die at any step and others take their place; clocks
// differ and jump, by seconds and by hours; requests arrive twice; messages come late, twice and in any order, and
// batches fail in part; the stream is silent for a day; indexes and time to live trail. Each seed switches some of
// these on, at rates of its own.
//
// When the clients are done the faults stop. A bounded number of ticks later all must be in order: see package books.
//
// Each workload is a package below this one, and implements Workload. It may use packages books and shops, which share
// what is the same in most. ARCHITECTURE.md lists what must hold in each.
//
// A mutation control takes a condition out of all writes (Mutation.Without). Such a write waits while others go on,
// which is what the condition is for, and of some conditions all people play a story (fault.go, package people).
//
// Not simulated: the merchant's network beyond one receiver, and the JSON of the functions' events.
package simulator
