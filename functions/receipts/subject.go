package receipts

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// subject is what one receipt is about: a payment or a refund of it.
type subject struct {
	record     store.Record // of the payment
	id         string       // of the transaction, or the refund's event
	refund     bool         // it is about a refund
	amount     money.Amount
	sale       money.Amount // the amount without the tip
	tip        money.Amount
	status     payments.TransactionStatus
	returnCode string
	at         time.Time
	moved      bool // the money moved
}

// payment is the receipt of the transaction itself.
func payment(r store.Record) subject {
	return subject{record: r, id: r.ID, amount: r.Amount, sale: r.Sale(), tip: r.Tip, status: r.Status,
		returnCode: r.ReturnCode, at: r.CreatedAt, moved: r.Status == payments.TransactionSuccessful && !r.OnlyChecked()}
}

// refund is the receipt of a refund: its lines and sums are those of the
// amount refunded, which may include some of a tip.
func refund(r store.Record, e payments.Event) subject {
	return subject{record: r, id: e.ID, refund: true, amount: e.Amount, sale: e.Amount,
		tip: money.Zero(e.Amount.Currency()), status: e.HistoryItem().Status(), returnCode: e.ReturnCode, at: e.CreatedAt,
		moved: e.Status == payments.EventRefunded}
}

// link is a link to the receipt.
func (p subject) link(token string, now time.Time) payments.ReceiptLink {
	l := payments.ReceiptLink{TokenHash: payments.ReceiptTokenHash(token), TransactionID: p.record.ID,
		ExpiresAt: payments.ReceiptLinkEnd(now)}
	if p.refund {
		l.EventID = p.id
	}
	return l
}

// behind is what a link leads to; false if it is no more.
func behind(l payments.ReceiptLink, r store.Record) (subject, bool) {
	if l.EventID == "" {
		return payment(r), true
	}
	at := slices.IndexFunc(r.Events, func(e payments.Event) bool { return e.ID == l.EventID })
	if at < 0 {
		return subject{}, false
	}
	return refund(r, r.Events[at]), true
}
