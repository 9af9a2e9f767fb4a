package runtime

import (
	"os/exec"
	"syscall"
)

// dieWithUs has the kernel kill the process when this one dies, and keeps a terminal's Ctrl-C from it: it is stopped by
// us. (Strictly, the kernel kills it when the thread that started it ends. Go ends a thread only with a goroutine that
// locked it, and none here does.)
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
