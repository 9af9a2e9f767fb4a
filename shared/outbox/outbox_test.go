package outbox_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/outbox"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestEntry_Ends checks that an entry is dead after at most twelve failed or interrupted tries. No try may be due more
// than a few seconds before its published time. Package payments tests the rules that apply only to callbacks.
func TestEntry_Ends(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		e, now := outbox.New("1", start), start
		for e.Waits() {
			if e.State == outbox.Sending && e.TryAt() != (time.Time{}) {
				r.Fatalf("got %+v on the fast path while its try may run, want it left to the sweep", e)
			}
			if e.IsDue(e.NextAt.Add(-6*time.Second)) || !e.IsDue(e.NextAt) {
				r.Fatalf("got %+v due before its time, or not then", e)
			}
			now = e.NextAt.Add(time.Duration(rapid.IntRange(0, 3600).Draw(r, "late")) * time.Second)
			if dead, is := e.Expired(now); is {
				e = dead
				continue
			}
			before := e
			begun := e.Begun(now)
			if begun.State != outbox.Sending || !begun.NextAt.After(now) || begun.Tries != e.Tries+1 || begun.IsDue(now) {
				r.Fatalf("got %+v, want it due again after %s", begun, now)
			}
			switch rapid.SampledFrom([]string{"failed", "interrupted"}).Draw(r, "outcome") {
			case "failed":
				e = before.Undelivered("refused", now)
				if e.State == outbox.Pending && !e.NextAt.Equal(begun.NextAt) {
					r.Fatalf("got the next try at %s, want it at %s as after an interrupted one", e.NextAt, begun.NextAt)
				}
			default:
				e = begun
			}
		}
		if e.State != outbox.Dead || e.Tries > 12 {
			r.Fatalf("got %+v, want it dead after at most 12 tries", e)
		}
		if again := e.Replayed(now); !again.IsDue(now) || again.FirstFailedAt != nil || again.LastError != "" {
			r.Fatalf("got %+v, want it as new", again)
		}
	})
}

func TestEntry_FinalStates(t *testing.T) {
	t.Parallel()
	e := outbox.New("1", start)
	for _, over := range []outbox.Entry{e.Sent(), e.Dropped("obsolete"), e.Begun(start).Sent()} {
		far := start.Add(1000 * time.Hour)
		if over.Waits() || over.IsDue(far) || over.Overdue(far) || !over.TryAt().IsZero() {
			t.Errorf("got %+v, want it over", over)
		}
	}
	if e.Sent().Tries != 1 || e.Dropped("r").LastError != "r" {
		t.Errorf("got %+v and %+v, want a try and the reason", e.Sent(), e.Dropped("r"))
	}
}

func TestHeld(t *testing.T) {
	t.Parallel()
	e := outbox.New("1", start).Swept(start).Held("no sender", time.Hour, start)
	if e.Tries != 0 || e.FirstFailedAt != nil || e.Sweeps != 0 || e.LastError != "no sender" ||
		!e.NextAt.Equal(start.Add(time.Hour)) || e.Lost() {
		t.Errorf("got %+v, want it due in an hour, by the sweep", e)
	}
}
