package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/inprocess"
)

// clockInterval is the real time between two readings of the clock, so that jumps of a test's clock are noticed.
const clockInterval = 250 * time.Millisecond

// schedule calls a function at each due time. It also calls the function once at the start, to make up for missed
// ticks. A failed tick is logged and not repeated.
type schedule struct {
	function *function
	calls    *calls
	region   string
	now      func() time.Time
}

// TickNow calls a scheduled function once, in addition to its schedule. It returns the function's error.
func (r *Runner) TickNow(ctx context.Context, name string) error {
	for _, s := range r.schedules {
		if s.function.Name == name {
			return s.tick(ctx)
		}
	}
	return fmt.Errorf("runner: no function %q on a schedule", name)
}

func (s *schedule) run(ctx context.Context) {
	for next := s.now(); ctx.Err() == nil; pause(ctx, clockInterval) {
		if now := s.now(); !now.Before(next) {
			next = s.function.Tick.Next(now)
			_ = s.tick(context.WithoutCancel(ctx)) // the call logs its error
		}
	}
}

func (s *schedule) tick(ctx context.Context) error {
	payload, err := json.Marshal(events.EventBridgeEvent{
		Version: "0", ID: uuid.NewString(), DetailType: "Scheduled Event", Source: "aws.scheduler",
		AccountID: inprocess.Account, Region: s.region, Resources: []string{inprocess.ARN(s.function.Name, s.region)},
		Time: s.now(), Detail: json.RawMessage("{}"),
	})
	if err != nil {
		return err
	}
	_, err = s.calls.call(ctx, s.function, payload)
	return err
}
