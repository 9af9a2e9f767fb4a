package transactions

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// transaction is the detail of contract §6.1 in version 2.1, with the fields of payments online or at a reader.
type transaction struct {
	ID                 string                     `json:"id"`
	Code               string                     `json:"transaction_code"`
	ForeignID          string                     `json:"foreign_transaction_id,omitempty"`
	ClientID           string                     `json:"client_transaction_id"`
	InternalID         int64                      `json:"internal_id"`
	MerchantCode       string                     `json:"merchant_code"`
	MerchantID         int64                      `json:"merchant_id"`
	Username           string                     `json:"username"`
	Amount             money.Amount               `json:"amount"`
	Currency           money.Currency             `json:"currency"`
	VATAmount          money.Amount               `json:"vat_amount"`
	TipAmount          money.Amount               `json:"tip_amount"`
	FeeAmount          money.Amount               `json:"fee_amount"`
	TaxEnabled         bool                       `json:"tax_enabled"`
	Timestamp          rest.Timestamp             `json:"timestamp"`
	LocalTime          rest.LocalTime             `json:"local_time"`
	Status             payments.TransactionStatus `json:"status"`
	SimpleStatus       payments.SimpleStatus      `json:"simple_status,omitempty"` // absent while PENDING (contract §2.7)
	PaymentType        string                     `json:"payment_type"`
	SimplePaymentType  string                     `json:"simple_payment_type,omitempty"`
	EntryMode          string                     `json:"entry_mode,omitempty"` // absent if the reader read no card
	VerificationMethod string                     `json:"verification_method,omitempty"`
	Card               *card                      `json:"card,omitempty"`
	AuthCode           string                     `json:"auth_code,omitempty"`
	ProcessAs          string                     `json:"process_as,omitempty"`
	Installments       int                        `json:"installments_count"`
	ProductSummary     string                     `json:"product_summary,omitempty"`
	Products           []product                  `json:"products"`
	VATRates           []vatRate                  `json:"vat_rates"`
	PayoutPlan         merchant.PayoutPlan        `json:"payout_plan"`
	PayoutType         string                     `json:"payout_type,omitempty"`
	PayoutDate         rest.Date                  `json:"payout_date,omitzero"`
	PayoutsTotal       int                        `json:"payouts_total"`
	PayoutsReceived    int                        `json:"payouts_received"`
	TransactionEvents  []transactionEvent         `json:"transaction_events"`
	Events             []event                    `json:"events"`
	Links              []link                     `json:"links"`
	*place                                        // location of the reader, if known
}

// place is the location of a reader, in the two forms of contract §6.1.
type place struct {
	coordinates
	Location coordinates `json:"location"`
}

type coordinates struct {
	Lat      float64 `json:"lat"`
	Lon      float64 `json:"lon"`
	Accuracy float64 `json:"horizontal_accuracy,omitempty"`
}

type card struct {
	LastFour string `json:"last_4_digits"`
	Type     string `json:"type"`
}

// link is a hyperlink to an operation that the transaction allows. The amounts are in major units (contract §6.1).
type link struct {
	Rel  string       `json:"rel"`
	Href string       `json:"href"`
	Type string       `json:"type"`
	Min  money.Amount `json:"min_amount"`
	Max  money.Amount `json:"max_amount"`
}

const (
	enteredOnline = "CC_CUSTOMER_ENTERED" // the payer typed the card number
	signedFor     = "CC_SIGNATURE"        // the card was swiped, and its chip was not read
	readByReader  = "EMV"
	unverified    = "none" // neither signature nor PIN
)

