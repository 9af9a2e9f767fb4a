//go:build !unix

package engines

import (
	"os"
	"os/exec"
)

// Without process groups the child gets a terminal's Ctrl-C with us; its lifeline still ends it.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// Without flock, two first installs at the same moment are the developer's to avoid.
func tryLock(*os.File) (bool, error) { return true, nil }
