package main

import (
	"fmt"
	"strconv"

	"github.com/cashwrap/cashwrap/localstack/platform"
)

const defaultPort = 8080

// configFrom reads PORT, ENGINE and RUNTIME of the environment. Error: a value that is not known.
func configFrom(lookup func(string) string) (platform.Config, error) {
	c := platform.Config{Port: defaultPort, Engine: platform.InMemory, Runtime: platform.InProcess}
	if text := lookup("PORT"); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return c, fmt.Errorf("PORT=%s is not a port: give a number from 1 to 65535", text)
		}
		c.Port = int(port)
	}
	switch engine := lookup("ENGINE"); engine {
	case "":
	case platform.InMemory, platform.DynamoDBLocal:
		c.Engine = engine
	default:
		return c, fmt.Errorf("ENGINE=%s is not known: give %s or %s", engine, platform.InMemory, platform.DynamoDBLocal)
	}
	switch runtime := lookup("RUNTIME"); runtime {
	case "":
	case platform.InProcess, platform.Bootstraps:
		c.Runtime = runtime
	default:
		return c, fmt.Errorf("RUNTIME=%s is not known: give %s or %s", runtime, platform.InProcess, platform.Bootstraps)
	}
	return c, nil
}
