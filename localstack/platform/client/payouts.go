package client

import (
	"context"
	"encoding/json"
	"time"
)

// PaidOut is one payout in the answer to run_payouts.
type PaidOut struct {
	Tenant   string      `json:"tenant"`
	ID       string      `json:"payout"`
	Day      string      `json:"day"`
	Status   string      `json:"status"`
	Total    json.Number `json:"total"`
	Currency string      `json:"currency"`
	Records  int         `json:"records"`
	Reason   string      `json:"reason"`
}

// RunPayouts runs the payouts of test mode that are due at the time at (RFC 3339), or now if at is "". If no payouts
// were due, next is the end of the next period with something to pay out. If nothing waits to be paid out, next is
// zero. RunPayouts fails with the errors of Operate.
func (i Invoke) RunPayouts(ctx context.Context, at string) (all []PaidOut, next time.Time, err error) {
	for {
		var done struct {
			Payouts []PaidOut `json:"payouts"`
			More    bool      `json:"more"`
			NextAt  time.Time `json:"next_at"`
		}
		command := map[string]string{"command": "run_payouts", "mode": "test", "at": at}
		if err := i.Operate(ctx, command, &done); err != nil {
			return all, next, err
		}
		all = append(all, done.Payouts...)
		if !done.More || len(done.Payouts) == 0 {
			return all, done.NextAt, nil
		}
	}
}

// RunNextPayouts runs the payouts that are due now. If there are none, it runs the payouts of the next period with
// something to pay out, and then moves the platform's clock to the end of that period. It fails with the errors of
// Operate and of advance.
func (i Invoke) RunNextPayouts(ctx context.Context, now time.Time, advance func(time.Duration) error) ([]PaidOut,
	error) {
	all, next, err := i.RunPayouts(ctx, "")
	if err != nil || len(all) > 0 || next.IsZero() {
		return all, err
	}
	if all, _, err = i.RunPayouts(ctx, next.UTC().Format(time.RFC3339)); err != nil {
		return nil, err
	}
	// Move the clock only after the run, because the move itself makes the platform run payouts that become due.
	return all, advance(next.Sub(now))
}
