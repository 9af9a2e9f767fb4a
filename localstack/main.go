// Command localstack runs the platform on a developer's machine, without Docker or an AWS account. `go run ./localstack
// help` lists its commands, and also the commands for integrators. The command can be installed as cashwrap and then
// works in any folder. The data is in .local in the repository, or else in the working directory or a folder above it.
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

	"github.com/spf13/cobra"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/demo"
	"github.com/cashwrap/cashwrap/localstack/platform/repository"
	"github.com/cashwrap/cashwrap/localstack/platform/terminal"
)

const exitUsage = 2

// errUsage is joined to an error if the command was used wrongly.
var errUsage = errors.New("`cashwrap help` lists the commands")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends this process at once, and its engines end with it
	err := execute(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	case err != nil:
		fmt.Fprintln(os.Stderr, "cashwrap:", err)
		os.Exit(1)
	}
}

func execute(ctx context.Context, args []string, out io.Writer) error {
	place, err := findFolder()
	if err != nil {
		return err
	}
	root := newRootCommand(place, out) //nolint:contextcheck // cobra passes the context to the commands
	called := false
	root.PersistentPreRun = func(*cobra.Command, []string) { called = true }
	root.SetArgs(args)
	root.SetOut(out)
	err = root.ExecuteContext(ctx)
	if err != nil && !called {
		return errors.Join(err, errUsage)
	}
	return err
}

const dataFolder = ".local"

func findFolder() (platform.Folder, error) {
	if root, err := repository.Root(); err == nil {
		return platform.Folder(filepath.Join(root, dataFolder)), nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := here; ; at = filepath.Dir(at) {
		if found := platform.Folder(filepath.Join(at, dataFolder)); found.IsPlatforms() {
			return found, nil
		}
		if at == filepath.Dir(at) {
			return platform.Folder(filepath.Join(here, dataFolder)), nil
		}
	}
}

// newRootCommand returns the root command with all commands. Integrators' commands have the names and flags that other
// payment platforms use.
func newRootCommand(place platform.Folder, out io.Writer) *cobra.Command {
	root := &cobra.Command{Use: "cashwrap", Short: "The payments platform on this machine",
		SilenceUsage: true, SilenceErrors: true, CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true}}
	root.AddGroup(&cobra.Group{ID: "platform", Title: "The platform:"},
		&cobra.Group{ID: "integrate", Title: "While you integrate:"}, &cobra.Group{ID: "operate", Title: "As its operator:"})
	add := func(group, use, short string, args cobra.PositionalArgs, run func(context.Context, []string) error) {
		root.AddCommand(&cobra.Command{Use: use, Short: short, Args: args, GroupID: group,
			RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), args) }})
	}
	add("platform", "run", "Start everything; PORT, ENGINE and RUNTIME of the environment say how", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			c, err := readConfig(os.Getenv)
			if err != nil {
				return err
			}
			return run(ctx, place, c, out, os.Stderr)
		})
	add("platform", "reset", "Delete the data and keys of the local run", cobra.NoArgs,
		func(context.Context, []string) error { return place.Reset() })
	root.AddCommand(newListenCommand(place, out), newTriggerCommand(place, out), newEventsCommand(place, out),
		newLogsCommand(place, out), newClockCommand(place, out))
	add("integrate", "demo", "Run a demo, and print every request and reply", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return runDemo(ctx, place, out) })
	add("integrate", "reader", "Be a card terminal that joins the platform", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return place.Reader(ctx, os.Stdin, out) })
	add("operate", "payouts [TIME]", "Pay out what is due now, or at a time to which the clock moves",
		cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
			return runPayouts(ctx, place, first(args), out)
		})
	add("operate", "provision JSON", "Give an operator's command", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error { return provision(ctx, place, []byte(args[0]), out) })
	add("operate", "reconcile", "Compare all records of money, and print where they differ", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return runReconcile(ctx, place, out) })
	add("operate", "invoke FUNCTION EVENT", "Hand the event of a file to a function as it is deployed", cobra.ExactArgs(2),
		func(ctx context.Context, args []string) error { return invoke(ctx, place, args[0], args[1], out) })
	return root
}

// showHelp prints the help of a command that only has subcommands.
func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

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
