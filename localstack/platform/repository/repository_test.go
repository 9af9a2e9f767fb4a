package repository_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform/repository"
)

func TestRoot(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "..", "..", "..")
	if got, err := repository.Root(); err != nil || got != want {
		t.Errorf("got %s and error %v, want %s", got, err, want)
	}
	t.Chdir(t.TempDir())
	if got, err := repository.Root(); err == nil {
		t.Errorf("outside the repository: got %s, want an error", got)
	}
}
