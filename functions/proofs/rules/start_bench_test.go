package rules_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runtime"
)

const (
	// mostStart is how much longer than a bare aws-lambda-go function ours may take to start.
	mostStart = 1.8
	// leastStarts are needed for a comparison.
	leastStarts = 20
)

// BenchmarkStart is the start of each function, from the start of its process to its first request for an event over
// the Runtime API; bare-ms is that of a bare function, started in turn with it. Of each the shortest counts: whatever
// else the machine does only adds, and to the longer one more.
func BenchmarkStart(b *testing.B) {
	names := []string{runtime.Bare}
	for _, f := range functions.All {
		names = append(names, f.Name)
	}
	folder, err := runtime.Build(b.Context(), names...)
	if err != nil {
		b.Fatal(err)
	}
	bare := runtime.Config{Name: runtime.Bare, Program: runtime.Program(folder, runtime.Bare), Timeout: time.Second}
	for _, f := range functions.All {
		c := deployed(b, folder, f.Name)
		b.Run(f.Name, func(b *testing.B) { compareStarts(b, bare, c) })
	}
}

func compareStarts(b *testing.B, bare, ours runtime.Config) {
	var of [2][]time.Duration
	for b.Loop() {
		for i, c := range []runtime.Config{bare, ours} {
			of[i] = append(of[i], start(b, c))
		}
	}
	least, took := slices.Min(of[0]), slices.Min(of[1])
	ratio := float64(took) / float64(least)
	b.ReportMetric(0, "ns/op") // of both, with their ends: says nothing
	b.ReportMetric(milliseconds(least), "bare-ms")
	b.ReportMetric(milliseconds(took), "start-ms")
	b.ReportMetric(ratio, "ratio")
	if len(of[0]) >= leastStarts && ratio > mostStart {
		b.Errorf("got a start of %v, %.2f times the bare one's %v; want at most %v times", took, ratio, least, mostStart)
	}
}

func start(b *testing.B, c runtime.Config) time.Duration {
	c.Log = slog.New(slog.DiscardHandler)
	i, err := runtime.Start(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	i.Stop()
	return i.Init
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
