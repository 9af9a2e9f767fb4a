// Command engines/with starts the engines, runs another command, and exits with that command's exit code:
//
//	go run ./localstack/aws/engines/with -- go test ./...
//
// The other command gets the engines' addresses in CASHWRAP_DYNAMODB_LOCAL and CASHWRAP_FAUXQS. This program fails if
// the machine lacks Node or a JDK.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
)

const (
	exitUsage    = 2
	exitNotFound = 127 // as in a shell
	exitSignal   = 128 // plus the signal's number, as in a shell
)

// forwardedSignals lists the signals that this program forwards to the command. After Ctrl-C the command gets the
// signal twice: from the terminal and from this program. go test already reacts to the first signal.
var forwardedSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: with -- COMMAND [ARGUMENT...]")
		os.Exit(exitUsage)
	}
	code, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "with:", err)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	// From here on signals are caught, so that the engines are stopped properly. A signal while the engines start cancels
	// their start.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwardedSignals...)
	ctx, stop := signal.NotifyContext(context.Background(), forwardedSignals...)
	dynamodb, fauxqs, err := startBoth(ctx)
	stop()
	if err != nil {
		return 1, err
	}
	defer dynamodb.Stop()
	defer fauxqs.Stop()

	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // running the given command is the purpose of this program
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "CASHWRAP_DYNAMODB_LOCAL="+dynamodb.Endpoint, "CASHWRAP_FAUXQS="+fauxqs.Endpoint)
	if err = cmd.Start(); err != nil {
		return exitNotFound, err
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // only fails if the command has just ended
		}
	}()
	return exitCode(cmd.Wait())
}

func startBoth(ctx context.Context) (dynamodb, fauxqs *engines.Engine, err error) {
	root, err := engines.Root()
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(engines.Check(), engines.Install(ctx, root)); err != nil {
		return nil, nil, err
	}
	var g errgroup.Group
	g.Go(func() (err error) { dynamodb, err = engines.StartDynamoDB(ctx, engines.Options{}); return })
	g.Go(func() (err error) { fauxqs, err = engines.StartFauxqs(ctx, engines.Options{}); return })
	if err := g.Wait(); err != nil {
		return nil, nil, err // an engine that did start ends with this process
	}
	return dynamodb, fauxqs, nil
}

func exitCode(err error) (int, error) {
	if err == nil {
		return 0, nil
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 1, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignal + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}
