//go:build !linux

package runtime

import (
	"os/exec"

	"github.com/cashwrap/cashwrap/localstack/platform/processgroup"
)

// dieWithUs lets the process end after its current call, because a program exits when it cannot request events.
func dieWithUs(cmd *exec.Cmd) { processgroup.Own(cmd) }
