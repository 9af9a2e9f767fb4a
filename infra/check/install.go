package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Lists of Python programs with their versions, in infra.
const (
	emulatorList = "emulator/requirements.txt"
	cfnLintList  = "check/cfn-lint.txt"
	checkovList  = "check/checkov.txt"
)

// installPython makes a Python environment of the name with the programs of a list, once
// for each content of the list, and returns the folder of its programs.
func installPython(ctx context.Context, root, name, list string) (programs string, _ error) {
	venv := filepath.Join(root, ".local", name)
	programs = filepath.Join(venv, "bin")
	list = filepath.Join(root, "infra", filepath.FromSlash(list))
	installed := filepath.Join(venv, "installed") // the list, written last
	wanted, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	wanted = append(wanted, venv...) // which its programs name in their first lines
	if there, _ := os.ReadFile(installed); bytes.Equal(there, wanted) {
		return programs, nil
	}
	if err = os.MkdirAll(filepath.Dir(venv), 0o700); err != nil {
		return "", err
	}
	log, err := os.Create(venv + ".log")
	if err != nil {
		return "", err
	}
	defer log.Close()
	if err = run(ctx, root, os.Environ(), log, "python3", "-c", oldestPython); err != nil {
		return "", err
	}
	if err = run(ctx, root, os.Environ(), log, "python3", "-m", "venv", "--clear", venv); err != nil {
		return "", fmt.Errorf("no private Python environment (on Debian and Ubuntu, install python3-venv): %w", err)
	}
	if err = run(ctx, root, os.Environ(), log, filepath.Join(programs, "python"), "-m", "pip", "install", "--quiet",
		"--disable-pip-version-check", "--only-binary", ":all:", "--requirement", list); err != nil {
		return "", fmt.Errorf("%s cannot be installed: %w", name, err)
	}
	return programs, os.WriteFile(installed, wanted, 0o600)
}

const oldestPython = `import sys
sys.version_info >= (3, 10) or sys.exit("Python 3.10 or later is needed, this is " + sys.version)`
