// Package simulator runs the whole platform in a simulated world. Call Run with a seed and a Workload: the seed decides
// the order of all I/O of clients and functions, and the faults.
//
// A world lives in a synctest bubble. Every I/O of the platform (a call to the table, a queue, the acquirer, or a
// merchant's receiver), every move of a client and every response on its way back parks at the scheduler. The scheduler
// waits until everything is parked, picks one call at random, decides whether the call fails, and lets it run until
// everything is parked again. So exactly one chain of events runs at any time. The history has a line for each event,
// and is the same for the same seed, byte for byte.
//
// Calls fail before they leave, are done but lose their reply, arrive after the caller gave up, are throttled, meet a
// transaction in flight, or hang. Processes die at any step and others take their place. Clocks differ and jump, by
// seconds and by hours. Requests arrive twice. Messages come late, twice and in any order, and batches fail in part.
// The stream is silent for a day. Indexes and time to live lag behind. Each seed switches some faults on, and sets
// their rates.
//
// In test mode the sandbox charges, and each call of the port is one I/O. In live mode a stand-in for Stripe can charge
// (GoLiveAtStripe). Package shared/acquirer/stripe then runs in the functions. Each of its requests to Stripe, and each
// of its calls to the table, is one I/O. Stripe sends notices of its events.
//
// When the clients are done, the faults stop. After a bounded number of ticks everything must be in order (package
// books).
//
// Each workload is a package below this one, and implements Workload. It may use packages books and shops, which share
// the parts that most workloads have in common. ARCHITECTURE.md lists the rules that must hold in each.
//
// A mutation control removes a condition from all writes (Mutation.Without). The scheduler lets such a write wait while
// other calls go on, because the condition would protect the write from these calls. For conditions that few worlds
// need, package people has plots (stories).
//
// Not simulated: the merchant's network beyond one receiver, and the JSON of the functions' events.
package simulator
