package main

import (
	"net"
	"strings"
	"testing"
)

func TestSettingsFromTheEnvironment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 8080, "9000": 9000, "0": 0, "65536": 0, "-1": 0, "http": 0} {
		s, err := settingsFrom(only("PORT", text))
		if (err == nil) != (want != 0) || (err == nil && s.port != want) {
			t.Errorf("PORT=%s: %d, error %v", text, s.port, err)
		}
	}
	for text, want := range map[string]string{"": inMemory, inMemory: inMemory, dynamoDBLocal: dynamoDBLocal, "postgres": ""} {
		s, err := settingsFrom(only("ENGINE", text))
		if (err == nil) != (want != "") || (err == nil && s.engine != want) {
			t.Errorf("ENGINE=%s: %s, error %v", text, s.engine, err)
		}
	}
	for text, want := range map[string]string{"": inProcess, inProcess: inProcess, bootstraps: bootstraps, "docker": ""} {
		s, err := settingsFrom(only("RUNTIME", text))
		if (err == nil) != (want != "") || (err == nil && s.runtime != want) {
			t.Errorf("RUNTIME=%s: %s, error %v", text, s.runtime, err)
		}
	}
}

// only is an environment of one variable.
func only(name, value string) func(string) string {
	return func(asked string) string {
		if asked == name {
			return value
		}
		return ""
	}
}

func TestATakenPortIsNamed(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := settings{port: taken.Addr().(*net.TCPAddr).Port}
	if err := s.checkPort(); err == nil || !strings.Contains(err.Error(), "is taken") {
		t.Errorf("error %v", err)
	}
	taken.Close()
	// Another test may have taken that port at once, so the free one is of the system's choice.
	if err := (settings{port: 0}).checkPort(); err != nil {
		t.Error(err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"dance"}, {"run", "fast"}, {"provision"}, {"invoke", "pages"}} {
		if err := command(t.Context(), args, t.Output()); err != errUsage {
			t.Errorf("%v: error %v", args, err)
		}
	}
}
