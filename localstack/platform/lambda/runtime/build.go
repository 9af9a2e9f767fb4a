package runtime

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/localstack/platform/repository"
)

const (
	module    = "github.com/cashwrap/cashwrap/"
	bootstrap = "bootstrap"
	// Bare names a function that does nothing, to measure starts and calls without our code.
	Bare = "bare"
)

var flags = []string{"-tags", "lambda.norpc", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w"}

// Build builds outdated functions as for a deployment, and returns the folder with <name>/bootstrap of each. It
// replaces files atomically, so that other processes can build and start meanwhile. Errors have the compiler's output.
func Build(ctx context.Context, names ...string) (folder string, err error) {
	root, err := repository.Root()
	if err != nil {
		return "", err
	}
	folder = filepath.Join(root, ".build", goruntime.GOOS+"-"+goruntime.GOARCH)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(goruntime.GOMAXPROCS(0))
	for _, name := range names {
		group.Go(func() error { return build(ctx, root, filepath.Join(folder, name), name) })
	}
	return folder, group.Wait()
}

func build(ctx context.Context, dir, to, name string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	source := module + "functions/" + name + "/bootstrap"
	if name == Bare {
		source = module + "localstack/platform/lambda/runtime/bare"
	}
	command := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags...), "-o",
		filepath.Join(to, bootstrap), source)...)
	command.Dir = dir
	// The temporary folder is on the same file system, so that the new program replaces the old one atomically.
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goruntime.GOOS, "GOARCH="+goruntime.GOARCH, "GOTMPDIR="+to)
	// An interrupted compiler removes its temporary files; a killed one would not.
	command.Cancel, command.WaitDelay = func() error { return command.Process.Signal(os.Interrupt) }, initLimit
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return nil
}

// Program returns the path of a function's program in a folder made by Build.
func Program(folder, name string) string { return filepath.Join(folder, name, bootstrap) }
