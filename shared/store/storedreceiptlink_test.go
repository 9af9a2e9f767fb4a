package store_test

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedReceiptLinks = map[string]stored{
	"CreateReceiptLink": {
		sets: "ExpiresAt is to the second",
		write: func(w fixture) []storedtest.Read {
			l := w.receiptLink()
			got, err := w.CreateReceiptLink(w.Context(), w.tenant, l)
			wantAnswer(w, l, got, err)
			return []storedtest.Read{w.readReceiptLink(l), w.expiries(l.ExpiresAt)}
		},
	},
	"MailReceipt": {
		sets: "ExpiresAt is to the second, and the mail is due at once",
		write: func(w fixture) []storedtest.Read {
			l := w.receiptLink()
			m := mail.NewReceipt("operation", mail.Receipt, "ada@example.com", "10.10 EUR")
			w.must(w.MailReceipt(w.Context(), w.tenant, l, m))
			m.Entry, m.Version = outbox.New(m.ID, w.Now()), 1
			return []storedtest.Read{w.readReceiptLink(l), w.expiries(l.ExpiresAt), w.mail(m),
				w.dueItems(store.Due{MailID: m.ID}),
				w.fastPath(map[store.Due]time.Time{{MailID: m.ID, Tenant: w.tenant}: m.NextAt})}
		},
		unseen: storedtest.NotRead{"MAIL write_id": notRead, "MAIL tries": "nothing is read as 0"},
	},
}

// receiptLink returns a link with all its fields.
func (w fixture) receiptLink() payments.ReceiptLink {
	w.Helper()
	return storedtest.Fill(w, w.Filler, func(l *payments.ReceiptLink) {
		l.ExpiresAt = payments.ReceiptLinkEnd(w.Now())
	})
}

// readReceiptLink expects the link from ReceiptLink.
func (w fixture) readReceiptLink(l payments.ReceiptLink) storedtest.Read {
	type ofTenant struct {
		Tenant identity.Tenant
		Link   payments.ReceiptLink
	}
	return storedtest.Expect("ReceiptLink", ofTenant{w.tenant, l}, func(ctx context.Context) (ofTenant, error) {
		of, found, err := w.ReceiptLink(ctx, l.TokenHash)
		return ofTenant{of, found}, err
	})
}
