package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/processgroup"
)

// drainTime limits the wait for the output of a killed program.
const drainTime = 2 * time.Second

// newCmd returns a command. When the context ends, the program ends, with all processes that the program started.
func newCmd(ctx context.Context, dir string, env []string, log io.Writer, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, log, log
	processgroup.Own(cmd)
	cmd.Cancel = func() error {
		processgroup.Kill(cmd)
		return nil
	}
	cmd.WaitDelay = drainTime
	return cmd
}

// lastLines is the number of output lines in the error of a failed program.
const lastLines = 25

// run runs a program to its end. The error ends with the last lines that the program printed; the log has all lines.
func run(ctx context.Context, dir string, env []string, log *os.File, program string, args ...string) error {
	before, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if err := newCmd(ctx, dir, env, log, program, args...).Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, tail(log, before))
	}
	return nil
}

func tail(log *os.File, from int64) string {
	text, err := io.ReadAll(io.NewSectionReader(log, from, 1<<30))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-lastLines):], "\n")
}

// environment returns this process's variables, followed by the variables in more. It leaves out this process's
// variables that lead to a real account or a proxy.
func environment(more ...string) []string { return append(dropUnsafe(os.Environ()), more...) }

func dropUnsafe(variables []string) []string {
	var env []string
	for _, variable := range variables {
		name, _, _ := strings.Cut(variable, "=")
		upper := strings.ToUpper(name)
		if strings.HasPrefix(upper, "AWS_") || strings.HasPrefix(upper, "CDK_") || strings.HasSuffix(upper, "_PROXY") {
			continue
		}
		env = append(env, variable)
	}
	return env
}

// Lists of Python programs with their versions, in infra.
const (
	emulatorList = "emulator/requirements.txt"
	cfnLintList  = "check/cfn-lint.txt"
	checkovList  = "check/checkov.txt"
)

// installPython installs the programs of a list in a Python environment, and returns the folder of the programs. If the
// same list is already installed, it installs nothing.
func installPython(ctx context.Context, root, name, list string) (programs string, _ error) {
	venv := filepath.Join(root, ".local", name)
	programs = filepath.Join(venv, "bin")
	list = filepath.Join(root, "infra", filepath.FromSlash(list))
	installed := filepath.Join(venv, "installed") // has the installed list; written last
	wanted, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	wanted = append(wanted, venv...) // the programs' first lines contain the path
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
