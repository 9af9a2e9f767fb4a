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
	// maxStartRatio is the maximum ratio of a function's start to that of a bare aws-lambda-go function.
	maxStartRatio = 1.8
	// minStarts is the number of starts that a comparison needs.
	minStarts = 20
)

// BenchmarkStart measures each function from the start of its process until its first request for an event at the
// Runtime API. bare-ms is the time of a bare function. The benchmark starts the two alternately. Only the shortest time
// of each counts, because other load of the machine adds time, and adds more to a longer start.
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
		c := makeDeployedConfig(b, folder, f.Name)
		b.Run(f.Name, func(b *testing.B) { compareStarts(b, bare, c) })
	}
}

func compareStarts(b *testing.B, bare, ours runtime.Config) {
	var of [2][]time.Duration
	for b.Loop() {
		for i, c := range []runtime.Config{bare, ours} {
			of[i] = append(of[i], measureStart(b, c))
		}
	}
	least, took := slices.Min(of[0]), slices.Min(of[1])
	ratio := float64(took) / float64(least)
	b.ReportMetric(0, "ns/op") // ns/op would cover both starts and both stops, so it means nothing
	b.ReportMetric(milliseconds(least), "bare-ms")
	b.ReportMetric(milliseconds(took), "start-ms")
	b.ReportMetric(ratio, "ratio")
	if len(of[0]) >= minStarts && ratio > maxStartRatio {
		b.Errorf("got a start of %v, %.2f times the bare one's %v; want at most %v times", took, ratio, least, maxStartRatio)
	}
}

func measureStart(b *testing.B, c runtime.Config) time.Duration {
	c.Log = slog.New(slog.DiscardHandler)
	i, err := runtime.Start(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	i.Stop()
	return i.Init
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
