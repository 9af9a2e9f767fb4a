package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/inspector"
)

func newListenCommand(place platform.Folder, out io.Writer) *cobra.Command {
	var wants inspector.Listening
	c := &cobra.Command{Use: "listen", GroupID: "integrate", Args: cobra.NoArgs,
		Short: "Show callbacks as they are sent, and forward them",
		Long: "Show each attempt to deliver a callback, and whether its signatures are right. With --forward-to callbacks " +
			"go to that address instead of their checkout's return_url, until the command ends.\n\n" +
			"v1 and v1a are the signatures: ✓ is right, ? by no secret in .local/env, ✗ wrong, – missing.",
		Example: "  cashwrap listen --forward-to http://127.0.0.1:4000/callback --events CHECKOUT_STATUS_CHANGED",
		RunE:    func(c *cobra.Command, _ []string) error { return listen(c.Context(), place, wants, out) }}
	c.Flags().StringVar(&wants.ForwardTo, "forward-to", "", "`URL` that gets callbacks instead of each return_url")
	c.Flags().StringSliceVar(&wants.Events, "events", nil,
		"only these `types`, with commas: "+strings.Join(inspector.Events, ", "))
	return c
}

// listen prints each new attempt to deliver a callback until ctx ends. Errors: an unknown event, or an error of
// platform.Folder.Callbacks, such as ErrNotRunning.
func listen(ctx context.Context, place platform.Folder, wants inspector.Listening, out io.Writer) error {
	for _, event := range wants.Events {
		if !slices.Contains(inspector.Events, event) {
			return fmt.Errorf("%q is no type of event: there are %s", event, strings.Join(inspector.Events, " and "))
		}
	}
	callbacks, err := place.Callbacks(ctx, wants)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Listening; callbacks go to %s. Ctrl-C ends it.\n",
		cmp.Or(wants.ForwardTo, "each checkout's return_url"))
	for c, err := range callbacks {
		if err != nil {
			return err
		}
		answer := strconv.Itoa(c.Status)
		if c.Status == 0 {
			answer = c.Fail
		}
		fmt.Fprintf(out, "%s  %s %s -> %s [%s]  v1 %s v1a %s  %s\n", c.At.Local().Format(time.TimeOnly), c.Event, c.Subject,
			c.URL, answer, c.V1, c.V1a, c.ID)
	}
	return reportEnd(ctx, out)
}

// reportEnd prints that the platform has stopped, unless the user ended the command.
func reportEnd(ctx context.Context, out io.Writer) error {
	if ctx.Err() != nil {
		return nil
	}
	_, err := fmt.Fprintln(out, "The platform has stopped.")
	return err
}
