package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/terminal"
)

// runPayouts runs the payouts that are due at a time in RFC 3339 ("" means now). It uses the code of the schedule and
// of the queue's consumer. It moves the platform's clock to that time, and prints the payouts.
func runPayouts(ctx context.Context, place platform.Folder, at string, out io.Writer) error {
	all, next, err := place.Operator(terminal.New(os.Stderr)).RunPayouts(ctx, at)
	if refused, ok := errors.AsType[*client.Refusal](err); ok {
		now, timeErr := place.Time()
		example := now.Now.AddDate(0, 0, 1).Format(time.RFC3339)
		err = errors.Join(fmt.Errorf("%s For example: make payouts AT=%s", refused.Message, example), timeErr)
	}
	if err != nil {
		return err
	}
	return errors.Join(moveClock(ctx, place, at), printPayouts(out, all, next))
}

// moveClock moves the platform's clock to a time in RFC 3339, unless the clock is past that time. With "" it does
// nothing. Call it after the payouts have run: otherwise the running platform makes the payouts that become due by the
// move.
func moveClock(ctx context.Context, place platform.Folder, at string) error {
	if at == "" {
		return nil
	}
	then, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return err
	}
	now, err := place.Time()
	if err != nil {
		return err
	}
	if d := then.Sub(now.Now); d > 0 {
		return place.Advance(ctx, d)
	}
	return nil
}

func printPayouts(out io.Writer, all []client.PaidOut, next time.Time) error {
	if len(all) == 0 {
		return printNextPayout(out, next)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MERCHANT\tDAY\tTOTAL\tRECORDS\tSTATUS\tPAYOUT")
	for _, p := range all {
		status := p.Status
		if p.Reason != "" {
			status += " " + p.Reason
		}
		fmt.Fprintf(table, "%s\t%s\t%s %s\t%d\t%s\t%s\n", p.Tenant, p.Day, p.Total, p.Currency, p.Records, status, p.ID)
	}
	return table.Flush()
}

func printNextPayout(out io.Writer, next time.Time) error {
	if next.IsZero() {
		_, err := fmt.Fprintln(out, "No payout is due, and there is nothing to pay out: pay a checkout first.")
		return err
	}
	_, err := fmt.Fprintf(out, "No payout is due. The next one is due when the merchant's day, week or month has ended. "+
		"To run it, and move the platform's clock to that time:\n\n  make payouts AT=%s\n",
		next.UTC().Format(time.RFC3339))
	return err
}
