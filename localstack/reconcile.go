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

// runReconcile calls the function reconcile and prints its report. Errors: platform.ErrNotRunning, an error of the
// function, or an error if the report has a break.
func runReconcile(ctx context.Context, place platform.Folder, out io.Writer) error {
	// The function's log has the same content as its report.
	answer, err := place.Operator(slog.New(slog.DiscardHandler))(ctx, "reconcile", json.RawMessage(`{"whole":true}`))
	if err != nil {
		return err
	}
	var report reconcile.Report
	if err = json.Unmarshal(answer, &report); err != nil {
		return err
	}
	if err = printReport(out, report); err != nil {
		return err
	}
	if report.Found > 0 {
		return fmt.Errorf("reconciliation found %d breaks", report.Found)
	}
	_, err = fmt.Fprintln(out, "Everything matches. The content of files is being compared: breaks are in the log of the "+
		"platform.")
	return err
}

func printReport(out io.Writer, r reconcile.Report) error {
	for _, b := range r.Breaks {
		fmt.Fprintf(out, "BREAK %s %s %s: %s\n", b.Tenant, b.Kind, b.ID, b.Text)
	}
	if hidden := r.Found - len(r.Breaks); hidden > 0 {
		fmt.Fprintf(out, "… and %d more\n", hidden)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, t := range r.Totals {
		fmt.Fprintf(table, "%s\t%s\t%s\t\n", t.Account, t.Amount, t.Currency)
	}
	fmt.Fprintf(out, "%d tenants, %d transactions, %d entries, %d payables, %d payouts, %d movements at the acquirers, "+
		"%d lines of the banks' statements, %d files; %d charges, refunds and payouts pending\n",
		r.Tenants, r.Transactions, r.Entries, r.Payables, r.Payouts, r.Movements, r.BankLines, r.Files, r.Open)
	return table.Flush()
}
