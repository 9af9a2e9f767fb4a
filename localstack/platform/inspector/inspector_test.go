package inspector

import (
	"io"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// TestCallbacks_LatestOnly also checks that the latest comes first.
func TestCallbacks_LatestOnly(t *testing.T) {
	t.Parallel()
	i := New()
	t.Cleanup(i.Close)
	for n := range maxCallbacks + 5 {
		i.addCallback(&Callback{Subject: strconv.Itoa(n)})
	}
	got := i.Callbacks()
	if len(got) != maxCallbacks || got[0].Subject != strconv.Itoa(maxCallbacks+4) || got[maxCallbacks-1].Subject != "5" {
		t.Errorf("got %d callbacks, want the latest %d", len(got), maxCallbacks)
	}
}

// TestWatchLog_Warnings checks that only warnings become steps of their request, without card numbers.
func TestWatchLog_Warnings(t *testing.T) {
	t.Parallel()
	seen := &trace{began: time.Now()}
	i := New()
	t.Cleanup(i.Close)
	log := i.WatchLog(slog.New(slog.NewTextHandler(io.Discard, nil))).With("request", "1")
	log.InfoContext(seen.in(t.Context()), "paid")
	log.WarnContext(t.Context(), "of no request")
	log.WarnContext(seen.in(t.Context()), "declined", "card", client.Frictionless, "try", 2)
	got := seen.sortedSteps()
	if len(got) != 1 || got[0].To != "log" || got[0].What != "declined card=************0091 try=2" {
		t.Errorf("got %+v, want the warning alone", got)
	}
}
