package main

import (
	"net"
	"strings"
	"testing"
)

func TestSettingsFromTheEnvironment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 8080, "9000": 9000, "0": 0, "65536": 0, "-1": 0, "http": 0} {
		s, err := settingsFrom(func(string) string { return text })
		if s.port != want || (err == nil) != (want != 0) {
			t.Errorf("PORT=%s: %d, error %v", text, s.port, err)
		}
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
	if err := s.checkPort(); err != nil {
		t.Error(err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"dance"}, {"run", "fast"}, {"provision"}} {
		if err := command(t.Context(), args, t.Output()); err != errUsage {
			t.Errorf("%v: error %v", args, err)
		}
	}
}
