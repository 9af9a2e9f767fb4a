package main

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/linkstripe"
)

func TestReadConfig(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 8080, "9000": 9000, "0": 0, "65536": 0, "-1": 0, "http": 0} {
		s, err := readConfig(environmentWith("PORT", text))
		if (err == nil) != (want != 0) || (err == nil && s.Port != want) {
			t.Errorf("PORT=%s: got %d and error %v, want %d (0: an error)", text, s.Port, err, want)
		}
	}
	for text, want := range map[string]string{"": platform.InMemory, platform.InMemory: platform.InMemory,
		platform.DynamoDBLocal: platform.DynamoDBLocal, "postgres": ""} {
		s, err := readConfig(environmentWith("ENGINE", text))
		if (err == nil) != (want != "") || (err == nil && s.Engine != want) {
			t.Errorf("ENGINE=%s: got %s and error %v, want %q (empty: an error)", text, s.Engine, err, want)
		}
	}
	for text, want := range map[string]string{"": platform.InProcess, platform.InProcess: platform.InProcess,
		platform.Bootstraps: platform.Bootstraps, "docker": ""} {
		s, err := readConfig(environmentWith("RUNTIME", text))
		if (err == nil) != (want != "") || (err == nil && s.Runtime != want) {
			t.Errorf("RUNTIME=%s: got %s and error %v, want %q (empty: an error)", text, s.Runtime, err, want)
		}
	}
}

func TestReadConfig_Acquirer(t *testing.T) {
	t.Parallel()
	const api = "http://127.0.0.1:12111"
	for text, want := range map[string]string{ // key, address and the secret of notices; "refused": an error
		"": "", "STRIPE_KEY=sk_live_1": "", "ACQUIRER=stripe STRIPE_API=" + api + "/": "sk_test_local " + api,
		"ACQUIRER=stripe STRIPE_KEY=rk_test_1 STRIPE_WEBHOOK_SECRET=whsec_1": "rk_test_1  whsec_1",
		"ACQUIRER=stripe STRIPE_KEY=sk_live_1":                               "refused",
		"ACQUIRER=stripe STRIPE_KEY=sk_live_1 STRIPE_API=" + api:             "refused", "ACQUIRER=stripe": "refused",
		"ACQUIRER=worldpay STRIPE_API=" + api: "refused",
	} {
		c, err := readConfig(func(asked string) string {
			for setting := range strings.FieldsSeq(text) {
				if name, value, _ := strings.Cut(setting, "="); name == asked {
					return value
				}
			}
			return ""
		})
		var variables map[string]string
		if parts := strings.Split(want, " "); len(parts) > 1 {
			variables = linkstripe.Variables(parts[1], app.AcquirerKeys{Key: parts[0], NoticeSecrets: parts[2:]})
		}
		if (err != nil) != (want == "refused") || !maps.Equal(c.Live, variables) {
			t.Errorf("%s: got %v, error %v; want %q", text, c.Live, err, want)
		}
	}
}

// environmentWith returns an environment with one variable.
func environmentWith(name, value string) func(string) string {
	return func(asked string) string {
		if asked == name {
			return value
		}
		return ""
	}
}

func TestExecute_WrongUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"dance"}, {"run", "fast"}, {"provision"}, {"invoke", "public"},
		{"listen", "--to", "a"}, {"trigger"}, {"events", "resend"}, {"clock", "advance"}, {"clock", "7d"}} {
		if err := execute(t.Context(), args, t.Output()); !errors.Is(err, errUsage) {
			t.Errorf("%v: got error %v, want %v", args, err, errUsage)
		}
	}
}
