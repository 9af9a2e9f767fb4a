package enginetest

import (
	"context"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
)

// modules installs what localstack/package.json names, for programs that need no Java.
var modules = sync.OnceValues(func() (string, error) {
	root, err := engines.Root()
	if err != nil {
		return "", err
	}
	return root, engines.Install(context.Background(), root)
})

// Node returns a command that runs a localstack program by Node for the test. It skips the test unless All.
func Node(tb testing.TB, program string) *exec.Cmd {
	tb.Helper()
	return NodeContext(tb.Context(), tb, program)
}

// NodeContext is Node for a program that ends with the context, such as one that several tests share.
func NodeContext(ctx context.Context, tb testing.TB, program string) *exec.Cmd {
	tb.Helper()
	Only(tb)
	root, err := modules()
	if err != nil {
		tb.Fatal(err)
	}
	return exec.CommandContext(ctx, "node", filepath.Join(root, program))
}
