//go:build !unix

package main

import "os/exec"

// Without process groups a program gets a terminal's Ctrl-C too.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
