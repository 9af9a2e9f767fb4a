//go:build !unix

package processgroup

import "os/exec"

// Own does nothing. Without process groups, a terminal's Ctrl-C also reaches the program.
func Own(*exec.Cmd) {}

// Kill kills the program.
func Kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
