package readers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/validate"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// reply is a response of contract §13.7. Its content is in the member data.
type reply[T any] struct {
	Data T `json:"data"`
}

// createdView is the content of createReaderCheckout's response.
type createdView struct {
	CheckoutID          string `json:"checkout_id"`
	ClientTransactionID string `json:"client_transaction_id"`
}

// createCheckout offers a checkout to the reader's terminal. The checkout has the operation's id, so a request that is
// repeated with its Idempotency-Key finds that checkout and offers it again.
func (f family) createCheckout(ctx context.Context, req checkoutRequest) (reply[createdView], error) {
	caller := rest.Caller(ctx)
	drafted, err := f.draft(rest.Merchant(ctx), caller, req)
	if err != nil {
		return reply[createdView]{}, err
	}
	drafted = drafted.MadeBy(caller, rest.Merchant(ctx), rest.OperationID(ctx))
	c, err := f.readers.Begin(ctx, caller.Tenant, req.ReaderID, drafted,
		func(r reader.Reader) error { return checkModel(drafted, r) })
	if err != nil {
		return reply[createdView]{}, err
	}
	return reply[createdView]{createdView{c.ID, c.ClientTransactionID()}}, nil
}

type checkoutPath struct {
	ReaderID string  `path:"reader_id"`
	ID       rest.ID `path:"checkout_id"`
}

// retrieveCheckout asks for the outcome of a checkout at the reader and records the outcome. It returns the checkout.
func (f family) retrieveCheckout(ctx context.Context, req checkoutPath) (reply[checkoutView], error) {
	c, err := f.readers.ResolveCheckout(ctx, rest.Caller(ctx), req.ReaderID, string(req.ID))
	if err != nil {
		return reply[checkoutView]{}, err
	}
	return reply[checkoutView]{viewCheckout(c)}, nil
}

// terminate stops the reader's checkout while the terminal waits for the cardholder.
func (f family) terminate(ctx context.Context, req readerPath) (rest.Empty, error) {
	return rest.Empty{}, f.readers.Terminate(ctx, rest.Caller(ctx), req.ID)
}

// checkoutRequest is the body of createReaderCheckout (contract §13.7).
type checkoutRequest struct {
	ReaderID     string            `path:"reader_id"`
	Total        *totalRequest     `json:"total_amount" validate:"required"`
	Affiliate    *affiliateRequest `json:"affiliate"`
	PaymentType  string            `json:"payment_type" empty:"refused" validate:"one-of=card|pix"`
	CardType     string            `json:"card_type" empty:"refused" validate:"one-of=credit|debit"`
	Installments *int              `json:"installments" validate:"min=1 max=12"`
	Description  string            `json:"description" validate:"lines=1000"`
	ReturnURL    string            `json:"return_url" empty:"refused" validate:"http-url"`
	TipRates     []money.Decimal   `json:"tip_rates" validate:"items=10 own"`
	TipTimeout   *int              `json:"tip_timeout" validate:"min=30 max=120 own"`
	AADE         *aadeRequest      `json:"aade"`
}

type totalRequest struct {
	Currency  string `json:"currency" validate:"required currency"`
	MinorUnit *int   `json:"minor_unit" validate:"required min=0 own"`
	Value     *int64 `json:"value" validate:"required min=0 max=99999999999"`
}

type affiliateRequest struct {
	AppID     string           `json:"app_id" validate:"required text=255"`
	Key       string           `json:"key" validate:"required text=255"` // not stored
	ForeignID string           `json:"foreign_transaction_id" validate:"text=255"`
	Tags      *member.Metadata `json:"tags"`
}

type aadeRequest struct {
	ProviderID string `json:"provider_id" validate:"required text=255"`
	Signature  string `json:"signature" validate:"required text=1000"`
	Data       string `json:"signature_data" validate:"required text=1000"`
}

// Rule checks that minor_unit is the number of the currency's decimals. For example, 1.00 EUR has the value 100 and the
// minor_unit 2.
func (r totalRequest) Rule(string, time.Time) string {
	currency, err := money.ParseCurrency(r.Currency)
	if err == nil && *r.MinorUnit != currency.Scale() {
		return fmt.Sprintf("must be %d, the decimals of %s", currency.Scale(), currency)
	}
	return ""
}

