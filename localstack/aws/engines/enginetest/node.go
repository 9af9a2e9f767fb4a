package enginetest

import (
	"context"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
)

// installModules installs the modules of localstack/package.json, for programs that need no Java.
var installModules = sync.OnceValues(func() (string, error) {
	root, err := engines.Root()
	if err != nil {
		return "", err
	}
	return root, engines.Install(context.Background(), root)
})

// Node returns a command that runs a program of localstack with Node. It skips the test unless All returns true.
func Node(tb testing.TB, program string) *exec.Cmd {
	tb.Helper()
	return NodeContext(tb.Context(), tb, program)
}

// NodeContext is like Node. The program ends with ctx, so several tests may share it.
func NodeContext(ctx context.Context, tb testing.TB, program string) *exec.Cmd {
	tb.Helper()
	Only(tb)
	root, err := installModules()
	if err != nil {
		tb.Fatal(err)
	}
	return exec.CommandContext(ctx, "node", filepath.Join(root, program))
}
