package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// TestRun_Bootstraps runs the demo on a platform where each function is its real program, in a separate process.
func TestRun_Bootstraps(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	place := newFolder(t)
	l := startPlatform(t, place, platform.Config{Engine: platform.InMemory, Runtime: platform.Bootstraps})
	checkCommit(t, l)
	if err := runCommand(t.Context(), place, io.Discard, "listen"); err == nil ||
		!strings.Contains(err.Error(), "RUNTIME=bootstrap") {
		t.Errorf("listen: got error %v, want that callbacks are not seen", err)
	}
	var output bytes.Buffer
	if err := runDemo(t.Context(), place, &output); err != nil {
		t.Fatalf("demo: got error %v, want none, after\n%s\n%s", err, &output, l.log)
	}
	// The functions' programs follow the platform's clock, too. Only their signatures use the real time. The demo verifies
	// these signatures.
	s := &shop{T: t, place: place, env: l.env}
	before := s.createCheckout("real", "", "")
	s.advance("7d")
	after := s.createCheckout("moved", "", "")
	if gap := dateOf(t, after).Sub(dateOf(t, before)); gap < 7*24*time.Hour || gap > 7*24*time.Hour+time.Minute {
		t.Errorf("got checkouts created %v apart, want 7 days", gap)
	}
	if err := runDemo(t.Context(), place, &output); err != nil {
		t.Errorf("demo, 7 days later: got error %v, want none, after\n%s\n%s", err, &output, l.log)
	}
	checkInvoke(t, place)
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
	checkNoSecrets(t, place, l, output.String())
	for _, process := range []string{"checkouts#1", "customers#1", "transactions#1", "receipts#1", "public#1",
		"sandbox#1", "callbacks#1",
		"provision#1", "reconcile#1"} {
		if !strings.Contains(l.log.String(), "process="+process) {
			t.Errorf("got log\n%s\nwant a line of %s in it", l.log, process)
		}
	}
	if strings.Contains(l.log.String(), "function failed") {
		t.Errorf("got log\n%s\nwant no failed function in it", l.log)
	}
}

func dateOf(t *testing.T, checkout client.Response) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, checkout.Text("date"))
	if err != nil {
		t.Fatalf("got %d %s, want a checkout with a date: %v", checkout.Status, checkout.Body, err)
	}
	return at
}

// checkInvoke checks that the command invoke calls functions with an event while the platform runs.
func checkInvoke(t *testing.T, place platform.Folder) {
	t.Helper()
	var reply, failure bytes.Buffer
	const event = "../events/checkouts.json"
	if err := invoke(t.Context(), place, "checkouts", event, &reply); err != nil ||
		!strings.Contains(reply.String(), `"statusCode": 201`) {
		t.Errorf("checkouts: got reply %s and error %v, want status 201", &reply, err)
	}
	if err := invoke(t.Context(), place, "payouts", "../events/payouts.json", &reply); err != nil ||
		!strings.Contains(reply.String(), `"statusCode": 200`) {
		t.Errorf("payouts: got reply %s and error %v, want status 200", &reply, err)
	}
	wrong := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(wrong, []byte(`["not a request"]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := invoke(t.Context(), place, "checkouts", wrong, &failure); !errors.Is(err, errFailed) ||
		!strings.Contains(failure.String(), `"errorType": "UnmarshalTypeError"`) {
		t.Errorf("got reply %s and error %v, want an UnmarshalTypeError and %v", &failure, err, errFailed)
	}
	for _, nothing := range [][2]string{{"", event}, {"checkouts", ""}} {
		if err := invoke(t.Context(), place, nothing[0], nothing[1], &reply); !errors.Is(err, errNoEvent) {
			t.Errorf("invoke FN=%s EVENT=%s: got error %v, want %v", nothing[0], nothing[1], err, errNoEvent)
		}
	}
	if err := invoke(t.Context(), place, "checkout", event, &reply); err == nil ||
		!strings.Contains(err.Error(), `no function "checkout"`) {
		t.Errorf("got error %v, want one that there is no such function", err)
	}
}
