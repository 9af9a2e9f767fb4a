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

// drain is how long the output of a program that was killed is waited for.
const drain = 2 * time.Second

// process is a program that ends, with all it starts, when the context does.
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

// lastLines of a program's output are told when it fails.
const lastLines = 25

// run runs one to its end. The error ends with the last of what it printed;
// the log has all of it.
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

// environment is ours without whatever could lead a program to a real account
// or through a proxy, and with more.
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
