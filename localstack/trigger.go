package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/trigger"
)

func newTriggerCommand(place platform.Folder, out io.Writer) *cobra.Command {
	var overrides []string
	c := &cobra.Command{Use: "trigger EVENT", GroupID: "integrate", Args: requireEvent,
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

// requireEvent checks that the arguments are the name of one event. Its error lists the events.
func requireEvent(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("which event?\n\n" + trigger.List())
	}
	return nil
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
