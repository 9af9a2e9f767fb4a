// Command choose prints the arguments by which go test plays again some tests of a run that was recorded with
// CASHWRAP_RECORD=FOLDER:
//
//	go run ./localstack/aws/engines/choose left FOLDER PACKAGES     what left something to make test-all
//	go run ./localstack/aws/engines/choose engines FOLDER PACKAGES  few tests that send each kind of request
//
// Packages are as go test takes them. The second leaves out tests that no real engine can play.
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

// join writes each text once, the last first, so that go test begins with packages of localstack, which take longest.
func join(texts []string, separator string) string {
	slices.Sort(texts)
	slices.Reverse(texts)
	return strings.Join(slices.Compact(texts), separator)
}

// within reports whether a package is in the list, in which "/..." stands for all that is below.
func within(name string, list []string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		folder, below := strings.CutSuffix(pattern, "/...")
		return name == folder || below && strings.HasPrefix(name, folder+"/")
	})
}

// What a package and a test cost beside their requests, in requests: an engine starts for each package.
const (
	startUp = 2400
	setUp   = 10
)

// cover returns tests that together send each kind of request. It always takes what adds most kinds for its cost.
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
