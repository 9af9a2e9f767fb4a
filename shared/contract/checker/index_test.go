package checker

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// decided is an operation as contract §1 lists it.
type decided struct {
	method, path string
	scopes       string // joined by commas; "-": no scope is needed; "any": any credential suffices
	statuses     string // below 400, joined by commas
}

// readIndex returns the operations of contract §1 by their operationIds.
func readIndex(t *testing.T) map[string]decided {
	t.Helper()
	text, err := os.ReadFile("../contract.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(text), "\n## 1. Operations\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	all := map[string]decided{}
	for line := range strings.Lines(chapter) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.Contains(cells[3], " /") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		id, _, _ := strings.Cut(cells[2], " ")
		method, path, _ := strings.Cut(cells[3], " ")
		if _, twice := all[id]; twice {
			t.Errorf("got %s listed twice, want once", id)
		}
		scopes, _, _ := strings.Cut(cells[4], " (")
		all[id] = decided{
			method: method, path: strings.ReplaceAll(path, "{mc}", "{merchant_code}"),
			scopes:   strings.ReplaceAll(scopes, ", ", ","),
			statuses: joinSorted(regexp.MustCompile(`\d{3}`).FindAllString(cells[5], -1)),
		}
	}
	return all
}

func joinSorted(list []string) string {
	slices.Sort(list)
	return strings.Join(list, ",")
}

// TestOperations_ContractIndex checks that each operation of the document has a row in contract §1 that matches it.
func TestOperations_ContractIndex(t *testing.T) {
	t.Parallel()
	doc, rows := loadDocument(t), readIndex(t)
	for _, op := range sharedChecker(t).Operations() {
		got := decided{op.Method, op.Path, strings.Join(op.Scopes, ","),
			successes(doc.Paths.Value(op.Path).GetOperation(op.Method))}
		switch {
		case op.Public:
			got.scopes = "-" + got.scopes
		case got.scopes == "":
			got.scopes = "any"
		}
		if want, listed := rows[op.OperationID]; !listed {
			t.Errorf("%s: got %+v, want it listed in contract §1", op.OperationID, got)
		} else if got != want {
			t.Errorf("%s: got %+v, want %+v of contract §1", op.OperationID, got, want)
		}
	}
	if len(rows) < 100 {
		t.Errorf("got %d rows, want at least 100", len(rows))
	}
}

// TestContract_OperationIDs checks that each operationId in the contract's text is listed in contract §1.
func TestContract_OperationIDs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../contract.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, found := readIndex(t), 0
	for _, id := range regexp.MustCompile(
		`\b(create|retrieve|list|update|delete|deactivate|process|show|decide|download)[A-Z]\w+`).FindAllString(string(text),
		-1) {
		if _, listed := rows[id]; !listed {
			t.Errorf("got %s, want an operation of contract §1", id)
		}
		found++
	}
	if found < 200 {
		t.Errorf("got %d found, want at least 200", found)
	}
}