// newTransaction returns the detail of a transaction. The caller must be allowed to see the transaction.
func (f family) newTransaction(ctx context.Context, r store.Record) transaction {
	t, calendar := r.Transaction, rest.Merchant(ctx).Calendar(rest.Caller(ctx).Tenant.Mode)
	currency := t.Amount.Currency()
	v := transaction{
		ID: t.ID, Code: t.Code, ForeignID: t.ForeignID, ClientID: t.ClientTransactionID, InternalID: t.InternalID(),
		MerchantCode: t.MerchantCode, MerchantID: payments.MerchantNumericID(t.MerchantCode), Username: t.Username,
		Amount: t.Amount, Currency: currency, VATAmount: money.Zero(currency), TipAmount: t.Tip,
		FeeAmount: t.Fee, TaxEnabled: t.TaxEnabled,
		Timestamp: rest.Timestamp(t.CreatedAt), LocalTime: rest.Local(t.CreatedAt, calendar.Where),
		Status: t.Status, SimpleStatus: t.SimpleStatus(), PaymentType: t.PaymentType, EntryMode: t.EntryMode,
		AuthCode: t.AuthCode, Installments: t.Installments, ProductSummary: t.ProductSummary,
		PayoutPlan: t.PayoutPlan, PayoutsTotal: t.PayoutsTotal(), PayoutsReceived: t.PayoutsReceived(),
		Links: f.refundLinks(ctx, t),
	}
	v.showCard(t)
	if l := t.Location; l != nil {
		at := coordinates{Lat: l.Lat, Lon: l.Lon, Accuracy: l.Accuracy}
		v.place = &place{at, at}
	}
	v.showProducts(t)
	v.PayoutType, v.PayoutDate = payoutTypeAndDate(t.Payouts, v.PayoutsTotal, calendar)
	v.TransactionEvents, v.Events = transactionEvents(r, calendar), events(r)
	return v
}

func (v *transaction) showCard(t payments.Transaction) {
	if t.Card == nil {
		return
	}
	v.Card, v.ProcessAs = &card{LastFour: t.Card.LastFour, Type: t.Card.Brand}, t.ProcessAs()
	v.SimplePaymentType, v.VerificationMethod = enteredOnline, unverified
	if t.Reader == "" {
		return
	}
	v.SimplePaymentType, v.VerificationMethod = readByReader, string(t.Verification)
	if t.EntryMode == payments.MagstripeMode && t.Verification == payments.BySignature {
		v.SimplePaymentType = signedFor
	}
}

// refundLinks returns the link to createRefund. It returns none if the caller may not refund, or if nothing is left to
// refund.
func (f family) refundLinks(ctx context.Context, t payments.Transaction) []link {
	terms := f.refunds.Terms(t, rest.Merchant(ctx).Country)
	if !rest.Caller(ctx).Has(identity.RefundTransactions) || !t.CanRefund() || terms.Expired(f.store.Now()) {
		return []link{}
	}
	href := f.baseURL + "/v1.0/merchants/" + url.PathEscape(t.MerchantCode) + "/payments/" +
		url.PathEscape(t.ID) + "/refunds"
	return []link{{Rel: "refund", Href: href, Type: "application/json", Min: terms.Minimum, Max: t.Refundable}}
}

// transactionEvent is an entry of transaction_events (contract §6.1).
type transactionEvent struct {
	ID          int64                `json:"id"`
	Type        payments.EventType   `json:"event_type"`
	Status      payments.EventStatus `json:"status"`
	Amount      money.Amount         `json:"amount"`
	DueDate     rest.Date            `json:"due_date,omitzero"` // payouts only
	Date        rest.Date            `json:"date,omitzero"`     // payouts only; the same as DueDate
	Installment int                  `json:"installment_number,omitempty"`
	Timestamp   rest.Timestamp       `json:"timestamp"`
}

type event struct {
	ID                int64                `json:"id"`
	TransactionID     string               `json:"transaction_id"`
	Type              payments.EventType   `json:"type"`
	Status            payments.EventStatus `json:"status"`
	Amount            money.Amount         `json:"amount"`
	Timestamp         rest.Timestamp       `json:"timestamp"`
	FeeAmount         *money.Amount        `json:"fee_amount,omitempty"` // only for payouts, like the next three fields
	Installment       int                  `json:"installment_number,omitempty"`
	DeductedAmount    *money.Amount        `json:"deducted_amount,omitempty"`
	DeductedFeeAmount *money.Amount        `json:"deducted_fee_amount,omitempty"`
	ReceiptNo         string               `json:"receipt_no,omitempty"` // legacy only
}

