package sdk_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/cashwrap/cashwrap/shared/contract/checker"
)

// traffic contains the names of the data that an operation sends and reads. A field is named with its parents, as in
// "transactions[].amount". A query parameter is named after "?".
type traffic struct{ Sends, Reads []string }

// compareFields checks that the platform has each operation and field of the newest SDK. That is the Python SDK. The
// contract lists the exceptions (§13.8, §13.11). printed is the output of fields.py.
func compareFields(t *testing.T, printed []byte) {
	t.Helper()
	var theirs map[string]traffic
	if err := json.Unmarshal(printed, &theirs); err != nil {
		t.Fatal(err)
	}
	contract, err := os.ReadFile("../../../shared/contract/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	ids, ours := documented(t)
	unplanned, missing := notPlanned(string(contract)), notHere(string(contract))
	for operation, fields := range theirs {
		mine, known := ours[operation]
		if !known && !unplanned[operation] {
			t.Errorf("%s: got it neither in the document nor among those not planned", operation)
		}
		if !known {
			continue
		}
		for _, field := range slices.Concat(without(fields.Sends, mine.Sends), without(fields.Reads, mine.Reads)) {
			row := ids[operation] + " " + field[strings.LastIndex(field, ".")+1:]
			if _, said := missing[row]; !said {
				t.Errorf("%s: got %s neither in the document nor in contract §13.11", ids[operation], field)
			}
			missing[row] = true
		}
	}
	for row, used := range missing {
		if !used {
			t.Errorf("contract §13.11: got %s, which the SDK does not have or the document has, want it off the table", row)
		}
	}
}

// without returns the names that are not in the list others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

var pathValue = regexp.MustCompile(`\{[^}]*\}`)

// documented returns the operations of openapi.yaml and their ids, both by method and path.
func documented(t *testing.T) (ids map[string]string, operations map[string]traffic) {
	t.Helper()
	doc, err := checker.Load()
	if err != nil {
		t.Fatal(err)
	}
	ids, operations = map[string]string{}, map[string]traffic{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			sends, reads := map[string]bool{}, map[string]bool{}
			for _, parameter := range slices.Concat(item.Parameters, op.Parameters) {
				sends["?"+parameter.Value.Name] = true
			}
			if op.RequestBody != nil {
				addFields(sends, op.RequestBody.Value.Content)
			}
			for status, response := range op.Responses.Map() {
				if strings.HasPrefix(status, "2") {
					addFields(reads, response.Value.Content)
				}
			}
			name := method + " " + pathValue.ReplaceAllString(path, "{}")
			ids[name] = op.OperationID
			operations[name] = traffic{slices.Collect(maps.Keys(sends)), slices.Collect(maps.Keys(reads))}
		}
	}
	return ids, operations
}

func addFields(to map[string]bool, content openapi3.Content) {
	for _, media := range content {
		addFieldsOf(to, media.Schema, "", nil)
	}
}

func addFieldsOf(to map[string]bool, ref *openapi3.SchemaRef, path string, seen []*openapi3.Schema) {
	if ref == nil || slices.Contains(seen, ref.Value) {
		return
	}
	seen = append(slices.Clone(seen), ref.Value)
	for _, same := range slices.Concat(ref.Value.AllOf, ref.Value.AnyOf, ref.Value.OneOf) {
		addFieldsOf(to, same, path, seen)
	}
	addFieldsOf(to, ref.Value.Items, path+"[]", seen)
	for name, property := range ref.Value.Properties {
		at := strings.TrimPrefix(path+"."+name, ".")
		to[at] = true
		addFieldsOf(to, property, at, seen)
	}
}

var unplannedRow = regexp.MustCompile(`\(not planned[^|]*\| ([A-Z]+ [^ |]+) \|`)

// notPlanned returns the operations that contract §1 lists as not planned, by method and path.
func notPlanned(contract string) map[string]bool {
	operations := map[string]bool{}
	for _, row := range unplannedRow.FindAllStringSubmatch(contract, -1) {
		operations[pathValue.ReplaceAllString(row[1], "{}")] = true
	}
	return operations
}

var quoted = regexp.MustCompile("`([^`]+)`")

// notHere returns the rows of contract §13.11, by the operation's id and the field's name. The values are false,
// because no row is used yet.
func notHere(contract string) map[string]bool {
	_, section, _ := strings.Cut(contract, "\n### 13.11 ")
	section, _, _ = strings.Cut(section, "\n##")
	rows := map[string]bool{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, field := range quoted.FindAllStringSubmatch(cells[2], -1) {
			for operation := range strings.SplitSeq(cells[1], ",") {
				rows[strings.TrimSpace(operation)+" "+field[1]] = false
			}
		}
	}
	return rows
}
