package payout_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payout"
)

// TestShouldCancel checks that a transfer is cancelled after the bank has had a day, or at once if the account was
// replaced. A transfer is never cancelled before it was sent or after its outcome is known.
func TestShouldCancel(t *testing.T) {
	t.Parallel()
	p, another := openPayout(), account
	another.Holder = "Another"
	p.Total = eur("1")
	p = p.Send(account, start).Payout
	for polls, now := 0, start; now.Before(start.Add(30 * time.Hour)); polls, now = polls+1, p.NextPoll {
		if got, want := p.ShouldCancel(account, now), now.Sub(start) >= 24*time.Hour; got != want {
			t.Errorf("after %s and %d polls: got cancelled %t, want %t", now.Sub(start), polls, got, want)
		}
		if !p.ShouldCancel(another, now) {
			t.Errorf("after %s, the account replaced: got cancelled false, want true", now.Sub(start))
		}
		p, _ = p.ScheduleNextPoll(now)
	}
	early, due := p.ShouldCancel(account, start.Add(24*time.Hour-1)), p.ShouldCancel(account, start.Add(24*time.Hour))
	if early || !due {
		t.Errorf("just before a day and after it: got cancelled %t and %t, want false and true", early, due)
	}
	for _, status := range []payout.Status{payout.Collecting, payout.Sealed, payout.Paying, payout.Returning,
		payout.Paid, payout.Failed} {
		if p.Status = status; p.ShouldCancel(another, start.Add(48*time.Hour)) {
			t.Errorf("%s: got cancelled true, want false", status)
		}
	}
}

// TestStep_EarlyNextPoll checks when a step changes the time of the next poll. If that time has come, or is more than
// a quarter of an hour away, the step sets it to a quarter of an hour from now. Otherwise the step keeps the time,
// because each change writes to the due index.
func TestStep_EarlyNextPoll(t *testing.T) {
	t.Parallel()
	p := openPayout()
	opening := p.NextPoll.Add(-payout.RunsBy)
	for minute, want := range map[int]int{0: 15, 14: 20, 20: 35} {
		next := p
		if minute > 0 { // after a step that set the next poll to minute 20
			next.NextPoll = opening.Add(20 * time.Minute)
		}
		step := next.Seal(opening.Add(time.Duration(minute) * time.Minute))
		if got := step.Payout.NextPoll.Sub(opening); got != time.Duration(want)*time.Minute {
			t.Errorf("a step after %d minutes: got the next poll after %s, want after %d minutes", minute, got, want)
		}
	}
}