// transactionEvents returns the payouts, and then all other events with the oldest first. Dates are in the merchant's
// time zone.
func transactionEvents(r store.Record, calendar merchant.Calendar) []transactionEvent {
	shown := make([]transactionEvent, 0, len(r.Payouts)+len(r.Events))
	for i, p := range r.Payouts {
		due := dueDate(p, calendar)
		shown = append(shown, transactionEvent{ID: r.PayoutNumericID(p), Type: payments.PayoutEvent, Status: p.Status,
			Amount: p.Net(), DueDate: due, Date: due, Installment: p.Number, Timestamp: rest.Timestamp(r.PlannedAt(i))})
	}
	for _, e := range r.Events {
		shown = append(shown, transactionEvent{ID: e.NumericID(), Type: e.Type, Status: e.Status, Amount: e.Amount,
			Date: rest.DateOf(e.CreatedAt.In(calendar.Where)), Timestamp: rest.Timestamp(e.CreatedAt)})
	}
	return shown
}

// events returns the entries of transactionEvents in the form of the field events. A refund does not return our fee
// (contract §6.7), so a payout's deducted_fee_amount is always zero.
func events(r store.Record) []event {
	shown := make([]event, 0, len(r.Payouts)+len(r.Events))
	for i, p := range r.Payouts {
		none := money.Zero(p.Amount.Currency())
		shown = append(shown,
			event{ID: r.PayoutNumericID(p), TransactionID: r.ID, Type: payments.PayoutEvent, Status: p.Status,
				Amount: p.Net(), Timestamp: rest.Timestamp(r.PlannedAt(i)), FeeAmount: &p.Fee, Installment: p.Number,
				DeductedAmount: &p.Deducted, DeductedFeeAmount: &none})
	}
	for _, e := range r.Events {
		shown = append(shown, event{ID: e.NumericID(), TransactionID: r.ID, Type: e.Type, Status: e.Status,
			Amount: e.Amount, Timestamp: rest.Timestamp(e.CreatedAt)})
	}
	return shown
}

// product is an entry of the field products (contract §6.1).
type product struct {
	Name            string       `json:"name"`
	Price           money.Amount `json:"price"`
	VATRate         json.Number  `json:"vat_rate"`
	SingleVATAmount money.Amount `json:"single_vat_amount"`
	PriceWithVAT    money.Amount `json:"price_with_vat"`
	VATAmount       money.Amount `json:"vat_amount"`
	Quantity        int          `json:"quantity"`
	TotalPrice      money.Amount `json:"total_price"`
	TotalWithVAT    money.Amount `json:"total_with_vat"`
}

// vatRate is the total sold at one VAT rate (contract §6.1).
type vatRate struct {
	Rate  json.Number  `json:"rate"`
	Net   money.Amount `json:"net"`
	VAT   money.Amount `json:"vat"`
	Gross money.Amount `json:"gross"`
}

// showProducts sets the products and VAT rates. A tip belongs to neither of them.
func (v *transaction) showProducts(t payments.Transaction) {
	lines := t.Products(t.Sale())
	for _, p := range lines {
		v.Products = append(v.Products, product{Name: p.Name, Price: p.Price, VATRate: json.Number(p.VATRate),
			SingleVATAmount: p.VAT, PriceWithVAT: p.PriceWithVAT, VATAmount: p.TotalVAT, Quantity: p.Quantity,
			TotalPrice: p.Total, TotalWithVAT: p.TotalWithVAT})
	}
	for _, r := range payments.VATTotals(lines) {
		v.VATRates = append(v.VATRates, vatRate{Rate: json.Number(r.Rate), Net: r.Net, VAT: r.VAT, Gross: r.Gross})
	}
}

// toBank is the payout_type of every payout (contract §2.7).
const toBank = "BANK_ACCOUNT"

// payoutTypeAndDate returns the destination of a payment's payouts. If the payment has only one payout, it also returns
// the day of the payout. parts includes failed payouts, and total does not count them. Another payout replaces a failed
// payout, so a single payout is the last of the parts.
func payoutTypeAndDate(parts []payments.PayoutPart, total int, calendar merchant.Calendar) (to string, on rest.Date) {
	if len(parts) == 0 {
		return "", rest.Date{}
	}
	if total == 1 {
		on = dueDate(parts[len(parts)-1], calendar)
	}
	return toBank, on
}

// dueDate returns the day of the part's payout or, without a payout, the first possible day. A merchant with payouts on
// demand has no such day until a payout is requested.
func dueDate(p payments.PayoutPart, calendar merchant.Calendar) rest.Date {
	day := p.Day
	if day == "" {
		day = calendar.PayoutDay(p.EligibleAt)
	}
	var due rest.Date
	if due.UnmarshalText([]byte(day)) != nil {
		return rest.Date{}
	}
	return due
}
