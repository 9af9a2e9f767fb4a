//go:build !unix

package engines

import (
	"os/exec"
)

// Without process groups the child gets a terminal's Ctrl-C with us; its lifeline still ends it.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
