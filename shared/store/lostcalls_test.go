package store_test

import (
	"fmt"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/store"
)

// untilDone repeats a change while it fails.
type untilDone func(what string, change func() error)

// runEachLoss runs a scenario over an empty table for each operation of the table. It loses one request or reply, as
// many as the SDK tries, or one more than that.
func runEachLoss(t *testing.T, operations []string, scenario func(*testing.T, *store.Store, untilDone)) {
	t.Helper()
	const tries = 3 // of the SDK
	for _, operation := range operations {
		for fault, kind := range map[string]faults.Fault{"requests": faults.FailBefore, "replies": faults.LoseReply} {
			for _, lost := range []int{1, tries, tries + 1} {
				t.Run(fmt.Sprintf("%d %s of %s lost", lost, fault, operation), func(t *testing.T) {
					wire := &faults.Wire{Send: enginetest.Do}
					scenario(t, openTable(t, clock.New(), wire), func(what string, change func() error) {
						t.Helper()
						wire.Inject(faults.Times(lost, operation, kind))
						defer wire.Inject(nil)
						var err error
						for range 2 * tries {
							if err = change(); err == nil {
								return
							}
						}
						t.Fatalf("%s: got error %v, want none in the end", what, err)
					})
				})
			}
		}
	}
}
