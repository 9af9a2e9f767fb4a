package runtime

import (
	"os/exec"
	"syscall"
)

// withUs keeps a terminal's Ctrl-C from the process, which is ours to end, and has the kernel kill it when we die.
// (Strictly: when the thread that started it does. Go ends a thread only with a goroutine that locked it, and none here
// does.)
func withUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
