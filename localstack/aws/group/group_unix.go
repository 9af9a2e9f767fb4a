//go:build unix

// Package group ends the programs that another one starts, with all processes that these start.
package group

import (
	"os/exec"
	"syscall"
)

// Own keeps Ctrl-C from a program before its start: we get it and end the program in order.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends the program and whatever it started. An error means that it is gone already.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
