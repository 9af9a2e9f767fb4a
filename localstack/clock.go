package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

func newClockCommand(place platform.Folder, out io.Writer) *cobra.Command {
	clock := &cobra.Command{Use: "clock", GroupID: "integrate", Args: cobra.NoArgs,
		Short: "Print the platform's time, or move it forward",
		RunE:  func(c *cobra.Command, _ []string) error { return advanceClock(c.Context(), place, "", out) }}
	clock.AddCommand(&cobra.Command{Use: "advance LENGTH", Args: cobra.ExactArgs(1),
		Short: "Move the platform's time forward, by 90s, 15m, 36h, 7d or 2w", Example: "  cashwrap clock advance 7d",
		RunE: func(c *cobra.Command, args []string) error { return advanceClock(c.Context(), place, args[0], out) }})
	return clock
}

// advanceClock moves the running platform's time forward by a length such as 7d, and prints the time. With "" it only
// prints the time.
func advanceClock(ctx context.Context, place platform.Folder, length string, out io.Writer) error {
	if length != "" {
		d, err := clock.ParseDuration(length)
		if err != nil {
			return err
		}
		if err = place.Advance(ctx, d); err != nil {
			return err
		}
	}
	now, err := place.Time()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "The platform's time is %s.\n", now)
	return err
}
