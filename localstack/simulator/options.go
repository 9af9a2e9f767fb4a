package simulator

import (
	"fmt"
	"slices"
)

// Workload is what is simulated in a world.
type Workload string

// The workloads.
const (
	Everything Workload = "everything" // payments by all methods, with faults
	Refunds    Workload = "refunds"    // many refunds of transactions that were paid before the faults begin
	Month      Workload = "month"      // a month of payments and payouts
	Unknown    Workload = "unknown"    // payments and refunds of unknown outcome, while nothing fails
	Hanging    Workload = "hanging"    // receivers that take callbacks and do not answer
	People     Workload = "people"     // changes of roles, members and keys
	Readers    Workload = "readers"    // payments at card readers, whose line may drop at any message
	Files      Workload = "files"      // uploads by links, and changes of files and collections
)

// Workloads are all of them.
var Workloads = []Workload{Everything, Refunds, Month, Unknown, Hanging, People, Readers, Files}

// ParseWorkload is the workload of that name; "" is Everything.
func ParseWorkload(name string) (Workload, error) {
	if name == "" {
		return Everything, nil
	}
	if !slices.Contains(Workloads, Workload(name)) {
		return "", fmt.Errorf("there is no workload %q: there are %v", name, Workloads)
	}
	return Workload(name), nil
}

// Options of a run.
type Options struct {
	Workload Workload
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
