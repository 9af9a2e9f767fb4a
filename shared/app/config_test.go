package app_test

import (
	"encoding/base64"
	"maps"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/app"
)

var complete = map[string]string{
	"TABLE": "cashwrap", "AWS_REGION": "eu-central-1", "BASE_URL": "https://api.example.com/",
	"PLATFORM_SECRET":       base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s", 32))),
	"PLATFORM_SECRET_SINCE": "2026-11-01T00:00:00Z",
}

func TestAWholeEnvironmentIsRead(t *testing.T) {
	t.Parallel()
	c, err := app.FromEnvironment(func(name string) string { return complete[name] })
	if err != nil {
		t.Fatal(err)
	}
	if c.BaseURL != "https://api.example.com" || c.Table != "cashwrap" || len(c.Secret) != 32 {
		t.Errorf("read %s, %s, %d bytes", c.BaseURL, c.Table, len(c.Secret))
	}
	if c.AllowHTTP || c.AllowLoopbackCallbacks || c.PayPal {
		t.Error("something is allowed that nobody switched on")
	}
}

func TestEachBadVariableIsNamedAndNoValueTold(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]string{
		"TABLE": "", "AWS_REGION": "", "BASE_URL": "", "PLATFORM_SECRET": base64.StdEncoding.EncodeToString([]byte("tooshort")),
		"PLATFORM_SECRET_SINCE": "yesterday",
	} {
		environment := maps.Clone(complete)
		environment[name] = bad
		_, err := app.FromEnvironment(func(name string) string { return environment[name] })
		if err == nil || !strings.Contains(err.Error(), name) || (bad != "" && strings.Contains(err.Error(), bad)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	environment := maps.Clone(complete)
	maps.Copy(environment, map[string]string{"ALLOW_HTTP": "on", "ALLOW_LOOPBACK_CALLBACKS": "ON", "PAYPAL": "true"})
	c, err := app.FromEnvironment(func(name string) string { return environment[name] })
	if err != nil || !c.AllowHTTP || !c.AllowLoopbackCallbacks || c.PayPal {
		t.Errorf("read %+v, %v", c, err)
	}
}

func TestKeysDifferByPurposeAndSecret(t *testing.T) {
	t.Parallel()
	one := app.New(app.Config{Secret: []byte(strings.Repeat("a", 32))}, app.Outside{})
	other := app.New(app.Config{Secret: []byte(strings.Repeat("b", 32))}, app.Outside{})
	keys := map[string]bool{}
	for _, a := range []*app.App{one, other} {
		for _, purpose := range []string{"requests", "payer sessions"} {
			keys[string(a.Key(purpose))] = true
		}
	}
	if again := one.Key("requests"); len(keys) != 4 || !keys[string(again)] {
		t.Errorf("%d different keys of 4", len(keys))
	}
}
