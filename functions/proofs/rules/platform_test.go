package rules_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlatformPrincipal_KnownFiles checks that only known files make the platform's principal, because that principal
// may do everything.
func TestPlatformPrincipal_KnownFiles(t *testing.T) {
	t.Parallel()
	makes := regexp.MustCompile(`\b(identity\.Platform|audit\.ByPlatform)\(`)
	var files []string
	for _, folder := range []string{"functions", "shared", "localstack"} {
		err := filepath.WalkDir(filepath.Join("../../..", folder), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.Name() == "node_modules":
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			if makes.Match(text) {
				files = append(files, filepath.ToSlash(path[len("../../../"):]))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"functions/provision/provision.go",      // operators' commands
		"functions/sweep/sweep.go",              // due work
		"shared/audit/audit.go",                 // defines ByPlatform
		"shared/store/passwordlink.go",          // ends the access of a user at every merchant
		"localstack/simulator/people/people.go", // data before a simulation begins
		"localstack/harness/world/oauth.go",     // data of tests
	}
	slices.Sort(files)
	slices.Sort(want)
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files that act as the platform (-want +got):\n%s", diff)
	}
}
