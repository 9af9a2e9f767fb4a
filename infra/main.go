// Package main is the CDK app that deploys the platform to AWS. The operating guide (README.md) describes how to run
// it, and settings.go lists operators' settings. The app deploys functions.All, functions.Queues and store.Indexes, so
// a new family, queue, schedule or index needs no change here.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/functions"
)

func main() {
	if err := synthesize(); err != nil {
		fmt.Fprintln(os.Stderr, "infra:", err)
		os.Exit(1)
	}
}

func synthesize() error {
	if err := checkNode(os.Stderr); err != nil {
		return err
	}
	defer jsii.Close()
	app := awscdk.NewApp(nil)
	if _, err := newPlatform(app, functions.All); err != nil {
		return err
	}
	app.Synth(nil)
	return nil
}

// minNode is the oldest Node.js that the CDK supports. recommendedNode is the oldest Node.js that still gets fixes.
// Version 20 got its last fixes in April 2026 (nodejs.org/en/about/previous-releases).
const (
	minNode         = 20
	recommendedNode = 22
)

const needsNode = "the CDK needs Node.js 20 or later, and 22 is recommended"

// checkNode returns an error if Node.js is missing or older than minNode, because jsii would panic. It warns of
// outdated versions.
func checkNode(warnings io.Writer) error {
	path, err := exec.LookPath("node")
	if err != nil {
		return errors.New(needsNode + ": no `node` is in the PATH")
	}
	out, err := exec.Command(path, "--version").Output() //nolint:gosec // runs the shell's node
	if err != nil {
		return fmt.Errorf("%s: `node --version` fails: %w", needsNode, err)
	}
	warning, err := checkNodeVersion(strings.TrimSpace(string(out)))
	if warning != "" {
		fmt.Fprintln(warnings, "infra:", warning)
	}
	return err
}

// checkNodeVersion checks a version in the form of `node --version`, such as v20.20.2. It refuses versions that are too
// old.
func checkNodeVersion(version string) (warning string, err error) {
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	switch n, err := strconv.Atoi(major); {
	case err != nil || n < minNode:
		return "", fmt.Errorf("%s: this is %s", needsNode, version)
	case n < recommendedNode:
		return fmt.Sprintf("%s: this is %s, which gets no more security fixes", needsNode, version), nil
	default:
		return "", nil
	}
}
