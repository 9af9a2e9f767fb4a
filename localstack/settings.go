package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform"
)

const defaultPort = 8080

// readConfig reads PORT, ENGINE and RUNTIME from the environment. It returns an error for an unknown value.
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
	return c, nil
}
