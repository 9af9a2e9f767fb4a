package rules_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
)

// TestScheduleNext_Aligned checks that an aligned schedule ticks at the quarter hours, independently of its deployment.
// A schedule that is not aligned counts its interval from its last tick.
func TestScheduleNext_Aligned(t *testing.T) {
	t.Parallel()
	at := func(clock string) time.Time {
		moment, err := time.Parse(time.RFC3339, "2026-11-20T"+clock+"Z")
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for _, c := range []struct {
		aligned   bool
		now, next string
	}{
		{true, "12:00:00", "12:15:00"}, {true, "12:00:00.001", "12:15:00"}, {true, "12:14:59.999", "12:15:00"},
		{true, "12:50:01", "13:00:00"}, {false, "12:50:01", "13:05:01"},
	} {
		s := functions.Schedule{Every: 15 * time.Minute, Aligned: c.aligned}
		if got, want := s.Next(at(c.now)), at(c.next); !got.Equal(want) {
			t.Errorf("aligned %t, at %s: got %s, want %s", c.aligned, c.now, got, want)
		}
	}
}
