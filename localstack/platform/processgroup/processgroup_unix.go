//go:build unix

// Package processgroup kills a program with all processes that it started. Call Own before the start, and later Kill.
package processgroup

import (
	"os/exec"
	"syscall"
)

// Own keeps a terminal's Ctrl-C from the program, so that we can end the program in order.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill kills the program and its processes. An error would mean that they have ended.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
