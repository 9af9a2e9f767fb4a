package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/linkstripe"
)

const defaultPort = 8080

// readConfig reads PORT, ENGINE, RUNTIME and ACQUIRER from the environment. It returns an error for an unknown value.
func readConfig(lookup func(string) string) (platform.Config, error) {
	c := platform.Config{Port: defaultPort, Engine: platform.InMemory, Runtime: platform.InProcess}
	if text := lookup("PORT"); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return c, fmt.Errorf("PORT=%s is not a port: give a number from 1 to 65535", text)
		}
		c.Port = int(port)
	}
	for _, s := range []struct {
		name  string
		value *string
		known []string
	}{
		{"ENGINE", &c.Engine, []string{platform.InMemory, platform.DynamoDBLocal}},
		{"RUNTIME", &c.Runtime, []string{platform.InProcess, platform.Bootstraps}},
	} {
		*s.value = cmp.Or(lookup(s.name), *s.value)
		if !slices.Contains(s.known, *s.value) {
			return c, fmt.Errorf("%s=%s is not known: give %s", s.name, *s.value, strings.Join(s.known, " or "))
		}
	}
	var err error
	c.Live, err = readAcquirer(lookup)
	return c, err
}

// errStripe reports settings that could charge real cards.
var errStripe = errors.New("ACQUIRER=stripe needs STRIPE_API, the address of a stand-in for Stripe, or STRIPE_KEY, a " +
	"test key of Stripe (sk_test_… or rk_test_…)")

// readAcquirer returns the variables of live mode's acquirer: Stripe's test mode, or a stand-in for Stripe.
func readAcquirer(lookup func(string) string) (map[string]string, error) {
	switch name := lookup("ACQUIRER"); name {
	case "":
		return nil, nil
	case linkstripe.Name:
	default:
		return nil, fmt.Errorf("ACQUIRER=%s is not known: give %s", name, linkstripe.Name)
	}
	api, key := strings.TrimSuffix(lookup("STRIPE_API"), "/"), lookup("STRIPE_KEY")
	isTest := strings.HasPrefix(key, "sk_test_") || strings.HasPrefix(key, "rk_test_")
	if key == "" && api != "" {
		key = "sk_test_local"
	} else if !isTest {
		return nil, errStripe
	}
	keys := app.AcquirerKeys{Key: key}
	if secret := lookup("STRIPE_WEBHOOK_SECRET"); secret != "" {
		keys.NoticeSecrets = []string{secret}
	}
	return linkstripe.Variables(api, keys), nil
}
