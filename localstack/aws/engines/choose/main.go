// Command choose prints arguments for go test that select tests of a run recorded with CASHWRAP_RECORD=FOLDER:
//
//	go run ./localstack/aws/engines/choose left FOLDER PACKAGES     tests with parts that run only in make test-all
//	go run ./localstack/aws/engines/choose engines FOLDER PACKAGES  few tests that together send each kind of request
//
// PACKAGES are patterns as for go test. The second form leaves out tests that cannot run over the real engines.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/record"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "choose:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	usage := errors.New("usage: choose left|engines FOLDER PACKAGE [PACKAGE]")
	if len(args) < 3 {
		return usage
	}
	tests, err := record.Read(args[1])
	if err != nil {
		return err
	}
	tests = slices.DeleteFunc(tests, func(t record.Test) bool { return !within(t.Package, args[2:]) })
	switch args[0] {
	case "left":
		tests = slices.DeleteFunc(tests, func(t record.Test) bool { return !t.Left })
	case "engines":
		tests = cover(slices.DeleteFunc(tests, func(t record.Test) bool { return t.InMemory }))
	default:
		return usage
	}
	if len(tests) == 0 {
		return errors.New("no such test was recorded in " + args[1])
	}
	var packages, names []string
	for _, t := range tests {
		packages, names = append(packages, t.Package), append(names, t.Name)
	}
	_, err = fmt.Printf("-run=^(%s)$ %s\n", join(names, "|"), join(packages, " "))
	return err
}

// join joins distinct texts in descending order, so that go test starts with localstack's packages, which take longest.
func join(texts []string, separator string) string {
	slices.Sort(texts)
	slices.Reverse(texts)
	return strings.Join(slices.Compact(texts), separator)
}

// within returns true if a package matches a pattern of the list. "/..." matches all packages below.
func within(name string, list []string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		folder, below := strings.CutSuffix(pattern, "/...")
		return name == folder || below && strings.HasPrefix(name, folder+"/")
	})
}

// Fixed costs, measured in requests.
const (
	startUp = 2400 // of a package, because an engine starts for each package
	setUp   = 10   // of a test
)

// cover returns tests that together send each kind of request. It always adds the test with most new kinds per cost.
func cover(tests []record.Test) (chosen []record.Test) {
	seen, started := map[string]bool{}, map[string]bool{}
	for {
		best, most := -1, 0.0
		for i, t := range tests {
			cost := t.Requests + setUp
			if !started[t.Package] {
				cost += startUp
			}
			adds := 0
			for _, kind := range t.Kinds {
				if !seen[kind] {
					adds++
				}
			}
			if value := float64(adds) / float64(cost); value > most {
				best, most = i, value
			}
		}
		if best < 0 {
			return chosen
		}
		t := tests[best]
		chosen, started[t.Package] = append(chosen, t), true
		for _, kind := range t.Kinds {
			seen[kind] = true
		}
		tests = slices.Delete(tests, best, best+1)
	}
}
