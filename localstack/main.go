// Command localstack is the platform on a developer's machine, without Docker or an AWS account:
//
//	go run ./localstack run             start everything; PORT (8080) is the API's
//	go run ./localstack demo            run a demo against the running platform
//	go run ./localstack provision JSON  call the provision function, as an operator does
//	go run ./localstack clock [LENGTH]  move the platform's time forward, as by 7d, and print it
//	go run ./localstack reader          a card terminal that joins the running platform
//	go run ./localstack payouts [TIME]  pay out what is due now, or at a time to which the platform's then moves
//	go run ./localstack invoke FN FILE  call a function as it is deployed with the event in a file
//	go run ./localstack reconcile       compare all records of money, and print where they differ
//	go run ./localstack reset           empty .local/, where everything is kept
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

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/demo"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/terminal"
)

const exitUsage = 2

var errUsage = errors.New("usage: localstack run | demo | provision JSON | clock [LENGTH] | reader | " +
	"payouts [TIME] | invoke FUNCTION EVENT | reconcile | reset")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends this process at once, and with it the engines
	err := command(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	case err != nil:
		fmt.Fprintln(os.Stderr, "localstack:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string, out io.Writer) error {
	root, err := engines.Root()
	if err != nil {
		return err
	}
	place := platform.Folder(filepath.Join(filepath.Dir(root), ".local"))
	switch {
	case len(args) == 1 && args[0] == "run":
		c, err := configFrom(os.Getenv)
		if err != nil {
			return err
		}
		return run(ctx, place, c, out, os.Stderr)
	case len(args) == 1 && args[0] == "demo":
		return runDemo(ctx, place, out)
	case len(args) == 2 && args[0] == "provision":
		return provision(ctx, place, []byte(args[1]), out)
	case len(args) == 1 && args[0] == "clock":
		return advance(ctx, place, "", out)
	case len(args) == 2 && args[0] == "clock":
		return advance(ctx, place, args[1], out)
	case len(args) == 1 && args[0] == "reader":
		return place.Reader(ctx, os.Stdin, out)
	case len(args) == 1 && args[0] == "payouts":
		return payouts(ctx, place, "", out)
	case len(args) == 2 && args[0] == "payouts":
		return payouts(ctx, place, args[1], out)
	case len(args) == 3 && args[0] == "invoke":
		return invoke(ctx, place, args[1], args[2], out)
	case len(args) == 1 && args[0] == "reconcile":
		return reconciled(ctx, place, out)
	case len(args) == 1 && args[0] == "reset":
		return place.Reset()
	default:
		return errUsage
	}
}

// runDemo runs the demo against the running platform.
func runDemo(ctx context.Context, place platform.Folder, out io.Writer) error {
	env, err := place.ReadEnv()
	if err != nil {
		return err
	}
	now, err := place.Time()
	if err != nil {
		return err
	}
	return demo.Run(ctx, demo.Config{
		API: client.Client{BaseURL: env["BASE_URL"]}, MerchantCode: env["MERCHANT_CODE"], APIKey: env["API_KEY"],
		Secret: env["CALLBACK_SECRET"], Today: now.Now,
		Operator: place.Operator(terminal.New(os.Stderr)), Mails: place.Mails(), Out: out,
	})
}
