package deadline_test

import (
	"context"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/deadline"
)

func TestEarly_Margin(t *testing.T) {
	t.Parallel()
	end := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	early, stop := deadline.Early(ctx, time.Minute)
	defer stop()
	if got, ok := early.Deadline(); !ok || !got.Equal(end.Add(-time.Minute)) {
		t.Errorf("got deadline %v (%t), want %v (true)", got, ok, end.Add(-time.Minute))
	}
	if cancel(); early.Err() == nil {
		t.Error("once its parent is cancelled: got no error, want one")
	}
}

func TestEarly_NoDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	early, stop := deadline.Early(ctx, time.Minute)
	defer stop()
	if end, ok := early.Deadline(); ok {
		t.Errorf("got deadline %v, want none", end)
	}
	if cancel(); early.Err() == nil {
		t.Error("once its parent is cancelled: got no error, want one")
	}
}
