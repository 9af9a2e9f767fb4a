// Package receipts serves receipts as JSON, as a page and as PDF (contract §6.6). Routes returns its operations.
package receipts

import (
	"context"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// storage has the methods of the store that the family uses.
type storage interface {
	Account(ctx context.Context, code string) (account.Account, error)
	CreateReceiptLink(ctx context.Context, t identity.Tenant, l payments.ReceiptLink) (payments.ReceiptLink, error)
	FindTransaction(ctx context.Context, t identity.Tenant, idOrCode string) (store.Record, error)
	MailReceipt(ctx context.Context, t identity.Tenant, l payments.ReceiptLink, m mail.Mail) error
	Merchant(ctx context.Context, code string) (merchant.Merchant, error)
	Now() time.Time
	NumberReceipt(ctx context.Context, t identity.Tenant, code, id string) (int64, error)
	ReceiptLink(ctx context.Context, tokenHash string) (identity.Tenant, payments.ReceiptLink, error)
	TakeToken(ctx context.Context, subject string, b store.Bucket) error
	Transaction(ctx context.Context, t identity.Tenant, id string) (store.Record, error)
}

type family struct {
	store   storage
	token   func(mailID string) string // returns the token of the link in a mail
	baseURL string                     // base URL of the API, without a trailing slash
	pdfs    *pdfCache
	commit  string // commit of the code that draws PDFs
}

// Routes returns the family's routes.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, token: a.ReceiptToken, baseURL: strings.TrimRight(a.BaseURL, "/"),
		pdfs: newPDFCache(), commit: a.Commit}
	const one = "/v1.1/receipts/{id}"
	read := []string{"receipts.read", "transactions.read", "transactions.history", "payments"}
	write := []string{"payments", "checkouts.write"}
	partial := []identity.Permission{identity.FullTransactionHistoryView}
	return []rest.Route{
		{Method: "GET", Path: one, Scopes: read, Partial: partial, Handle: rest.JSON(200, f.retrieve)},
		{Method: "GET", Path: "/v1.0/receipts/{id}", Successor: one, Scopes: read, Partial: partial,
			Handle: rest.JSON(200, f.retrieve)},
		{Method: "POST", Path: one + "/links", Scopes: read, Partial: partial, Handle: rest.JSON(201, f.createLink)},
		{Method: "POST", Path: one + "/emails", Scopes: write, Partial: partial, Handle: rest.JSON(202, f.emailReceipt)},
		{Method: "GET", Path: "/receipts/{token}", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.show)},
	}
}
