package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// installEmulator makes a Python environment with the pinned emulator, once for each
// list of requirements, and returns the path of its interpreter.
func installEmulator(ctx context.Context, root string, log *os.File) (python string, err error) {
	venv := filepath.Join(root, ".local", "emulator")
	python = filepath.Join(venv, "bin", "python")
	list := filepath.Join(root, "infra", "emulator", "requirements.txt")
	installed := filepath.Join(venv, "installed") // the list, written last
	wanted, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	wanted = append(wanted, venv...) // which its programs name in their first lines
	if there, err := os.ReadFile(installed); err == nil && bytes.Equal(there, wanted) {
		return python, nil
	}
	if err := run(ctx, root, os.Environ(), log, "python3", "-c", oldestPython); err != nil {
		return "", err
	}
	if err := run(ctx, root, os.Environ(), log, "python3", "-m", "venv", "--clear", venv); err != nil {
		return "", fmt.Errorf("no private Python environment (on Debian and Ubuntu, install python3-venv): %w", err)
	}
	if err := run(ctx, root, os.Environ(), log, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		"--only-binary", ":all:", "--requirement", list); err != nil {
		return "", fmt.Errorf("the emulator cannot be installed: %w", err)
	}
	return python, os.WriteFile(installed, wanted, 0o600)
}

const oldestPython = `import sys
sys.version_info >= (3, 10) or sys.exit("the emulator needs Python 3.10 or later, this is " + sys.version)`
