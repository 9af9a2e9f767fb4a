package provision

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout/run"
)

// settlePayout reports how the operator's bank settled a live payout that it got
// in a file. The same outcome may be reported again; another one is a CONFLICT.
type settlePayout struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Payout       string `json:"payout" validate:"required"`
	Outcome      string `json:"outcome"` // paid or rejected
	Reason       string `json:"reason"`  // of a rejection: ISO 20022, e.g. AC04
}

func (o operator) settlePayout(ctx context.Context, c settlePayout) (payoutView, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, identity.Live.Name())
	if err != nil {
		return payoutView{}, err
	}
	if _, err = o.Store.Payout(ctx, t, c.Payout); err != nil {
		return payoutView{}, err
	}
	outcome := bank.Outcome{State: bank.State(c.Outcome), Reason: c.Reason}
	if err = banking.File(o.App).Settle(ctx, c.Payout, outcome); err != nil {
		return payoutView{}, noTransfer(err)
	}
	o.Log.InfoContext(ctx, "payout settled", "tenant", t.String(), "payout", c.Payout, "outcome",
		c.Outcome, "reason", c.Reason)
	return o.runPayout(ctx, run.Planned{Tenant: t, ID: c.Payout})
}

// exportPayouts writes the live payouts that wait for the bank into a file for
// it (ISO 20022 pain.001.001.09). A known id gives the same file again, byte by
// byte, whatever the other arguments say.
type exportPayouts struct {
	ID       string `json:"id" validate:"required"` // of the file: at most 28 letters, digits and hyphens
	Holder   string `json:"holder"`                 // of the account that pays
	IBAN     string `json:"iban"`                   // of that account
	BIC      string `json:"bic"`                    // of its bank
	Currency string `json:"currency"`               // of that account
	Day      string `json:"day"`                    // to be executed on, YYYY-MM-DD; today (UTC) unless given
	Limit    *int   `json:"limit"`                  // 1-1000 payouts, 1000 unless given
}

type payoutsExported struct {
	ID      string   `json:"id"`
	Payouts []string `json:"payouts"`
	Text    string   `json:"text"` // XML
}

// maxExported are the payouts of one file.
const maxExported = 1000

func (o operator) exportPayouts(ctx context.Context, c exportPayouts) (payoutsExported, error) {
	var text strings.Builder
	ids, err := banking.File(o.App).ExportAgain(ctx, &text, c.ID)
	if errors.Is(err, file.ErrUnknownExport) {
		var request file.Request
		if request, err = o.fileRequest(ctx, c); err != nil {
			return payoutsExported{}, err
		}
		ids, err = banking.File(o.App).Export(ctx, &text, request)
	}
	if err != nil {
		return payoutsExported{}, err
	}
	o.Log.InfoContext(ctx, "payouts exported", "file", c.ID, "payouts", len(ids))
	return payoutsExported{c.ID, ids, text.String()}, nil
}

// fileRequest asks for a file of the oldest payouts that wait.
func (o operator) fileRequest(ctx context.Context, c exportPayouts) (file.Request, error) {
	currency, err := money.ParseCurrency(c.Currency)
	if err != nil {
		return file.Request{}, failure.Invalid("currency", "must be a supported ISO 4217 code")
	}
	limit := maxExported
	if c.Limit != nil {
		limit = *c.Limit
	}
	waiting, err := banking.File(o.App).Waiting(ctx, currency, limit)
	if err != nil {
		return file.Request{}, err
	}
	if len(waiting) == 0 {
		return file.Request{}, file.ErrNothingToDo
	}
	if c.Day == "" {
		c.Day = o.Now().Format(time.DateOnly)
	}
	r := file.Request{ID: c.ID, Currency: currency, Day: c.Day, Transfers: make([]string, len(waiting)),
		Debtor: merchant.BankAccount{Holder: c.Holder, IBAN: c.IBAN, BIC: c.BIC}}
	for i, transfer := range waiting {
		r.Transfers[i] = transfer.ID
	}
	return r, nil
}

// noTransfer explains that the bank never got the payout's transfer.
func noTransfer(err error) error {
	if errors.Is(err, bank.ErrUnknownTransfer) {
		return failure.Conflict("The bank has no transfer for this payout yet.").WithCause(err)
	}
	return err
}
