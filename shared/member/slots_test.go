package member

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// TestHash_FullQueue checks that two hashes are computed at a time, that thirty more wait, and that the next is refused
// at once. A caller that stops waiting leaves the queue. The test fills the process's queue, so it is not parallel.
func TestHash_FullQueue(t *testing.T) {
	small := Cost{memory: 64, passes: 1, lanes: 1}
	salt := make([]byte, saltLength)
	release := occupySlots(t)
	given, giveUp := context.WithCancel(t.Context())
	var running sync.WaitGroup
	results := make(chan error, cap(queue))
	for i := range cap(queue) {
		ctx := t.Context()
		if i == 0 {
			ctx = given
		}
		running.Go(func() {
			_, err := small.computeTag(ctx, password, salt, tagLength)
			results <- err
		})
	}
	for len(queue) < cap(queue) {
		runtime.Gosched()
	}
	if _, err := small.computeTag(t.Context(), password, salt, tagLength); !failure.Is(err, failure.KindTooMany) {
		t.Errorf("beyond the queue: got error %v, want TooMany", err)
	}
	giveUp()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: got error %v, want that of its context", err)
	}
	if len(queue) != cap(queue)-1 {
		t.Errorf("got %d in the queue, want a free place", len(queue))
	}
	release()
	running.Wait()
	for range cap(queue) - 1 {
		if err := <-results; err != nil {
			t.Errorf("waited: got error %v, want none", err)
		}
	}
	if len(queue)+len(slots) != 0 {
		t.Errorf("got %d waiting and %d computing, want none", len(queue), len(slots))
	}
	if cap(slots) != 2 || cap(queue) != 32 {
		t.Errorf("got %d slots and %d places, want 2 and 32 (contract §2.9)", cap(slots), cap(queue))
	}
}
