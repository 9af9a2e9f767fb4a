package simulator_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
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

// Variables of the environment: the number of seeds, the first seed, and the seed to replay.
const (
	seedsVariable = "CASHWRAP_SIM_SEEDS"
	firstVariable = "CASHWRAP_SIM_FIRST"
	seedVariable  = "CASHWRAP_SIM_SEED"
	shardVariable = "CASHWRAP_SIM_SHARD"  // "2/4" in the process of one share
	claimVariable = "CASHWRAP_SIM_CLAIMS" // folder of the claims of these processes

	workloadVariable = "CASHWRAP_SIM_WORKLOAD" // workload to replay; everything by default
)

// defaultSeeds is small, so that tests are fast. .ci/run sets a larger number for each workload.
const defaultSeeds = 40

// readNumber reads a number from the environment.
func readNumber(t *testing.T, variable string, otherwise uint64) uint64 {
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

// readShard returns this process's share of the work. ok is false in the first process.
func readShard(t *testing.T) (part, parts uint64, ok bool) {
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

// runShards runs a test in one process for each core, because the randomness of a process follows one seed at a time.
// It returns true in those processes.
func runShards(t *testing.T) bool {
	t.Helper()
	if _, _, inShard := readShard(t); inShard {
		return true
	}
	parts, claims := runtime.NumCPU(), t.TempDir()
	var all sync.WaitGroup
	outputs, failures := make([]strings.Builder, parts), make([]error, parts)
	for part := range parts {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout", "0")
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%d/%d", shardVariable, part, parts), claimVariable+"="+claims,
			"GOMAXPROCS=1", "GOGC=400")
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

// claim returns true in the first of the processes of runShards that claims the number. So no process waits for work
// that another has left.
func claim(t *testing.T, number any) bool {
	t.Helper()
	path := filepath.Join(os.Getenv(claimVariable), fmt.Sprint(number))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the folder is the test's own
	if errors.Is(err, fs.ErrExist) {
		return false
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatalf("claiming %d: got error %v, want none", number, err)
	}
	return true
}

// TestRun_Everything checks worlds of payments by all methods.
func TestRun_Everything(t *testing.T) { runSeeds(t, "everything", seedsVariable, defaultSeeds) }

// runSeeds simulates many worlds, and stops at the first failure.
func runSeeds(t *testing.T, workload, variable string, otherwise uint64) {
	t.Helper()
	seeds, first := readNumber(t, variable, otherwise), readNumber(t, firstVariable, 1) // read here for go test's cache
	if !runShards(t) {
		return
	}
	start, count := time.Now(), 0
	for seed := first; seed < first+seeds && !t.Failed(); seed++ {
		if claim(t, seed) {
			report(t, run(t, workload, seed, calls.Mutation{}), workload, seed)
			count++
		}
	}
	t.Logf("%d worlds in %v", count, time.Since(start))
}

// run simulates a world of the workload with the name.
func run(t *testing.T, workload string, seed uint64, without calls.Mutation) *simulator.World {
	t.Helper()
	if workloads[workload] == nil {
		t.Fatalf("got the workload %q, want one of %q", workload, slices.Sorted(maps.Keys(workloads)))
	}
	return simulator.Run(t, seed, workloads[workload], without)
}

// report prints a world's findings, its history, and how to replay it.
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

// TestRun_SameSeed checks that two runs of a seed have the same history. It takes seconds, because it runs each
// workload twice.
func TestRun_SameSeed(t *testing.T) {
	if !runShards(t) {
		return
	}
	part, parts, _ := readShard(t)
	names := slices.Sorted(maps.Keys(workloads))
	for seed := 1 + part; seed <= readNumber(t, "CASHWRAP_SIM_SAME_SEEDS", 9); seed += parts {
		workload := names[seed%uint64(len(names))]
		first := run(t, workload, seed, calls.Mutation{}).History()
		second := run(t, workload, seed, calls.Mutation{}).History()
		if first != second {
			t.Errorf("seed %d: got two histories, want one; they differ here:\n%s", seed, firstDifference(first, second))
		}
	}
}

// firstDifference returns the first lines that differ in two histories.
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
	seed := readNumber(t, seedVariable, 1)
	w := run(t, cmp.Or(os.Getenv(workloadVariable), "everything"), seed, calls.Mutation{})
	if testing.Verbose() {
		t.Logf("\n%s", w.History())
	}
	for _, f := range w.Findings() {
		t.Errorf("seed %d: checkout %s: %s", seed, f.About, f.Text)
	}
}
