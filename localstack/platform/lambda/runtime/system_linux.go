package runtime

import (
	"os/exec"
	"syscall"

	"github.com/cashwrap/cashwrap/localstack/platform/processgroup"
)

// dieWithUs has the kernel kill the process when its starting thread ends: with us, as no goroutine here locks one.
func dieWithUs(cmd *exec.Cmd) {
	processgroup.Own(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
