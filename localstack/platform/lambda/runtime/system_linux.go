package runtime

import (
	"os/exec"
	"syscall"

	"github.com/cashwrap/cashwrap/localstack/platform/processgroup"
)

// dieWithUs has the kernel kill the process when the starting thread ends. No goroutine here locks and ends a thread.
func dieWithUs(cmd *exec.Cmd) {
	processgroup.Own(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
