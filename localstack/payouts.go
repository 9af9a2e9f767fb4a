package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/terminal"
)

// payouts makes and runs the payouts that are due on the running platform at a time, in RFC 3339 ("": now), and prints
// them. It calls the same code as the schedule and the queue's consumer.
func payouts(ctx context.Context, place platform.Folder, at string, out io.Writer) error {
	var all []paidOut
	for {
		done, err := runPayouts(ctx, place, at)
		if err != nil {
			return err
		}
		all = append(all, done.Payouts...)
		if !done.More || len(done.Payouts) == 0 {
			return printPayouts(out, all, at, done.NextAt)
		}
	}
}

// paidOut is one payout in the answer of run_payouts.
type paidOut struct {
	Tenant   string      `json:"tenant"`
	ID       string      `json:"payout"`
	Day      string      `json:"day"`
	Status   string      `json:"status"`
	Total    json.Number `json:"total"`
	Currency string      `json:"currency"`
	Records  int         `json:"records"`
	Reason   string      `json:"reason"`
}

type payoutsDone struct {
	Payouts []paidOut `json:"payouts"`
	More    bool      `json:"more"`
	NextAt  time.Time `json:"next_at"` // end of the next period with something to pay out; zero: there is none
}

func runPayouts(ctx context.Context, place platform.Folder, at string) (done payoutsDone, err error) {
	command := map[string]string{"command": "run_payouts", "mode": "test", "at": at}
	err = place.Operator(terminal.New(os.Stderr)).Operate(ctx, command, &done)
	if refused, ok := errors.AsType[*client.Refusal](err); ok {
		err = fmt.Errorf("%s For example: make payouts AT=%s", refused.Message,
			time.Now().UTC().AddDate(0, 0, 1).Format(time.RFC3339))
	}
	return done, err
}

func printPayouts(out io.Writer, all []paidOut, at string, next time.Time) error {
	if len(all) == 0 {
		return printNone(out, at, next)
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

// printNone says when the next payout is due. An earlier AT in the future has moved the schedule on, so the time comes
// from the schedule.
func printNone(out io.Writer, at string, next time.Time) error {
	when := "now"
	if at != "" {
		when = "at " + at
	}
	if next.IsZero() {
		_, err := fmt.Fprintf(out, "No payout is due %s, and there is nothing to pay out: pay a checkout first.\n", when)
		return err
	}
	_, err := fmt.Fprintf(out, "No payout is due %s. The next one is due when the merchant's day, week or month has "+
		"ended. To run it as if it were that time:\n\n  make payouts AT=%s\n", when, next.UTC().Format(time.RFC3339))
	return err
}
