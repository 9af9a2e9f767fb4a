package transactions

import (
	"context"
)

// history is listTransactions: payments, refunds and chargebacks, in pages.
func (f family) history(ctx context.Context, req currentHistoryRequest) (historyView, error) {
	p := req.plan()
	p.filter.Statuses = req.Statuses
	p.filter.PaymentTypes = req.PaymentTypes
	p.filter.EntryModes = texts[string](req.EntryModes)
	p.oldest.inclusive = true
	return f.page(ctx, p)
}

// legacyHistory is listMyTransactions: times are exclusive, refs inclusive on demand (contract §6.3; §14, number 22).
func (f family) legacyHistory(ctx context.Context, req legacyHistoryRequest) (historyView, error) {
	p := req.plan()
	p.filter.Statuses = req.Statuses
	p.filter.PaymentTypes = req.PaymentTypes
	p.filter.Readers, p.filter.Area = req.Readers, req.Area
	p.filter.ChangesAfter = true
	p.oldest.refIncluded, p.newest.refIncluded = req.OldestIncl, req.NewestIncl
	return f.page(ctx, p)
}
