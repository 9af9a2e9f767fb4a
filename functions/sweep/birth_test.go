package sweep_test

import (
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestTick_RecordsBirth checks that the first tick that reaches the table records the birth of the index of changes, an
// hour ahead. Later ticks and processes leave it.
func TestTick_RecordsBirth(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	_, table := w.App.Store.Raw()
	key := table.Delete("pk", "BIRTH#changes").Range("sk", "BIRTH").If("attribute_exists(pk)")
	if err := key.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := w.Process() // records it again, as the local platform does at its start
	if err := key.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	puts, broken := 0, true
	p.Steps.Inject(func(operation string) faults.Fault {
		switch {
		case !strings.HasSuffix(operation, "PutItem"):
			return faults.None
		case broken: // for all tries of the first tick
			return faults.FailBefore
		}
		puts++
		return faults.None
	})
	for range 3 {
		if err := p.TickNow(t.Context(), "sweep"); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Minute)
		broken = false
	}
	var birth struct {
		At time.Time `dynamo:"at"`
	}
	err := table.Get("pk", "BIRTH#changes").Range("sk", dynamo.Equal, "BIRTH").One(t.Context(), &birth)
	want := world.Start.Add(time.Minute + time.Hour)
	if err != nil || puts != 1 || !birth.At.Equal(want) {
		t.Errorf("got birth %s after %d puts, %v, want %s after one", birth.At, puts, err, want)
	}
}
