package access_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
)

// TestAccess_WritersInKeyTable checks who may write a kind according to access.json. For each kind, these must be
// exactly the functions that the table in keys.go names. The table's own policy denies writes of credentials to all
// other functions.
func TestAccess_WritersInKeyTable(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../../shared/store/keys.go")
	if err != nil {
		t.Fatal(err)
	}
	documented := parseWriters(string(source))
	for kind, want := range map[string][]string{"MERCHANT": {"merchants", "provision", "sweep"},
		"KEY": {"apikeys", "members", "merchants", "provision"}, "MEMBERS": {"members", "merchants", "provision"}} {
		if got := documented[kind]; !slices.Equal(got, want) {
			t.Errorf("%s: got documented writers %v, want %v", kind, got, want)
		}
	}
	if len(documented) < 7 {
		t.Errorf("got writers %v, want those of at least 7 kinds", documented)
	}
	for kind, want := range documented {
		var got []string
		for _, f := range functions.All {
			if f.Access().Writes(kind) {
				got = append(got, f.Name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: got %v writing it by access.json, want %v as in keys.go", kind, got, want)
		}
	}
}

// onlyNames matches a cell that contains only names of functions.
var onlyNames = regexp.MustCompile(`^[a-z]+(, [a-z]+)*$`)

// parseWriters returns the writers by kind. It leaves out a kind if one of its entities lists anything but names of
// functions. The table's head gives the positions of the columns.
func parseWriters(source string) map[string][]string {
	texts, kinds := []string{}, []string{} // per entity
	head, table, _ := strings.Cut(source[strings.Index(source, "//\tentity "):], "\n")
	at := func(column string) int { return strings.Index(head, column) }
	for line := range strings.Lines(table) {
		cells, last := []rune(strings.TrimSpace(line)), len(texts)-1
		if len(cells) <= len("//") {
			break
		}
		cell := func(from, to int) string {
			return strings.TrimSpace(string(cells[min(from, len(cells)):min(to, len(cells))]))
		}
		writers := cell(at("written by"), len(cells))
		if cell(len("//"), at("pk")) == "" { // continues the last entity
			texts[last] = strings.TrimSpace(texts[last] + " " + writers)
			continue
		}
		kind, _, _ := strings.Cut(cell(at("pk"), at("sk")), "#")
		texts, kinds = append(texts, writers), append(kinds, kind)
	}
	all := map[string][]string{}
	for i, kind := range kinds {
		all[kind] = append(all[kind], strings.Split(texts[i], ", ")...)
	}
	for i, kind := range kinds {
		slices.Sort(all[kind])
		if all[kind] = slices.Compact(all[kind]); !onlyNames.MatchString(texts[i]) || texts[i] == "rest" {
			delete(all, kind)
		}
	}
	return all
}
