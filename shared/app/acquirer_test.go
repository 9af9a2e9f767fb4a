package app_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// linkedAcquirer is an acquirer that only its type tells apart.
type linkedAcquirer struct {
	acquirer.None
	url string
}

func init() {
	app.LinkAcquirer("linked", func(a *app.App) acquirer.Acquirer { return linkedAcquirer{url: a.AcquirerURL} })
}

// TestNew_LiveAcquirer checks which acquirer live mode has.
func TestNew_LiveAcquirer(t *testing.T) {
	t.Parallel()
	const url = "http://127.0.0.1:1"
	for name, want := range map[string]acquirer.Acquirer{"": acquirer.None{}, "linked": linkedAcquirer{url: url},
		"other": nil} {
		config, err := readEnvironment(map[string]string{"LIVE_ACQUIRER": name, "ACQUIRER_URL": url,
			"ACQUIRER_SECRET": `{"key":"k"}`})
		if err != nil {
			t.Fatal(err)
		}
		got := func() (a acquirer.Acquirer) {
			defer func() { _ = recover() }()
			return app.New(config, app.Overrides{}).Acquirers[identity.Live]
		}()
		if got != want {
			t.Errorf("%q: got %T %[2]v, want %T %[3]v", name, got, want)
		}
	}
}
