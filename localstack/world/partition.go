package world

import "github.com/cashwrap/cashwrap/localstack/faults"

// busy is how many new payments within ten seconds let a throttled shard grow
// (store.Config): tests have few.
const busy = 5

// LimitPartitions has each partition of the table take only so many write units in
// a second of the world's clock from now on; 0: any number.
func (w *World) LimitPartitions(units int) *faults.Partitions {
	if limited, ok := w.table.(*faults.Partitions); ok {
		w.table = limited.Next
	}
	limited := &faults.Partitions{Next: w.table, Units: units, Now: w.Clock.Now}
	if units > 0 {
		w.table = limited
	}
	return limited
}
