// Package reconcile compares all records of money every night, and whenever an operator calls it:
//
//	aws lambda invoke --function-name reconcile --cli-read-timeout 900 report.json
//
// The answer is the report (reconcile.Report): the records read, the totals, and each break. The log has each break as
// an error, and a summary. Invoke writes only lines of statements, so it may run at any time and more than once.
//
// Invoke then makes the function "files" compare the stored objects with the records of files, since only that function
// reaches the objects. This comparison takes longer, and its result is only in the log.
package reconcile

import (
	"context"
	"encoding/json"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// Invoke reconciles. It ignores its request, which is the event of a schedule or the request of an operator.
func Invoke(a *app.App) func(context.Context, json.RawMessage) (any, error) {
	files := queue.OpenFiles(a)
	return func(ctx context.Context, _ json.RawMessage) (any, error) {
		report, err := reconcile.Run(ctx, reconcile.Config{Store: a.Store, Acquirers: a.Acquirers,
			Banks: banking.Banks(a)})
		if err != nil {
			return nil, err
		}
		for _, b := range report.Breaks {
			a.Log.ErrorContext(ctx, "reconciliation break", "tenant", b.Tenant, "kind", b.Kind, "id", b.ID, "what", b.Text)
		}
		a.Log.InfoContext(ctx, "reconciled", "breaks", report.Found, "tenants", report.Tenants,
			"transactions", report.Transactions, "entries", report.Entries, "payables", report.Payables, "payouts",
			report.Payouts, "files", report.Files, "movements", report.Movements, "bank_lines", report.BankLines, "read_again",
			report.Suspects, "open", report.Open)
		found := map[identity.Mode]int{identity.Live: report.Found - report.FoundInTest, identity.Test: report.FoundInTest}
		for _, mode := range identity.Modes {
			a.Metrics.Write(ctx, report.At, mode.Name(), metric.ReconciliationBreaks.Of(int64(found[mode])))
		}
		if err := files.Send(ctx, shardMessages()...); err != nil { // the report is complete without this comparison
			a.Log.ErrorContext(ctx, "objects not compared", "error", err)
		}
		return report, nil
	}
}

// shardMessages returns the messages that make files compare all objects.
func shardMessages() []app.FileMessage {
	all := make([]app.FileMessage, file.Shards)
	for shard := range all {
		all[shard].Shard = &shard
	}
	return all
}
