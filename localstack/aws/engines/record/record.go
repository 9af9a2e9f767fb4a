// Package record records each test's requests to the table, and the tests with parts that run only in `make test-all`.
// It writes the records into the folder that CASHWRAP_RECORD names, if set. Tests call Note.
// localstack/aws/engines/choose calls Read to choose tests for real engines.
package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform/repository"
)

// Test records one test, including its subtests.
type Test struct {
	Package  string   // pattern for go test, such as ./functions/oauth
	Name     string   // such as TestSignIn
	Requests int      // number of requests to the table
	Kinds    []string // distinct kinds of these requests
	Left     bool     // a part of the test runs only with make test-all
	InMemory bool     // the test runs only over the in-memory engine
}

// folder returns the folder for records; "" means that nothing is recorded.
func folder() string { return os.Getenv("CASHWRAP_RECORD") }

// Note adds t to the record of tb's test. It sets the name and the package.
func Note(tb testing.TB, t Test) {
	tb.Helper()
	if folder() == "" {
		return
	}
	t.Name, _, _ = strings.Cut(tb.Name(), "/")
	if err := t.write(); err != nil {
		tb.Errorf("got error %v, want what the test did noted", err)
	}
}

var writing sync.Mutex

func (t Test) write() error {
	root, err := repository.Root()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	t.Package = "." + filepath.ToSlash(strings.TrimPrefix(dir, root))
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	writing.Lock()
	defer writing.Unlock()
	name := filepath.Join(folder(), fmt.Sprint(os.Getpid()))
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// Read returns the records in a folder, one per test, sorted by package and name.
func Read(folder string) ([]Test, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return nil, err
	}
	all := map[string]Test{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			var more Test
			if err := json.Unmarshal([]byte(line), &more); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			name := more.Package + " " + more.Name
			t := all[name]
			more.Requests += t.Requests
			more.Kinds = append(more.Kinds, t.Kinds...)
			more.Left, more.InMemory = more.Left || t.Left, more.InMemory || t.InMemory
			all[name] = more
		}
	}
	tests := slices.SortedFunc(maps.Values(all), func(a, b Test) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
	})
	for i, t := range tests {
		slices.Sort(t.Kinds)
		tests[i].Kinds = slices.Compact(t.Kinds)
	}
	return tests, nil
}
