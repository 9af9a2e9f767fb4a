// Package record notes each test's requests to the table, and what it leaves to `make test-all`, into the folder
// CASHWRAP_RECORD, if set. CI then chooses what to play over the real engines (localstack/aws/engines/choose).
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

// Test is what one test did, with those inside it.
type Test struct {
	Package  string   // as go test takes it, such as ./functions/oauth
	Name     string   // such as TestSignIn
	Requests int      // to the table
	Kinds    []string // of these requests, each once
	Left     bool     // something is left to make test-all
	InMemory bool     // it plays over the engine in memory alone
}

// folder returns where tests note what they do; "": nowhere.
func folder() string { return os.Getenv("CASHWRAP_RECORD") }

// Note adds to what the test of tb has done. It sets name and package.
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

// Read returns what the tests of a run noted in a folder, a Test for each, sorted by package and name.
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
