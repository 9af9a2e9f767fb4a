package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

func newEventsCommand(place platform.Folder, out io.Writer) *cobra.Command {
	events := &cobra.Command{Use: "events", GroupID: "integrate", Short: "Send callbacks again", Args: cobra.NoArgs,
		RunE: showHelp}
	events.AddCommand(&cobra.Command{Use: "resend ID", Args: cobra.ExactArgs(1),
		Short:   "Send a callback again, under the same webhook-id",
		Example: "  cashwrap events resend msg_5d1f7a1c-0a0b-4c6d-8e9f-7c1d2e3f4a5b",
		RunE:    func(c *cobra.Command, args []string) error { return resend(c.Context(), place, args[0], out) }})
	return events
}

// resend sends a callback again. Errors: ErrNotRunning, or the reason why the callback cannot be sent.
func resend(ctx context.Context, place platform.Folder, id string, out io.Writer) error {
	err := place.Operator(slog.New(slog.DiscardHandler)).Operate(ctx,
		map[string]string{"command": "replay_callbacks", "id": id}, nil)
	if err != nil {
		return client.ForPeople(err)
	}
	_, err = fmt.Fprintf(out, "%s is sent again.\n", id)
	return err
}