// Rule checks tip_rates, and that tip_timeout comes only with tip_rates.
func (r checkoutRequest) Rule(field string, _ time.Time) string {
	if field == "tip_timeout" {
		if len(r.TipRates) == 0 {
			return "is only allowed with tip_rates"
		}
		return ""
	}
	if _, ok := r.tipPercents(); !ok {
		return "must be different from each other, from 0.01 to 1.00 in steps of 0.01"
	}
	return ""
}

// tipPercents returns the tip rates in hundredths, in ascending order. It returns false if the rates break the
// contract.
func (r checkoutRequest) tipPercents() ([]int64, bool) {
	percents := make([]int64, len(r.TipRates))
	for i, rate := range r.TipRates {
		parsed, err := money.Parse(string(rate), "EUR") // stands for any currency with two decimals
		if err != nil || parsed.Minor() < 1 || parsed.Minor() > 100 {
			return nil, false
		}
		percents[i] = parsed.Minor()
	}
	slices.Sort(percents)
	return percents, len(slices.Compact(slices.Clone(percents))) == len(percents)
}

// defaultTipTimeout is the default of tip_timeout (contract §13.7).
const defaultTipTimeout = 30 * time.Second

// draft returns the request's checkout, or a fault. The status is 422 if the country or Pix forbids a field, else 400
// (contract §13.9).
func (f family) draft(m merchant.Merchant, by identity.Principal, req checkoutRequest) (payments.Checkout, error) {
	sale := payments.ReaderSale{CardType: req.CardType}
	c := payments.Checkout{Reader: &sale, Description: req.Description, ReturnURL: req.ReturnURL,
		Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout, CreatedAt: f.store.Now(),
		PaymentType: payments.Method(req.PaymentType), Payee: payments.NewPayee(m, by)}
	faults := slices.Concat(setTotal(&c, *req.Total, m), f.checkReturnURL(req.ReturnURL))
	if err := validate.Order(req, faults).First(); err != nil {
		return c, err
	}
	if req.Installments != nil {
		sale.Installments = *req.Installments
	}
	if a := req.Affiliate; a != nil {
		sale.Affiliate = &payments.Affiliate{AppID: a.AppID, ForeignID: a.ForeignID}
		if a.Tags != nil {
			sale.Affiliate.Tags = *a.Tags
		}
	}
	if a := req.AADE; a != nil {
		sale.AADE = &payments.AADE{ProviderID: a.ProviderID, Signature: a.Signature, Data: a.Data}
	}
	req.setTips(&sale)
	return c, checkRestrictions(c)
}

// setTips copies the tip rates, which have been checked.
func (r checkoutRequest) setTips(sale *payments.ReaderSale) {
	percents, _ := r.tipPercents()
	for _, percent := range percents {
		sale.TipRates = append(sale.TipRates, money.NewDecimal(percent, 2))
	}
	switch {
	case r.TipTimeout != nil:
		sale.TipTimeout = time.Duration(*r.TipTimeout) * time.Second
	case len(percents) > 0:
		sale.TipTimeout = defaultTipTimeout
	}
}

// setTotal sets the amount, which must be in the merchant's currency.
func setTotal(c *payments.Checkout, r totalRequest, m merchant.Merchant) failure.List {
	currency, err := money.ParseCurrency(r.Currency)
	if err != nil || currency != m.Currency {
		return failure.List{failure.Invalid("total_amount.currency",
			"must be "+string(m.Currency)+", the merchant's currency")}
	}
	if c.Amount = money.FromMinor(*r.Value, currency); c.Amount.TooLarge() {
		return failure.List{failure.Invalid("total_amount.value", "must be at most 999999999.99 in major units")}
	}
	return nil
}

// checkReturnURL refuses addresses that callbacks must not reach (contract §11.3). It also refuses plain HTTP (§11.4),
// except to the machine itself.
func (f family) checkReturnURL(text string) failure.List {
	if text == "" {
		return nil
	}
	u, err := webhook.CheckURL(text, f.callbacks)
	switch {
	case err != nil:
		return failure.List{failure.Invalid("return_url", err.Error())}
	case u.Scheme != "https" && !f.callbacks.IsLoopback(u):
		return failure.List{failure.Invalid("return_url", "must be an https URL")}
	default:
		return nil
	}
}

