//go:build unix && !linux

package runtime

import (
	"os/exec"
	"syscall"
)

// dieWithUs keeps a terminal's Ctrl-C from the process: it is stopped by us. When we die it ends after its current
// call, because a program that can no longer ask for events exits.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
