package transactions

import (
	"context"
	"net/url"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// transaction is the detail of contract §6.1, as far as a payment online or at a
// reader has its fields, in the form of version 2.1.
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
	EntryMode          string                     `json:"entry_mode,omitempty"` // absent at a reader that read no card
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
	*place                                        // of the reader, where it is known
}

// place is where a reader was, in both forms of contract §6.1.
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

// link is a hyperlink to what can be done with the transaction. The amounts
// are in major units (contract §6.1).
type link struct {
	Rel  string       `json:"rel"`
	Href string       `json:"href"`
	Type string       `json:"type"`
	Min  money.Amount `json:"min_amount"`
	Max  money.Amount `json:"max_amount"`
}

const (
	enteredOnline = "CC_CUSTOMER_ENTERED" // a card whose number the payer typed
	signedFor     = "CC_SIGNATURE"        // a card that was swiped, not read by its chip
	readByReader  = "EMV"
	unverified    = "none" // neither signature nor PIN
)

// view shows a transaction to the caller, whose own it is.
func (f family) view(ctx context.Context, r store.Record) transaction {
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
		Links: f.links(ctx, t),
	}
	v.showCard(t)
	if l := t.Location; l != nil {
		at := coordinates{Lat: l.Lat, Lon: l.Lon, Accuracy: l.Accuracy}
		v.place = &place{at, at}
	}
	v.showProducts(t)
	v.PayoutType, v.PayoutDate = paysOut(t.Payouts, v.PayoutsTotal, calendar)
	v.TransactionEvents, v.Events = transactionEvents(r, calendar), events(r)
	return v
}

// showCard shows the card, and how it was used.
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

// links leads to createRefund while there is something to refund, if the caller may.
func (f family) links(ctx context.Context, t payments.Transaction) []link {
	terms := f.refunds.Terms(t, rest.Merchant(ctx).Country)
	if !rest.Caller(ctx).Has(identity.RefundTransactions) || !t.CanRefund() || terms.Expired(f.store.Now()) {
		return []link{}
	}
	href := f.baseURL + "/v1.0/merchants/" + url.PathEscape(t.MerchantCode) + "/payments/" +
		url.PathEscape(t.ID) + "/refunds"
	return []link{{Rel: "refund", Href: href, Type: "application/json", Min: terms.Minimum, Max: t.Refundable}}
}
