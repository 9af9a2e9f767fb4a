package transactions

import (
	"context"
)

// list handles listTransactions. It lists payments, refunds and chargebacks in pages.
func (f family) list(ctx context.Context, req currentHistoryRequest) (historyView, error) {
	p := req.plan()
	p.filter.Statuses = req.Statuses
	p.filter.PaymentTypes = req.PaymentTypes
	p.filter.EntryModes = convert[string](req.EntryModes)
	p.oldest.inclusive = true
	return f.listPage(ctx, p)
}

// listLegacy handles listMyTransactions. An item at exactly a given time is never included. An item named by a ref can
// be included (contract §6.3; §14, number 22).
func (f family) listLegacy(ctx context.Context, req legacyHistoryRequest) (historyView, error) {
	p := req.plan()
	p.filter.Statuses = req.Statuses
	p.filter.PaymentTypes = req.PaymentTypes
	p.filter.Readers, p.filter.Area = req.Readers, req.Area
	p.filter.ChangesAfter = true
	p.oldest.refIncluded, p.newest.refIncluded = req.OldestIncl, req.NewestIncl
	return f.listPage(ctx, p)
}
