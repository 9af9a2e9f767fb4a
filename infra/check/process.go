package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// drain is how long to wait for the output of a killed program.
const drain = 2 * time.Second

// process is a program that ends with the context, with all processes it has started.
func process(ctx context.Context, dir string, env []string, log io.Writer, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, log, log
	ownGroup(cmd)
	cmd.Cancel = func() error {
		killGroup(cmd)
		return nil
	}
	cmd.WaitDelay = drain
	return cmd
}

// lastLines is how many lines of output the error of a failed program has.
const lastLines = 25

// run runs a program to its end. The error ends with the last lines that it printed;
// the log has all of them.
func run(ctx context.Context, dir string, env []string, log *os.File, program string, args ...string) error {
	before, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if err := process(ctx, dir, env, log, program, args...).Run(); err != nil {
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

// environment is this process's environment and more, without variables that could lead
// a program to a real account or through a proxy.
func environment(more ...string) []string { return append(harmless(os.Environ()), more...) }

func harmless(variables []string) []string {
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
