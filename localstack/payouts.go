package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/terminal"
)

// payouts plans and runs what is due on the running platform, or would be at a pretended time ("": now, else RFC 3339),
// and prints it. It calls what the schedule's tick and the queue's consumer call.
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
	NextAt  time.Time `json:"next_at"` // when a period ends in which something waits; the zero time: nothing does
	Error   *struct {
		Param   string `json:"param"`
		Message string `json:"message"`
	} `json:"error"`
}

func runPayouts(ctx context.Context, place platform.Folder, at string) (payoutsDone, error) {
	request, err := json.Marshal(map[string]string{"command": "run_payouts", "mode": "test", "at": at})
	if err != nil {
		return payoutsDone{}, err
	}
	answer, err := place.Call(ctx, "provision", request, terminal.New(os.Stderr))
	if err != nil {
		return payoutsDone{}, err
	}
	var done payoutsDone
	if err := json.Unmarshal(answer, &done); err != nil {
		return done, err
	}
	if done.Error != nil {
		return done, fmt.Errorf("%s: %s; for example: make payouts AT=%s", done.Error.Param, done.Error.Message,
			time.Now().UTC().AddDate(0, 0, 1).Format(time.RFC3339))
	}
	return done, nil
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

// printNone says when there will be a payout. A time that was pretended before has moved the schedule beyond it, so only
// the schedule can tell.
func printNone(out io.Writer, at string, next time.Time) error {
	when := "now"
	if at != "" {
		when = "at " + at
	}
	if next.IsZero() {
		_, err := fmt.Fprintf(out, "No payout is due %s, and nothing waits for the next one: pay a checkout first.\n", when)
		return err
	}
	_, err := fmt.Fprintf(out, "No payout is due %s. What waits is due when the merchant's day (week, month) is over; "+
		"pretend that "+
		"with AT:\n\n  make payouts AT=%s\n", when, next.UTC().Format(time.RFC3339))
	return err
}
