package provision

import (
	"context"
	"slices"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/settlement"
	"github.com/cashwrap/cashwrap/shared/store"
)

// correctSettlement writes off a difference between a settlement and the movements that it settles. Use it only if the
// acquirer does not settle the difference later. Each id of a merchant and mode is recorded once, so the command may be
// repeated. Neither amount may exceed what a break leaves open.
type correctSettlement struct {
	MerchantCode string        `json:"merchant_code"` // default: the settlement belongs to the platform
	Mode         string        `json:"mode" validate:"required"`
	Settlement   string        `json:"settlement" validate:"required text=255"` // the id in the break
	Currency     string        `json:"currency" validate:"required currency"`
	ID           string        `json:"id" validate:"required text=255"` // names the correction
	Amount       money.Literal `json:"amount"`                          // not settled; negative if settled too much
	Fee          money.Literal `json:"fee"`                             // withheld too much; negative if too little
}

type settlementCorrected struct {
	ID         string         `json:"id"`
	Settlement string         `json:"settlement"`
	Currency   money.Currency `json:"currency"`
	Amount     money.Amount   `json:"amount"`
	Fee        money.Amount   `json:"fee"`
}

func (o operator) correctSettlement(ctx context.Context, c correctSettlement) (settlementCorrected, error) {
	currency := money.Currency(c.Currency)
	corrected := settlementCorrected{ID: c.ID, Settlement: c.Settlement, Currency: currency}
	var err error
	if corrected.Amount, err = optionalAmount("amount", c.Amount, currency); err != nil {
		return corrected, err
	}
	if corrected.Fee, err = optionalAmount("fee", c.Fee, currency); err != nil {
		return corrected, err
	}
	if corrected.Amount.IsZero() && corrected.Fee.IsZero() {
		return corrected, failure.Missing("amount")
	}
	about := ledger.OfSettlement(c.Settlement, currency)
	t, err := o.findSettledTenant(ctx, c)
	if err != nil {
		return corrected, err
	}
	if err = o.checkOpen(ctx, t, about, corrected); err != nil {
		return corrected, err
	}
	difference, err := corrected.Amount.Add(corrected.Fee)
	if err != nil {
		return corrected, failure.Invalid("amount", money.Expected(err)).WithCause(err)
	}
	e := ledger.MustEntry(c.ID, ledger.SettlementCorrected, about, o.Now(),
		ledger.Posting{Account: ledger.AcquirerDifferences, Amount: difference},
		ledger.Posting{Account: ledger.AcquirerReceivable, Amount: corrected.Amount.Neg()},
		ledger.Posting{Account: ledger.AcquirerFees, Amount: corrected.Fee.Neg()})
	if err = o.Store.CorrectSettlement(ctx, o.by, t, *e, corrected); err != nil {
		return corrected, err
	}
	o.Log.InfoContext(ctx, "settlement corrected", "tenant", t.String(), "settlement", c.Settlement, "correction", c.ID)
	return corrected, nil
}

// checkOpen refuses a new correction that no break asks for: of another settlement, or of more than the break leaves
// open. Such a correction would make a break, or has a wrong number of digits.
func (o operator) checkOpen(ctx context.Context, t identity.Tenant, about ledger.Reference,
	c settlementCorrected) error {
	entries, err := o.Store.Entries(ctx, t, about)
	if err != nil || slices.ContainsFunc(entries, func(e ledger.Entry) bool {
		return e.Kind == ledger.SettlementCorrected && e.ID == c.ID
	}) {
		return err
	}
	rest, found, err := settlement.FindRest(ctx, o.Store.View, store.AcquirerSeries(t, c.Currency), c.Settlement, o.Now())
	const tooMuch = "must be at most what the break leaves open, and have its sign"
	switch {
	case err != nil:
		return err
	case !found:
		return failure.Invalid("settlement", "must have a gross amount or fee left open with this merchant and currency")
	case !isPart(c.Amount.Minor(), rest.Gross):
		return failure.Invalid("amount", tooMuch)
	case !isPart(-c.Fee.Minor(), rest.Fee):
		return failure.Invalid("fee", tooMuch)
	default:
		return nil
	}
}

// isPart returns true if an amount lies between zero and the whole, which may be negative.
func isPart(minor, whole int64) bool { return min(0, whole) <= minor && minor <= max(0, whole) }

// optionalAmount reads an amount, which is zero by default.
func optionalAmount(name string, l money.Literal, c money.Currency) (money.Amount, error) {
	if l == "" {
		return money.Zero(c), nil
	}
	amount, err := l.In(c)
	if err != nil {
		return amount, failure.Invalid(name, money.Expected(err)).WithCause(err)
	}
	return amount, nil
}

// findSettledTenant returns the tenant of a settlement. The acquirer may have named a merchant that we do not know. The
// directory has the tenants of all lines.
func (o operator) findSettledTenant(ctx context.Context, c correctSettlement) (identity.Tenant, error) {
	mode, ok := identity.ParseMode(c.Mode)
	if !ok {
		return identity.Tenant{}, failure.Invalid("mode", "must be live or test")
	}
	if c.MerchantCode == "" {
		return identity.PlatformTenant(mode), nil
	}
	t := identity.Tenant{Mode: mode, Merchant: c.MerchantCode}
	_, err := o.Store.Merchant(ctx, t.Merchant)
	if failure.Is(err, failure.KindNotFound) {
		if listed, readErr := o.Store.IsListed(ctx, t); readErr != nil || listed {
			return t, readErr
		}
	}
	return t, err
}
