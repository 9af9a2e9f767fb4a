package linkstripe_test

import (
	"maps"
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/linkstripe"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// open returns the acquirers of a function with the variables, which this program links Stripe for.
func open(t *testing.T, variables map[string]string) map[identity.Mode]acquirer.Acquirer {
	t.Helper()
	all := map[string]string{"TABLE": "cashwrap", "AWS_REGION": "eu-central-1", "BASE_URL": "https://api.example.com"}
	maps.Copy(all, variables)
	config, err := app.FromEnvironment(func(name string) string { return all[name] }, app.AcquirerSecret)
	if err != nil {
		t.Fatal(err)
	}
	return app.New(config, app.Overrides{}).Acquirers
}

// TestOpen_LiveOnly checks that only live mode charges at Stripe, and only if the variables say so.
func TestOpen_LiveOnly(t *testing.T) {
	t.Parallel()
	none, stripes := open(t, nil), open(t, linkstripe.Variables("", app.AcquirerKeys{Key: "rk_test_1"}))
	if none[identity.Live] != (acquirer.None{}) {
		t.Errorf("without variables: got %T, want no acquirer", none[identity.Live])
	}
	if _, ok := stripes[identity.Live].(*stripe.Acquirer); !ok {
		t.Errorf("got %T in live mode, want Stripe's", stripes[identity.Live])
	}
	if _, ok := stripes[identity.Test].(*stripe.Acquirer); ok {
		t.Error("got Stripe's in test mode, want the sandbox's")
	}
}

// TestOpen_OtherName checks that a program that links an acquirer does not start with the name of another.
func TestOpen_OtherName(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("got no panic, want one")
		}
	}()
	open(t, map[string]string{"LIVE_ACQUIRER": "worldpay", "ACQUIRER_SECRET": `{"key":"k"}`})
}
