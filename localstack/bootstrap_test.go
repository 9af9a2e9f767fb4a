package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform"
)

// TestTheDemoPassesOnWhatIsDeployed: each function is its real program, in processes of its own.
func TestTheDemoPassesOnWhatIsDeployed(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	l := startWith(t, place, platform.Config{Engine: platform.InMemory, Runtime: platform.Bootstraps})
	var output bytes.Buffer
	if err := runDemo(t.Context(), place, &output); err != nil {
		t.Fatalf("%v, after\n%s\n%s", err, &output, l.log)
	}
	invoked(t, place)
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
	noSecrets(t, place, l, output.String())
	for _, process := range []string{"checkouts#1", "customers#1", "transactions#1", "receipts#1", "pages#1",
		"sandbox#1", "callbacks#1",
		"provision#1", "reconcile#1"} {
		if !strings.Contains(l.log.String(), "process="+process) {
			t.Errorf("the log has no line of %s:\n%s", process, l.log)
		}
	}
	if strings.Contains(l.log.String(), "function failed") {
		t.Errorf("a call failed:\n%s", l.log)
	}
}

// invoked: any function can be handed an event beside the platform.
func invoked(t *testing.T, place platform.Folder) {
	t.Helper()
	var reply, failure bytes.Buffer
	const event = "../events/checkouts.json"
	if err := invoke(t.Context(), place, "checkouts", event, &reply); err != nil ||
		!strings.Contains(reply.String(), `"statusCode": 201`) {
		t.Errorf("reply %s, error %v", &reply, err)
	}
	if err := invoke(t.Context(), place, "payouts", "../events/payouts.json", &reply); err != nil ||
		!strings.Contains(reply.String(), `"statusCode": 200`) {
		t.Errorf("reply %s, error %v", &reply, err)
	}
	wrong := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(wrong, []byte(`["not a request"]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := invoke(t.Context(), place, "checkouts", wrong, &failure); !errors.Is(err, errFailed) ||
		!strings.Contains(failure.String(), `"errorType": "UnmarshalTypeError"`) {
		t.Errorf("reply %s, error %v", &failure, err)
	}
	for _, nothing := range [][2]string{{"", event}, {"checkouts", ""}} {
		if err := invoke(t.Context(), place, nothing[0], nothing[1], &reply); !errors.Is(err, errWhat) {
			t.Errorf("invoke FN=%s EVENT=%s: %v", nothing[0], nothing[1], err)
		}
	}
	if err := invoke(t.Context(), place, "checkout", event, &reply); err == nil ||
		!strings.Contains(err.Error(), `no function "checkout"`) {
		t.Errorf("error %v", err)
	}
}
