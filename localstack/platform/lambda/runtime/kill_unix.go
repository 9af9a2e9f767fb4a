//go:build unix

package runtime

import (
	"os/exec"
	"syscall"
)

// killGroup ends the process and whatever it started. An error means that it is gone already.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
