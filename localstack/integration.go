package main

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/inspector"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/trigger"
)

// addIntegration adds the commands for who integrates with the running platform. Their names and flags are those that
// developers know from other payment platforms.
func addIntegration(root *cobra.Command, place platform.Folder, out io.Writer) {
	root.AddCommand(listenCommand(place, out), triggerCommand(place, out), eventsCommand(place, out),
		logsCommand(place, out), clockCommand(place, out))
}

func listenCommand(place platform.Folder, out io.Writer) *cobra.Command {
	var wants inspector.Listening
	c := &cobra.Command{Use: "listen", GroupID: "integrate", Args: cobra.NoArgs,
		Short: "Show callbacks as they are sent, and forward them",
		Long: "Show each attempt to deliver a callback, and whether its signatures are right. With --forward-to callbacks " +
			"go to that address instead of their checkout's return_url, until the command ends.",
		Example: "  cashwrap listen --forward-to http://127.0.0.1:4000/callback --events CHECKOUT_STATUS_CHANGED",
		RunE:    func(c *cobra.Command, _ []string) error { return listen(c.Context(), place, wants, out) }}
	c.Flags().StringVar(&wants.ForwardTo, "forward-to", "", "`URL` that gets callbacks instead of each return_url")
	c.Flags().StringSliceVar(&wants.Events, "events", nil,
		"only these `types`, with commas: "+strings.Join(inspector.Events, ", "))
	return c
}

func triggerCommand(place platform.Folder, out io.Writer) *cobra.Command {
	var overrides []string
	c := &cobra.Command{Use: "trigger EVENT", GroupID: "integrate", Args: cobra.ExactArgs(1),
		Short:     "Make something happen by test payments, such as checkout.paid",
		Long:      "Make something happen by test payments. Events:\n\n" + trigger.List(),
		Example:   "  cashwrap trigger checkout.paid --override amount:12.50 --override description:Coffee",
		ValidArgs: trigger.Names(),
		RunE: func(c *cobra.Command, args []string) error {
			return runTrigger(c.Context(), place, args[0], overrides, out)
		}}
	c.Flags().StringArrayVar(&overrides, "override", nil,
		"a field of the request that creates the checkout, as `field:value`; may be repeated")
	return c
}

func runTrigger(ctx context.Context, place platform.Folder, event string, overrides []string, out io.Writer) error {
	env, err := place.ReadEnv()
	if err != nil {
		return err
	}
	now, err := place.Time()
	if err != nil {
		return err
	}
	return trigger.Run(ctx, event, overrides, trigger.Config{
		API: client.Client{BaseURL: env["BASE_URL"]}, Env: env, Now: now.Now, Out: out,
		Operator: place.Operator(slog.New(slog.DiscardHandler)),
		Advance:  func(d time.Duration) error { return place.Advance(ctx, d) },
	})
}

func eventsCommand(place platform.Folder, out io.Writer) *cobra.Command {
	events := &cobra.Command{Use: "events", GroupID: "integrate", Short: "Resend a callback"}
	events.AddCommand(&cobra.Command{Use: "resend ID", Args: cobra.ExactArgs(1),
		Short:   "Send a callback again, under the same webhook-id",
		Example: "  cashwrap events resend msg_5d1f7a1c-0a0b-4c6d-8e9f-7c1d2e3f4a5b",
		RunE:    func(c *cobra.Command, args []string) error { return resend(c.Context(), place, args[0], out) }})
	return events
}

func logsCommand(place platform.Folder, out io.Writer) *cobra.Command {
	var wants requestFilter
	logs := &cobra.Command{Use: "logs", GroupID: "integrate", Short: "Show requests to the API as they come"}
	tail := &cobra.Command{Use: "tail", Args: cobra.NoArgs, Short: "Show requests to the API as they come",
		Example: "  cashwrap logs tail --filter-status-code 4xx,500 --filter-http-method POST",
		RunE:    func(c *cobra.Command, _ []string) error { return tailLogs(c.Context(), place, wants, out) }}
	tail.Flags().StringSliceVar(&wants.statuses, "filter-status-code", nil, "only these `codes`, such as 404 or 4xx")
	tail.Flags().StringSliceVar(&wants.methods, "filter-http-method", nil, "only these `methods`")
	tail.Flags().StringVar(&wants.path, "filter-request-path", "", "only paths with this `text` in them")
	logs.AddCommand(tail)
	return logs
}

func clockCommand(place platform.Folder, out io.Writer) *cobra.Command {
	clock := &cobra.Command{Use: "clock", GroupID: "integrate", Args: cobra.NoArgs,
		Short: "Print the platform's time, or move it forward",
		RunE:  func(c *cobra.Command, _ []string) error { return advance(c.Context(), place, "", out) }}
	clock.AddCommand(&cobra.Command{Use: "advance LENGTH", Args: cobra.ExactArgs(1),
		Short: "Move the platform's time forward, by 90s, 15m, 36h, 7d or 2w", Example: "  cashwrap clock advance 7d",
		RunE: func(c *cobra.Command, args []string) error { return advance(c.Context(), place, args[0], out) }})
	return clock
}
