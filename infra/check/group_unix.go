//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a program be ended with all processes that it has started. The program
// also does not get a terminal's Ctrl-C.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends them. An error means that they have ended.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
