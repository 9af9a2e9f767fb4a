package simulator_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

// What the environment says: how many seeds, from which on, and the one to
// replay.
const (
	seedsVariable = "CASHWRAP_SIM_SEEDS"
	firstVariable = "CASHWRAP_SIM_FIRST"
	seedVariable  = "CASHWRAP_SIM_SEED"
	shardVariable = "CASHWRAP_SIM_SHARD" // "2/4" in a process of its own

	workloadVariable = "CASHWRAP_SIM_WORKLOAD" // of the one to replay; everything unless given
)

// defaultSeeds are for the fast loop; .ci/run sets more, as of all workloads.
const defaultSeeds = 40

// number reads a variable of the environment.
func number(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: got error %v, want a number", variable, err)
	}
	return n
}

// shard is which part of how many this process runs; false in the first.
func shard(t *testing.T) (part, parts uint64, ok bool) {
	t.Helper()
	text := os.Getenv(shardVariable)
	if text == "" {
		return 0, 1, false
	}
	if _, err := fmt.Sscanf(text, "%d/%d", &part, &parts); err != nil || parts == 0 {
		t.Fatalf("%s: got %q, want part/parts", shardVariable, text)
	}
	return part, parts, true
}

// spread runs a test in one process for each core: the randomness of a
// process follows one seed at a time. It is true in those processes.
func spread(t *testing.T) bool {
	t.Helper()
	if _, _, inShard := shard(t); inShard {
		return true
	}
	parts := runtime.NumCPU()
	var all sync.WaitGroup
	outputs, failures := make([]strings.Builder, parts), make([]error, parts)
	for part := range parts {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout", "0")
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%d/%d", shardVariable, part, parts), "GOMAXPROCS=1", "GOGC=400")
		child.Stdout, child.Stderr = &outputs[part], &outputs[part]
		all.Go(func() { failures[part] = child.Run() })
	}
	all.Wait()
	for part, err := range failures {
		if text := outputs[part].String(); err != nil {
			t.Errorf("shard %d: got error %v, want none\n%s", part, err, text)
		} else if testing.Verbose() {
			t.Log(text)
		}
	}
	return false
}

// TestSeeds simulates worlds of everything.
func TestSeeds(t *testing.T) { runSeeds(t, "everything", seedsVariable, defaultSeeds) }

// runSeeds simulates many worlds, and stops at the first that fails.
func runSeeds(t *testing.T, workload, variable string, otherwise uint64) {
	t.Helper()
	seeds, first := number(t, variable, otherwise), number(t, firstVariable, 1) // also for the cache of go test
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	start, count := time.Now(), 0
	for seed := first + part; seed < first+seeds && !t.Failed(); seed += parts {
		report(t, run(t, workload, seed, calls.Mutation{}), workload, seed)
		count++
	}
	t.Logf("%d worlds in %v", count, time.Since(start))
}

// run simulates a world of the workload of that name.
func run(t *testing.T, workload string, seed uint64, without calls.Mutation) *simulator.World {
	t.Helper()
	if workloads[workload] == nil {
		t.Fatalf("got the workload %q, want one of %q", workload, slices.Sorted(maps.Keys(workloads)))
	}
	return simulator.Run(t, seed, workloads[workload], without)
}

// report prints what is wrong with a world, its history, and how to replay it.
func report(t *testing.T, w *simulator.World, workload string, seed uint64) {
	t.Helper()
	found := w.Findings()
	if len(found) == 0 {
		return
	}
	for _, f := range found {
		t.Errorf("seed %d: checkout %s: %s", seed, f.About, f.Text)
	}
	t.Logf("its history:\n%s\nthe whole history: make sim SEED=%d WORKLOAD=%s",
		w.Trace(found[0].About), seed, workload)
}

// TestSameSeedSameHistory runs some seeds twice. It takes seconds, as each workload is simulated twice.
func TestSameSeedSameHistory(t *testing.T) {
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	names := slices.Sorted(maps.Keys(workloads))
	for seed := 1 + part; seed <= number(t, "CASHWRAP_SIM_SAME_SEEDS", 8); seed += parts {
		workload := names[seed%uint64(len(names))]
		first := run(t, workload, seed, calls.Mutation{}).History()
		second := run(t, workload, seed, calls.Mutation{}).History()
		if first != second {
			t.Errorf("seed %d: got two histories, want one; they differ here:\n%s", seed, firstDifference(first, second))
		}
	}
}

// firstDifference is the first line in which two histories differ.
func firstDifference(first, second string) string {
	a, b := strings.Split(first, "\n"), strings.Split(second, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + "\n" + b[i]
		}
	}
	return fmt.Sprintf("%d and %d lines", len(a), len(b))
}

// TestReplay prints a seed's whole history: make sim SEED=123.
func TestReplay(t *testing.T) {
	seed := number(t, seedVariable, 1)
	w := run(t, cmp.Or(os.Getenv(workloadVariable), "everything"), seed, calls.Mutation{})
	if testing.Verbose() {
		t.Logf("\n%s", w.History())
	}
	for _, f := range w.Findings() {
		t.Errorf("seed %d: checkout %s: %s", seed, f.About, f.Text)
	}
}
