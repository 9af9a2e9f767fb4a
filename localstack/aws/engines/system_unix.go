//go:build unix

package engines

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's Ctrl-C from the child: it goes to us first, and we stop the child in order.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends the child and whatever it started. An error means that it is gone already.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
