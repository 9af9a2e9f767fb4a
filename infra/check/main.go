// Command check tests what tests of the template cannot: that the template can be deployed, and that the deployed
// platform works.
//
//	go run ./infra/check deploy        deploy to an emulator on this machine, and test the platform there
//	go run ./infra/check sizes FOLDER  check the size limits of the functions built there
//	go run ./infra/check findings FOLDER  let cfn-lint, checkov and cdk-nag check the template synthesized there
//	go run ./infra/check sam           run the API under SAM, beside the platform that `make run` runs
//
// It reads the template as CloudFormation does, and does not import the CDK.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

const exitUsage = 2

var errUsage = errors.New("usage, in the repository's root: check deploy | sizes FOLDER | findings FOLDER | sam")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := runCommand(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	case err != nil:
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func runCommand(ctx context.Context, args []string, out io.Writer) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(root, "infra", "cdk.json")); err != nil {
		return errUsage
	}
	switch {
	case len(args) == 1 && args[0] == "deploy":
		return deploy(ctx, root, out)
	case len(args) == 2 && args[0] == "sizes":
		return checkSizes(args[1], out)
	case len(args) == 2 && args[0] == "findings":
		return checkFindings(ctx, root, args[1], out)
	case len(args) == 1 && args[0] == "sam":
		return runSAM(ctx, root, out)
	default:
		return errUsage
	}
}
