package simulator

// Options of a run.
type Options struct {
	// Workload makes what is simulated (package workloads).
	Workload func(*World) Workload
	// Without takes something out of the world, to see that it is needed: Stream,
	// Groups, Shards, Payee, Audit, or by its name a condition of writes. "" takes nothing. Writes that lack a condition
	// wait for others, and people may have a story of their own then (hold.go, people.go).
	Without string
	// Kept leaves the condition in its place after all, so that nothing may be found.
	Kept bool
	// Conditions, unless nil, is given the name of each condition that a write carries.
	Conditions func(name string)
}

// What Options.Without can take away beside conditions.
const (
	Stream = "the reader of the table's stream"
	Groups = "the message groups by which queues are fair"
	Shards = "all but the first of the shards that a query would find"
	Payee  = "the schedule in later changes of bank accounts, which says where payouts go"
	Audit  = "the audit entries of changes"
)
