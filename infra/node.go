package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// minNode is the oldest Node.js that the CDK's library supports.
const minNode = 20

// checkNode fails if Node.js is missing or too old: the CDK is a Node.js program, and
// without it jsii panics.
func checkNode() error {
	path, err := exec.LookPath("node")
	if err != nil {
		return errors.New("the CDK needs Node.js 20 or later, and no `node` is in the PATH")
	}
	out, err := exec.Command(path, "--version").Output() //nolint:gosec // the node that the shell finds
	if err != nil {
		return fmt.Errorf("the CDK needs Node.js 20 or later, but `node --version` fails: %w", err)
	}
	return newEnough(strings.TrimSpace(string(out)))
}

// newEnough checks what `node --version` prints, e.g. v20.20.2.
func newEnough(version string) error {
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < minNode {
		return fmt.Errorf("the CDK needs Node.js %d or later, this is %s", minNode, version)
	}
	return nil
}
