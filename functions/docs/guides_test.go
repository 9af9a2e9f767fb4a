//go:build unix

// Package docs_test runs every command and every program of the guides, like a reader who reads nothing else.
package docs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/platformtest"
	"github.com/cashwrap/cashwrap/localstack/platform/trigger"
)

// limit is the maximum time for one guide. Most guides take a second or two. The first run takes minutes on a busy
// machine, because of Go's compiler and the package registries. A guide that waits in vain takes the whole limit.
const limit = 10 * time.Minute

// TestGuides runs each guide against a separate platform, whose clock the guide may move.
func TestGuides(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	paths, err := filepath.Glob("guides/*.md")
	if err != nil || len(paths) < 8 {
		t.Fatalf("got %d guides and error %v, want at least 8", len(paths), err)
	}
	commands := buildCashwrap(t)
	for _, path := range paths {
		for _, way := range readGuide(t, path, "", "").ways() {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".md")+way, func(t *testing.T) {
				t.Parallel()
				home, env := platformtest.Start(t)
				g := readGuide(t, path, env["BASE_URL"], strconv.Itoa(enginetest.FreePort(t))).way(way)
				if err := g.run(t.Context(), home, t.TempDir(), commands); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// buildCashwrap builds the command cashwrap and returns its folder. The command finds the platform by its own location.
func buildCashwrap(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	out, err := exec.Command("go", "build", "-o", filepath.Join(folder, "cashwrap"), "../../localstack").CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return folder
}

// TestGuide_Triggers makes each event that local-platform.md lists happen. It starts a platform for each event, which
// takes half a second.
func TestGuide_Triggers(t *testing.T) {
	t.Parallel()
	cashwrap := filepath.Join(buildCashwrap(t), "cashwrap")
	var events []string
	for _, row := range readTable(t, "local-platform.md", "Make something happen") {
		event := strings.Trim(row[0], "`")
		events = append(events, event)
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			command := exec.CommandContext(t.Context(), cashwrap, "trigger", event)
			command.Dir, _ = platformtest.Start(t)
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("got error %v, want none:\n%s", err, out)
			}
		})
	}
	if diff := cmp.Diff(trigger.Names(), events); diff != "" {
		t.Errorf("events of the guide (-all +guide):\n%s", diff)
	}
}

// run runs the guide in home, with commands in path, and keeps the output in scratch. The error names all differences
// from the guide, and the command that failed.
func (g guide) run(ctx context.Context, home, scratch, path string) error {
	said, err := os.Create(filepath.Join(scratch, "errors"))
	if err != nil {
		return err
	}
	defer said.Close()
	failed := g.runBash(ctx, home, scratch, path, said)
	var all []error
	for _, difference := range g.compare(scratch) {
		all = append(all, errors.New(difference))
	}
	if failed != nil {
		text, err := os.ReadFile(said.Name())
		all = append(all, fmt.Errorf("%w:\n%s", failed, text), err)
	}
	return errors.Join(all...)
}

// runBash runs the guide's script and ends its remaining processes. The script's errors go to a file, because a pipe
// would stay open as long as a receiver runs.
func (g guide) runBash(ctx context.Context, home, scratch, path string, said *os.File) error {
	script := filepath.Join(scratch, g.name)
	if err := os.WriteFile(script, []byte(g.script()), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", script)
	bash.Dir, bash.Stderr = home, said
	bash.Env = append(os.Environ(), "PRINTED="+scratch, "PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"))
	bash.Env = append(bash.Env, "LC_ALL=C")
	bash.Env = append(bash.Env, quiet...)
	bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	bash.Cancel = func() error { return endGroup(bash) }
	failed := bash.Run()
	if bash.Process == nil {
		return failed
	}
	if ctx.Err() != nil {
		failed = fmt.Errorf("%s: it was not done after %s", g.name, limit)
	}
	return errors.Join(failed, endGroup(bash))
}

// endGroup ends the processes that the guide has left running.
func endGroup(bash *exec.Cmd) error {
	if err := syscall.Kill(-bash.Process.Pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// quiet has the settings of package managers. The package managers ask their registries and use their caches, as they
// do on a reader's machine.
var quiet = []string{"npm_config_prefer_offline=true", "npm_config_ignore_scripts=true",
	"npm_config_audit=false", "npm_config_fund=false", "PIP_DISABLE_PIP_VERSION_CHECK=1"}

// TestGuide_Failing checks that the report of a failing guide has the line, the output and the guide's text.
func TestGuide_Failing(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".local"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".local", "env"), []byte("X=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"# T\n\n```sh\nY=$X\n```\n\n```sh\necho $Y\n```\n```text\n1\n```": "",
		"# T\n\n```sh\necho 1\nfalse | true\n```":                         "t.md:5: failed: true",
		"# T\n\n```sh\necho $unset\n```":                                  "t.md: line 4: unset: unbound variable",
		"# T\n\n```sh\necho 1\n```\n```text\n2\n```\n```sh\nfalse\n```":   "t.md:6: got\n1\n",
	} {
		g, err := parseGuide("t.md", text)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(g.run(t.Context(), home, t.TempDir(), home))
		if want == "" && got != "<nil>" || !strings.Contains(got, want) {
			t.Errorf("%s\ngot error\n%s\nwant %q in it", text, got, want)
		}
	}
}
