package rules_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	wholeStore    = regexp.MustCompile(`\*store\.(Store|View)\b|\w\.(processing|payouts|driver|readers)\.Store\.`)
	storageType   = regexp.MustCompile(`(?s)\ntype storage interface \{\n(.*?)\n\}\n`)
	storageMethod = regexp.MustCompile(`(?m)^\t(\w+)\(`)
)

// TestStorage_OnlyUsedMethods checks that a family's type storage has exactly the methods of the store that the
// family calls. No code of the family holds the whole store, or reaches it through the drivers of payments and payouts.
func TestStorage_OnlyUsedMethods(t *testing.T) {
	t.Parallel()
	families, err := filepath.Glob("../../*/routes.go")
	if err != nil || len(families) < 10 {
		t.Fatalf("got %d families, %v, want at least 10", len(families), err)
	}
	for _, routes := range families {
		files, err := filepath.Glob(filepath.Dir(routes) + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		var code strings.Builder
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				code.Write(text)
			}
		}
		if whole := wholeStore.FindString(code.String()); whole != "" {
			t.Errorf("%s: got %s, want the methods that the family uses, in its type storage", routes, whole)
		}
		storage := storageType.FindStringSubmatch(code.String())
		if storage == nil {
			continue
		}
		for _, method := range storageMethod.FindAllStringSubmatch(storage[1], -1) {
			if !regexp.MustCompile(`\.store\.` + method[1] + `\b`).MatchString(code.String()) {
				t.Errorf("%s: got %s in type storage, want no method that the family does not call", routes, method[1])
			}
		}
	}
}
