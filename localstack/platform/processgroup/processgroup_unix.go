//go:build unix

// Package processgroup ends the programs that another one starts, with all processes that these start.
package processgroup

import (
	"os/exec"
	"syscall"
)

// Own keeps a terminal's Ctrl-C from a program that is started later: we get it, and end the program in order.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends the program with all that it started. An error means that it is gone already.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
