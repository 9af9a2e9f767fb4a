package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// reconciled calls the reconcile function, as an operator does, and prints its report. Errors: platform.ErrNotRunning, the
// function's, or that there are differences.
func reconciled(ctx context.Context, place platform.Folder, out io.Writer) error {
	// What the function logs is what its report says.
	answer, err := place.Call(ctx, "reconcile", []byte("{}"), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	var report reconcile.Report
	if err := json.Unmarshal(answer, &report); err != nil {
		return err
	}
	if err := tell(out, report); err != nil {
		return err
	}
	if report.Found > 0 {
		return fmt.Errorf("the books differ in %d places", report.Found)
	}
	_, err = fmt.Fprintln(out, "All books agree.")
	return err
}

func tell(out io.Writer, r reconcile.Report) error {
	for _, d := range r.Differences {
		fmt.Fprintf(out, "DIFFERENCE %s %s %s: %s\n", d.Tenant, d.Kind, d.ID, d.Text)
	}
	if hidden := r.Found - len(r.Differences); hidden > 0 {
		fmt.Fprintf(out, "… and %d more\n", hidden)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, t := range r.Totals {
		fmt.Fprintf(table, "%s\t%s\t%s\t\n", t.Account, t.Amount, t.Currency)
	}
	fmt.Fprintf(out, "%d tenants, %d transactions, %d entries, %d rows, %d payouts, %d movements at the acquirers, %d "+
		"bookings at the banks; %d charges, refunds and payouts under way\n",
		r.Tenants, r.Transactions, r.Entries, r.Rows, r.Payouts, r.Movements, r.Bookings, r.Open)
	return table.Flush()
}
