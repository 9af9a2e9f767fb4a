package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables in the operating guide")

const (
	measuredFile = "../../functions/CAPACITY.md"
	guideFile    = "../README.md"
	guideBegin   = "<!-- printed by `go run ./infra/cost` -->\n"
	guideEnd     = "<!-- end of what is printed -->\n"
)

func printed(t *testing.T, arguments ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(append([]string{"-capacity", measuredFile}, arguments...), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestTheGuideShowsWhatIsPrinted now, so that its numbers follow the code.
func TestTheGuideShowsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(guideFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(guide), guideBegin)
	shown, after, ends := strings.Cut(rest, guideEnd)
	if !begins || !ends {
		t.Fatalf("%s lacks the markers", guideFile)
	}
	want := printed(t)
	if *update {
		if err := os.WriteFile(guideFile, []byte(before+guideBegin+want+guideEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != want {
		t.Errorf("%s is out of date; `go test ./infra/cost -update` rewrites it", guideFile)
	}
}

// table is a small one, whose costs can be checked by hand: each request
// changes 1 unit, reads 2 and calls thrice.
func table() string {
	var to strings.Builder
	to.WriteString("# Measured\n\n| request | calls | RCU | WCU | list | due | history | which |\n|---|---:|---:|---:|---:|---:|---:|---|\n")
	for _, name := range needed {
		to.WriteString("| " + name + " | 3 | 2 | 1 | 1 | 1 | 1 | GetItem, Query, PutItem |\n")
	}
	to.WriteString("\ntext\n\n| after | items | bytes | bytes in indexes |\n|---|---:|---:|---:|\n")
	for _, name := range neededLeft {
		to.WriteString("| " + name + " | 1 | 3200 | 320 |\n")
	}
	return to.String()
}

func from(t *testing.T, text string) basis {
	t.Helper()
	measured, err := readCapacity(text)
	if err != nil {
		t.Fatal(err)
	}
	return basis{prices(), assumptions(), measured}
}

func TestCostsByHand(t *testing.T) {
	t.Parallel()
	b := from(t, table())
	// Four rows of 1, a 32nd of another, and three leases of 0.02, at 0.625 dollars a million.
	want := (4 + 1.0/32 + 0.06) * 0.625
	if got := b.running()[0]; got.what != "DynamoDB writes" || near(got.dollars[0], want) {
		t.Errorf("%s %v, want %v", got.what, got.dollars, want)
	}
	// (3,200 + 3,200/32 + 320 + 320/32) bytes of a million payments are 3.63 GB.
	if got := b.kept()[0]; near(got.dollars[0], 3.63*0.25) {
		t.Errorf("%s %v, want %v", got.what, got.dollars, 3.63*0.25)
	}
	limits, err := b.limits()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, l := range limits {
		if i > 0 && int(l.perSecond) < int(limits[i-1].perSecond) {
			t.Errorf("%s comes after a higher limit", l.what)
		}
		switch l.what {
		case "the table's quota": // created, charged and told: 3 units
			found++
			if near(l.perSecond, 40000.0/3) {
				t.Errorf("%s: %v", l.what, l.perSecond)
			}
		case "one merchant's list, one partition":
			found++
			if near(l.perSecond, 1000.0/3) {
				t.Errorf("%s: %v", l.what, l.perSecond)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 limits", found)
	}
}

func near(got, want float64) (not bool) { return got < want*0.999999 || got > want*1.000001 }

func TestTheChangesOfARowAreCounted(t *testing.T) {
	t.Parallel()
	for which, want := range map[string]float64{
		"GetItem, Query": 0, "GetItem, PutItem, TransactWriteItems": 2, "14 Query, 10 GetItem, 8 TransactWriteItems, 2 UpdateItem": 10,
		"BatchGetItem, TransactGetItems": 0,
	} {
		if got := changesIn(which); got != want {
			t.Errorf("%s: %v, want %v", which, got, want)
		}
	}
}

func TestAMissingRowIsNamed(t *testing.T) {
	t.Parallel()
	for _, name := range append(append([]string{}, needed...), neededLeft...) {
		text := strings.Replace(table(), "| "+name+" |", "| something else |", 1)
		if _, err := readCapacity(text); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %q: %v", name, err)
		}
	}
	for what, text := range map[string]string{
		"a column":    strings.Replace(table(), "| WCU |", "| writes |", 1),
		"a number":    strings.Replace(table(), "| 3 | 2 | 1 |", "| 3 | many | 1 |", 1),
		"known heads": strings.Replace(table(), "| after |", "| before |", 1),
	} {
		if _, err := readCapacity(text); err == nil {
			t.Errorf("without %s: no error", what)
		}
	}
}

func TestPricesAndAssumptionsMayBeOthers(t *testing.T) {
	t.Parallel()
	free := printed(t, "-price", "dynamodb.write=0", "-assume", "traced=0.05")
	for _, want := range []string{" | $0.00 | $0.00 |\n| DynamoDB reads", "calls × 0.05"} {
		if strings.Contains(printed(t), want) || !strings.Contains(free, want) {
			t.Errorf("no difference in %q:\n%s", want, free)
		}
	}
	for _, wrong := range [][]string{
		{"-price", "gold=1"}, {"-price", "dynamodb.write"}, {"-price", "dynamodb.write=-1"}, {"-price", "dynamodb.write=NaN"},
		{"-assume", "luck=1"}, {"-capacity", "nothing"},
	} {
		if err := run(append([]string{"-capacity", measuredFile}, wrong...), io.Discard, io.Discard); err == nil {
			t.Errorf("%v: no error", wrong)
		}
	}
}

func TestALimitOfNothingIsAnError(t *testing.T) {
	t.Parallel()
	b := from(t, strings.ReplaceAll(table(), "| 1 | 1 | 1 | 1 |", "| 1 | 1 | 0 | 1 |"))
	if _, err := b.report(); err == nil {
		t.Error("the due index is endless")
	}
}
