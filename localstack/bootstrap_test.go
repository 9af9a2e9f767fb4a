package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheDemoPassesOnWhatIsDeployed: each function is its real program, in processes of its own.
func TestTheDemoPassesOnWhatIsDeployed(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	platform := startWith(t, place, settings{engine: inMemory, runtime: bootstraps})
	var story bytes.Buffer
	if err := play(t.Context(), place, &story); err != nil {
		t.Fatalf("%v, after\n%s\n%s", err, &story, platform.log)
	}
	invoked(t, place)
	if err := platform.stop(); err != nil {
		t.Fatal(err)
	}
	noSecrets(t, place, platform, story.String())
	for _, process := range []string{"checkouts#1", "customers#1", "transactions#1", "receipts#1", "pages#1", "sandbox#1", "callbacks#1",
		"provision#1", "reconcile#1"} {
		if !strings.Contains(platform.log.String(), "process="+process) {
			t.Errorf("the log has no line of %s:\n%s", process, platform.log)
		}
	}
	if strings.Contains(platform.log.String(), "function failed") {
		t.Errorf("a call failed:\n%s", platform.log)
	}
}

// invoked: any function can be handed an event beside the platform.
func invoked(t *testing.T, place folder) {
	t.Helper()
	var reply, failure bytes.Buffer
	const event = "../events/checkouts-create.json"
	if err := invoke(t.Context(), place, "checkouts", event, &reply); err != nil || !strings.Contains(reply.String(), `"statusCode": 201`) {
		t.Errorf("reply %s, error %v", &reply, err)
	}
	if err := invoke(t.Context(), place, "payouts", "../events/payouts-list.json", &reply); err != nil || !strings.Contains(reply.String(), `"statusCode": 200`) {
		t.Errorf("reply %s, error %v", &reply, err)
	}
	wrong := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(wrong, []byte(`["not a request"]`), private); err != nil {
		t.Fatal(err)
	}
	if err := invoke(t.Context(), place, "checkouts", wrong, &failure); !errors.Is(err, errFailed) || !strings.Contains(failure.String(), `"errorType": "UnmarshalTypeError"`) {
		t.Errorf("reply %s, error %v", &failure, err)
	}
	if _, err := place.readEvent("../events/receipts-retrieve.json", only("NOTHING", "")); err == nil || strings.Count(err.Error(), "leaves TRANSACTION_CODE open") != 1 {
		t.Errorf("error %v", err)
	}
	read, err := place.readEvent("../events/receipts-retrieve.json", only("TRANSACTION_CODE", "TABC"))
	if err != nil || !strings.Contains(string(read), `"/v1.1/receipts/TABC"`) || !strings.Contains(string(read), "$default") {
		t.Errorf("event %s, error %v", read, err)
	}
	for _, nothing := range [][2]string{{"", event}, {"checkouts", ""}} {
		if err := invoke(t.Context(), place, nothing[0], nothing[1], &reply); err != errWhat {
			t.Errorf("invoke FN=%s EVENT=%s: %v", nothing[0], nothing[1], err)
		}
	}
	if err := invoke(t.Context(), place, "checkout", event, &reply); err == nil || !strings.Contains(err.Error(), `no function "checkout"`) {
		t.Errorf("error %v", err)
	}
}
