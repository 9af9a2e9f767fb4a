package app_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// TestNew_NothingLinked checks live mode's acquirer in a program that links none, as this test's. If the deployment has
// an acquirer, the program must not take its charges for unknown or cancelled.
func TestNew_NothingLinked(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]acquirer.Acquirer{"": acquirer.None{}, "stripe": acquirer.Unlinked{}} {
		config, err := readEnvironment(map[string]string{"LIVE_ACQUIRER": name, "ACQUIRER_SECRET": `{"key":"k"}`})
		if err != nil {
			t.Fatal(err)
		}
		if got := app.New(config, app.Overrides{}).Acquirers[identity.Live]; got != want {
			t.Errorf("%q: got %T, want %T", name, got, want)
		}
	}
}
