package engines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockFile = "package-lock.json"
	// stampFile has the installed lock file's hash. npm ci first empties node_modules, so a cut-off install has none.
	stampFile    = "node_modules/.cashwrap-installed"
	lockInterval = 100 * time.Millisecond
)

// Install puts the pinned engines into dir/node_modules with npm ci, unless package-lock.json is what was installed
// last. Concurrent processes wait for one of them. npm's output appears only in an error.
func Install(ctx context.Context, dir string) (err error) {
	if installed(dir) {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("install engines: %w", err)
		}
	}()
	lock := flock.New(filepath.Join(dir, lockFile))
	if _, err = lock.TryLockContext(ctx, lockInterval); err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if installed(dir) {
		return nil
	}
	if err = npm(ctx, dir); err != nil {
		return err
	}
	stamp, err := hash(dir)
	if err != nil {
		return err
	}
	// npm makes no node_modules for an empty lock file.
	path := filepath.Join(dir, stampFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(stamp), 0o644)
}

// npm runs no package's scripts: neither engine needs any.
func npm(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s: %w\n%s", dir, err, out)
	}
	return nil
}

func installed(dir string) bool {
	stamp, noStamp := os.ReadFile(filepath.Join(dir, stampFile))
	want, err := hash(dir)
	return noStamp == nil && err == nil && string(stamp) == want
}

func hash(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, lockFile))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
