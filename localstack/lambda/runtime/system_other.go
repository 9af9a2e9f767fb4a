//go:build !unix

package runtime

import "os/exec"

// withUs needs nothing here: a program that can no longer ask for events exits.
func withUs(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
