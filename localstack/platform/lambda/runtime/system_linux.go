package runtime

import (
	"os/exec"
	"syscall"

	"github.com/cashwrap/cashwrap/localstack/platform/processgroup"
)

// dieWithUs makes the kernel kill the process when we end. Linux kills the process when the thread that started it
// ends. That thread ends only with us, because no goroutine locks a thread.
func dieWithUs(cmd *exec.Cmd) {
	processgroup.Own(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
