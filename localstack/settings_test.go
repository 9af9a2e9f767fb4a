package main

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform"
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
	const api, hosts = "http://127.0.0.1:12111", "*.stripe.com"
	standIn := &platform.Acquirer{Name: "stripe", Hosts: hosts, URL: api, Key: "sk_test_local"}
	for text, want := range map[string]*platform.Acquirer{
		"": nil, "STRIPE_KEY=sk_live_1": nil, "ACQUIRER=stripe STRIPE_API=" + api + "/": standIn,
		"ACQUIRER=stripe STRIPE_KEY=rk_test_1": {Name: "stripe", Hosts: hosts, Key: "rk_test_1"},
		"ACQUIRER=stripe STRIPE_KEY=sk_live_1": {}, "ACQUIRER=stripe STRIPE_KEY=sk_live_1 STRIPE_API=" + api: {},
		"ACQUIRER=stripe": {}, "ACQUIRER=worldpay STRIPE_API=" + api: {},
	} {
		c, err := readConfig(func(asked string) string {
			for setting := range strings.FieldsSeq(text) {
				if name, value, _ := strings.Cut(setting, "="); name == asked {
					return value
				}
			}
			return ""
		})
		refused := want != nil && want.Name == ""
		if refused != (err != nil) || !refused && !reflect.DeepEqual(c.Acquirer, want) {
			t.Errorf("%s: got %+v, error %v; want %+v (empty: an error)", text, c.Acquirer, err, want)
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
