package simulator

// Workloads are the workloads, by name.
var Workloads = map[string]func(*World) workload{
	"everything": newEverything, "refunds": newRefundSales, "month": newMonth, "unknown": newUnknown, "hanging": newHanging,
	"people": newPeople, "readers": newReaders, "files": newFiles,
}
