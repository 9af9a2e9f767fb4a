package sandbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// How long a payment code can be paid (contract §4.5).
const (
	boletoTime = 3 * 24 * time.Hour
	pixTime    = 24 * time.Hour
)

// saoPaulo is the time zone of due dates; Brazil has had no summer time since
// 2019 (Decreto 9.772).
var saoPaulo = time.FixedZone("BRT", -3*60*60)

// voucher gives the payer a code to pay by.
func (a *Acquirer) voucher(c charge) charge {
	c.Decision = payments.Voucher
	digest := sha256.Sum256([]byte(c.ID))
	if c.Method == payments.Boleto {
		until := c.CreatedAt.Add(boletoTime)
		c.Code = &payments.PaymentCode{Until: until, Text: boleto{
			bank: sandboxBank, due: until.In(saoPaulo), minor: c.Amount.Minor(), free: decimals(digest[:], freeField),
		}.line()}
		return c
	}
	receiver := sha256.Sum256([]byte("pix receiver " + c.Tenant))
	c.Code = &payments.PaymentCode{Until: c.CreatedAt.Add(pixTime), Text: brCode{
		key: payments.FormatUUIDv4(receiver[:]), amount: c.Amount.String(), name: c.Payee, city: "SAO PAULO",
		txID: txID(digest[:]),
	}.String()}
	return c
}

// ErrNotPayable reports a charge that is no voucher, or one that was cancelled or
// has expired.
var ErrNotPayable = errors.New("sandbox: no payable voucher")

// PayVoucher lets an operator act as the payer, who pays the boleto or Pix code of
// the charge. It may be repeated. The caller has to have the checkout of the
// reference resolved. Errors: ErrUnknownCharge, ErrNotPayable.
func (a *Acquirer) PayVoucher(ctx context.Context, chargeID string) (acquirer.Reference, error) {
	c, err := a.records.move(ctx, chargeID, func(c charge) charge {
		if c.Decision == payments.Voucher && a.records.Time().Before(c.Code.Until) {
			return c.approve()
		}
		return c
	})
	switch {
	case err != nil:
		return acquirer.Reference{}, err
	case c.Code == nil || c.Decision != payments.Approved:
		return acquirer.Reference{}, ErrNotPayable
	default:
		return c.reference(), nil
	}
}
