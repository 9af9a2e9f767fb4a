//go:build !unix

package runtime

import "os/exec"

// dieWithUs needs nothing here: a program that can no longer ask for events exits.
func dieWithUs(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
