// Package reconcile proves every night that all books agree, and whenever an
// operator asks:
//
//	aws lambda invoke --function-name reconcile --cli-read-timeout 900 report.json
//
// Either way the answer is the report (reconcile.Report): what was read, the
// totals, and each difference. The log has each difference as an error, and
// one line that sums up. It changes nothing, so it may run at any time and
// more than once.
package reconcile

import (
	"context"
	"encoding/json"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// Invoke reconciles, whatever the request says: a schedule's event, or an
// operator's.
func Invoke(a *app.App) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, _ json.RawMessage) (any, error) {
		report, err := reconcile.Run(ctx, reconcile.Config{Store: a.Store.Reader, Acquirers: a.Acquirers,
			Banks: banking.Banks(a)})
		if err != nil {
			return nil, err
		}
		for _, d := range report.Differences {
			a.Log.ErrorContext(ctx, "the books differ", "tenant", d.Tenant, "kind", d.Kind, "id", d.ID, "what", d.Text)
		}
		a.Log.InfoContext(ctx, "reconciled", "differences", report.Found, "tenants", report.Tenants,
			"transactions", report.Transactions, "entries", report.Entries, "rows", report.Rows, "payouts", report.Payouts,
			"movements", report.Movements, "bookings", report.Bookings, "read_again", report.Suspects, "open", report.Open)
		return report, a.Metrics.Count(report.At, map[string]int{metric.ReconcileDifferences: report.Found})
	}
}