// checkRestrictions refuses fields that do not fit country, currency or Pix (contract §13.9). One instalment always
// fits.
func checkRestrictions(c payments.Checkout) error {
	const inBrazil, byCard = "is only for merchants in Brazil", "is only for cards"
	sale, wrong := c.Reader, map[string][]string{}
	brazil, pix := c.Payee.Country == "BR", c.PaymentType == payments.Pix
	for _, rule := range []struct {
		field  string
		broken bool
		why    string
	}{
		{"payment_type", pix && (!brazil || c.Amount.Currency() != "BRL"), "pix " + inBrazil + ", in BRL"},
		{"total_amount", pix && c.Amount.IsZero(), "must be above 0 with pix"},
		{"card_type", sale.CardType != "" && !brazil, inBrazil},
		{"card_type", sale.CardType != "" && pix, byCard},
		{"installments", sale.Installments > 1 && !brazil, inBrazil},
		{"installments", sale.Installments > 1 && pix, byCard},
		{"aade", sale.AADE != nil && c.Payee.Country != "GR", "is only for merchants in Greece"},
	} {
		if rule.broken {
			wrong[rule.field] = append(wrong[rule.field], rule.why)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return newRestrictionError(wrong)
}

// checkModel refuses Pix at a reader that cannot show codes (contract §13.9).
func checkModel(c payments.Checkout, r reader.Reader) error {
	if c.PaymentType != payments.Pix || r.ShowsCodes() {
		return nil
	}
	return newRestrictionError(map[string][]string{"payment_type": {"pix is only for readers that show codes"}})
}

// newRestrictionError returns the failure for fields that do not fit the merchant, the reader or each other.
func newRestrictionError(wrong map[string][]string) error {
	e := failure.Unprocessable("Some fields are not for this merchant, reader or payment type.").
		WithSlug("validation-error")
	e.Errors = wrong
	return e
}

// checkoutView is the content of the response with a checkout (contract §13.7). Every key is always present.
type checkoutView struct {
	CheckoutID          string                      `json:"checkout_id"`
	ClientTransactionID string                      `json:"client_transaction_id"`
	CreatedAt           rest.Timestamp              `json:"created_at"`
	UpdatedAt           rest.Timestamp              `json:"updated_at"`
	ValidUntil          *rest.Timestamp             `json:"valid_until"`
	Status              string                      `json:"status"`
	PaymentStatus       *payments.TransactionStatus `json:"payment_status"` // null without a transaction
	PaymentType         payments.Method             `json:"payment_type"`
	CardType            *string                     `json:"card_type"`
	Installments        *int                        `json:"installments"`
	Firmware            string                      `json:"reader_firmware_version"`
	Serial              string                      `json:"reader_serial_number"`
	Total               totalView                   `json:"total_amount"`
	Reason              *string                     `json:"payment_failure_reason"` // null if the checkout is open or paid
}

// totalView is the requested amount, without a tip.
type totalView struct {
	Currency  money.Currency `json:"currency"`
	MinorUnit int            `json:"minor_unit"` // number of the currency's decimals
	Value     int64          `json:"value"`
}

// statusOf maps the status of the last transaction to the checkout's status. It applies while no attempt is open.
var statusOf = map[payments.TransactionStatus]string{
	payments.TransactionSuccessful: "successful",
	payments.TransactionFailed:     "failed",
	payments.TransactionCancelled:  "cancelled",
}

func viewCheckout(c payments.Checkout) checkoutView {
	sale, until, currency := c.Reader, rest.Timestamp(c.ReaderDeadline()), c.Amount.Currency()
	v := checkoutView{
		CheckoutID: c.ID, ClientTransactionID: c.ClientTransactionID(), CreatedAt: rest.Timestamp(c.CreatedAt),
		UpdatedAt: rest.Timestamp(c.CreatedAt), ValidUntil: &until, Status: "pending",
		PaymentType: cmp.Or(c.PaymentType, payments.CardMethod), Firmware: sale.Firmware, Serial: sale.Serial,
		Total: totalView{Currency: currency, MinorUnit: currency.Scale(), Value: c.Amount.Minor()},
	}
	if !sale.UpdatedAt.IsZero() {
		v.UpdatedAt = rest.Timestamp(sale.UpdatedAt)
	}
	if n := len(c.Transactions); n > 0 {
		v.PaymentStatus = &c.Transactions[n-1].Status
	}
	if !c.AttemptOpen() && v.PaymentStatus != nil {
		v.Status = statusOf[*v.PaymentStatus]
	}
	if sale.CardType != "" {
		v.CardType = &sale.CardType
	}
	if sale.Reason != "" {
		v.Reason = &sale.Reason
	}
	if sale.Installments > 0 {
		v.Installments = &sale.Installments
	}
	return v
}
