// Package platformtest starts a platform for a test of the guides or of the vendor's SDKs. Use Start.
package platformtest

import (
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform"
)

// Start starts a platform in memory for the test. It returns the folder that contains .local, and the variables in
// .local/env.
func Start(t *testing.T) (home string, env map[string]string) {
	t.Helper()
	home = t.TempDir()
	p, err := platform.Start(t.Context(), platform.Folder(filepath.Join(home, ".local")), platform.Config{
		Engine: platform.InMemory, Runtime: platform.InProcess,
		Progress: io.Discard, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return home, p.Env
}
