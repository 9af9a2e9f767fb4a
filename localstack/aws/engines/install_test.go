package engines_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

// emptyProject makes an npm project without dependencies, which installs without a network.
func emptyProject(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "package.json"), `{"name":"empty","version":"1.0.0"}`, 0o644)
	write(t, filepath.Join(dir, "package-lock.json"),
		`{"name":"empty","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"empty","version":"1.0.0"}}}`, 0o644)
	return dir
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// countingNpm puts an npm into PATH that counts its runs instead of installing.
func countingNpm(t *testing.T, exit string) (runs func() int) {
	t.Helper()
	bin := t.TempDir()
	note := filepath.Join(bin, "runs")
	write(t, filepath.Join(bin, "npm"), "#!/bin/sh\necho \"npm $1 said why\" | tee -a "+note+"\nexit "+exit+"\n", 0o755)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() int {
		b, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(b), "\n")
	}
}

func TestInstall(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	dir := emptyProject(t)
	if err := engines.Install(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "package.json"), `{"name":"empty","version":"1.0.0","dependencies":{"left":"1.0.0"}}`,
		0o644)
	write(t, filepath.Join(dir, "package-lock.json"),
		`{"name":"empty","version":"1.0.1","lockfileVersion":3,"packages":{"":{"name":"empty","version":"1.0.1"}}}`, 0o644)
	if err := engines.Install(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "npm ci") {
		t.Errorf("a lock file that disagrees with package.json: got error %v, want npm ci in it", err)
	}
}

func TestInstall_OncePerLockFile(t *testing.T) {
	runs := countingNpm(t, "0")
	dir := emptyProject(t)
	var g errgroup.Group
	for range 8 {
		g.Go(func() error { return engines.Install(t.Context(), dir) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := runs(); got != 1 {
		t.Errorf("got %d runs of npm, want 1", got)
	}
	write(t, filepath.Join(dir, "package-lock.json"), `{}`, 0o644)
	if err := engines.Install(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if got := runs(); got != 2 {
		t.Errorf("got %d runs of npm after a new lock file, want 2", got)
	}
}

func TestInstall_Failure(t *testing.T) {
	runs := countingNpm(t, "1")
	dir := emptyProject(t)
	for range 2 {
		if err := engines.Install(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "npm ci said why") {
			t.Errorf("got error %v, want npm's output in it", err)
		}
	}
	if got := runs(); got != 2 {
		t.Errorf("got %d runs of npm, want 2", got)
	}
}

func TestCheck_MissingPrograms(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := engines.Check()
	if err == nil {
		t.Fatal("empty PATH: got no error, want one")
	}
	for _, want := range []string{"Node 20", "nodejs.org", "npm is missing", "Java 17", "adoptium.net"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got error %q, want %q in it", err, want)
		}
	}
}

func TestCheck_OldVersions(t *testing.T) {
	bin := t.TempDir()
	write(t, filepath.Join(bin, "npm"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(bin, "node"), "#!/bin/sh\necho v18.20.1\n", 0o755)
	write(t, filepath.Join(bin, "java"), "#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n", 0o755)
	t.Setenv("PATH", bin)
	err := engines.Check()
	if err == nil {
		t.Fatal("old versions: got no error, want one")
	}
	for _, want := range []string{"Node 18 is too old", "Java 11 is too old"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got error %q, want %q in it", err, want)
		}
	}
}
