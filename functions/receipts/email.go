package receipts

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type emailRequest struct {
	receiptRequest
	Email string `json:"email" validate:"required text=256 email"`
}

// mailsOfMerchant limits the receipts that a merchant can mail per day and mode. mailsOfReceipt limits the mails of one
// receipt per day (contract §2.9). The limits are needed because clients choose the addresses, and no recipient has
// confirmed an address.
var (
	mailsOfMerchant = store.Bucket{Every: 24 * time.Hour / mailsADay, Burst: mailsADay}
	mailsOfReceipt  = store.Bucket{Every: 24 * time.Hour / mailsOfOneADay, Burst: mailsOfOneADay}
)

const (
	mailsADay      = 500
	mailsOfOneADay = 5
)

// emailReceipt handles emailReceipt. The link's token is derived from the mail's id; only its hash is stored. Failure:
// TooMany.
func (f family) emailReceipt(ctx context.Context, req emailRequest) (struct{}, error) {
	var accepted struct{}
	if !mail.Plain(req.Email) { // for example, a quoted local part with blanks
		return accepted, failure.Invalid("email", "must be an email address")
	}
	about, err := f.findAndNumber(ctx, req.receiptRequest)
	if err != nil {
		return accepted, err
	}
	tenant, m := rest.Caller(ctx).Tenant, rest.Merchant(ctx)
	a, err := f.store.Account(ctx, tenant.Merchant)
	if err != nil {
		return accepted, err
	}
	amount := page.Money(about.amount, page.Preferred(a.Profile.LanguageIn(m.Country)))
	letter := mail.NewReceipt(rest.OperationID(ctx), about.mailKind(), req.Email, amount)
	link := about.newLink(f.token(letter.ID), f.store.Now())
	if _, _, err = f.store.ReceiptLink(ctx, link.TokenHash); !failure.Is(err, failure.KindNotFound) {
		return accepted, err // nil if an earlier try of this request has written the mail
	}
	if err = f.countMail(ctx, tenant, about); err != nil {
		return accepted, err
	}
	return accepted, f.store.MailReceipt(ctx, tenant, link, letter)
}

// mailKind returns the kind of mail for this receipt.
func (p subject) mailKind() mail.Kind {
	switch {
	case p.refund && p.moved:
		return mail.RefundReceipt
	case p.refund:
		return mail.RefundState
	case p.moved:
		return mail.Receipt
	default:
		return mail.PaymentState
	}
}

// countMail counts a mail against the limits. Failure: TooMany.
func (f family) countMail(ctx context.Context, t identity.Tenant, about subject) error {
	for _, limit := range []struct {
		subject string
		bucket  store.Bucket
	}{
		{"mails of receipt " + t.String() + " " + about.id, mailsOfReceipt},
		{"mails of receipts " + t.String(), mailsOfMerchant},
	} {
		if err := f.store.TakeToken(ctx, limit.subject, limit.bucket); err != nil {
			return err
		}
	}
	return nil
}
