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
	// stampFile holds the installed lock file's hash. npm ci empties node_modules first, so an interrupted install leaves
	// no stamp file.
	stampFile    = "node_modules/.cashwrap-installed"
	lockInterval = 100 * time.Millisecond
)

// Install installs the pinned engines into dir/node_modules with npm ci, unless package-lock.json is unchanged since
// the last install. If several processes call Install, the first installs and the others wait. npm's output appears
// only in an error.
func Install(ctx context.Context, dir string) (err error) {
	if isInstalled(dir) {
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
	if isInstalled(dir) {
		return nil
	}
	if err = runNpm(ctx, dir); err != nil {
		return err
	}
	stamp, err := hashLock(dir)
	if err != nil {
		return err
	}
	// npm creates no node_modules for an empty lock file.
	path := filepath.Join(dir, stampFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(stamp), 0o644)
}

// runNpm installs without running the packages' scripts, which neither engine needs.
func runNpm(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s: %w\n%s", dir, err, out)
	}
	return nil
}

func isInstalled(dir string) bool {
	stamp, noStamp := os.ReadFile(filepath.Join(dir, stampFile))
	want, err := hashLock(dir)
	return noStamp == nil && err == nil && string(stamp) == want
}

func hashLock(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, lockFile))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
