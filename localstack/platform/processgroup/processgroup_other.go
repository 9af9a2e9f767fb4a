//go:build !unix

package processgroup

import "os/exec"

// Own does nothing: without process groups a program gets a terminal's Ctrl-C with us.
func Own(*exec.Cmd) {}

// Kill ends the program.
func Kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
