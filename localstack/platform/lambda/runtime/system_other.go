//go:build !linux

package runtime

import (
	"os/exec"

	"github.com/cashwrap/cashwrap/localstack/aws/group"
)

// dieWithUs leaves it to the process to end when we die, after its current call: a program that can no longer ask for
// events exits.
func dieWithUs(cmd *exec.Cmd) { group.Own(cmd) }
