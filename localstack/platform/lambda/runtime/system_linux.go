package runtime

import (
	"os/exec"
	"syscall"

	"github.com/cashwrap/cashwrap/localstack/aws/group"
)

// dieWithUs has the kernel kill the process when this one dies. (Strictly, the kernel kills it when the thread that
// started it ends. Go ends a thread only with a goroutine that locked it, and none here does.)
func dieWithUs(cmd *exec.Cmd) {
	group.Own(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
