//go:build unix && !linux

package runtime

import (
	"os/exec"
	"syscall"
)

// withUs keeps a terminal's Ctrl-C from the process, which is ours to end. When we die it ends with the call it is at:
// a program that can no longer ask for events exits.
func withUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
