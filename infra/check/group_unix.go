//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a program be ended with whatever it has started. It also keeps
// a terminal's Ctrl-C from it, which goes to us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends them. An error means that they are gone already.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
