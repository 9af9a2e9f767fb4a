package repository_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform/repository"
)

func TestCommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git is in the PATH")
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir()) // git then finds no repository above the test's folder
	t.Chdir(t.TempDir())
	write := func(name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		t.Helper()
		args = append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: got error %v, want none: %s", args, err, out)
		}
	}
	want := func(when, pattern string) {
		t.Helper()
		if got := repository.Commit(); !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
			t.Errorf("%s: got %q, want %s", when, got, pattern)
		}
	}
	write("localstack/package-lock.json")
	want("without git", "")
	run("init", "-q")
	run("add", ".")
	run("commit", "-qm", "First")
	want("as committed", "[0-9a-f]{12,}")
	write("new.go")
	want("with a new file", "[0-9a-f]{12,}-dirty")
}
