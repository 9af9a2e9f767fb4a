package receipts

import (
	"encoding/json"
	"strconv"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// receipt is the response object of contract §6.6. Amounts are strings with exactly the currency's decimals (§2.4),
// except in vat_rates.
type receipt struct {
	Transaction transactionData `json:"transaction_data"`
	Merchant    merchantData    `json:"merchant_data"`
	EMV         emvData         `json:"emv_data"`
	Acquirer    acquirerData    `json:"acquirer_data"`
}

type transactionData struct {
	Code               string                     `json:"transaction_code"`
	ID                 string                     `json:"transaction_id"`
	MerchantCode       string                     `json:"merchant_code"`
	Amount             string                     `json:"amount"`
	VATAmount          string                     `json:"vat_amount"`
	TipAmount          string                     `json:"tip_amount"`
	Currency           money.Currency             `json:"currency"`
	Timestamp          rest.Timestamp             `json:"timestamp"`
	Status             payments.TransactionStatus `json:"status"`
	PaymentType        string                     `json:"payment_type"`
	EntryMode          string                     `json:"entry_mode,omitempty"` // absent if the reader read no card
	VerificationMethod string                     `json:"verification_method,omitempty"`
	Reader             *cardReader                `json:"card_reader,omitempty"` // absent for an online payment
	Card               *card                      `json:"card,omitempty"`
	Installments       int                        `json:"installments_count"`
	ProcessAs          string                     `json:"process_as,omitempty"`
	Products           []product                  `json:"products"`
	VATRates           []vatRate                  `json:"vat_rates"`
	Events             []event                    `json:"events"`
	ReceiptNo          string                     `json:"receipt_no,omitempty"`
}

type cardReader struct {
	Code string `json:"code"` // serial number
	Type string `json:"type,omitempty"`
}

// emvData holds the data that a reader read from the card's chip. It is empty for an online payment.
type emvData struct {
	AID              string `json:"aid,omitempty"`
	ApplicationLabel string `json:"application_label,omitempty"`
	Cryptogram       string `json:"cryptogram,omitempty"`
}

type card struct {
	LastFour string `json:"last_4_digits"`
	Type     string `json:"type"`
}

type product struct {
	Name            string `json:"name"`
	Price           string `json:"price"`
	VATRate         string `json:"vat_rate"`
	SingleVATAmount string `json:"single_vat_amount"`
	PriceWithVAT    string `json:"price_with_vat"`
	VATAmount       string `json:"vat_amount"`
	Quantity        int    `json:"quantity"`
	TotalPrice      string `json:"total_price"`
	TotalWithVAT    string `json:"total_with_vat"`
}

type vatRate struct {
	Gross money.Amount `json:"gross"`
	Net   money.Amount `json:"net"`
	Rate  json.Number  `json:"rate"`
	VAT   money.Amount `json:"vat"`
}

type event struct {
	ID            int64                `json:"id"`
	TransactionID string               `json:"transaction_id"`
	Type          payments.EventType   `json:"type"`
	Status        payments.EventStatus `json:"status"`
	Amount        string               `json:"amount"`
	Timestamp     rest.Timestamp       `json:"timestamp"`
	ReceiptNo     string               `json:"receipt_no,omitempty"`
}

type acquirerData struct {
	TerminalID string         `json:"tid,omitempty"`
	AuthCode   string         `json:"authorization_code,omitempty"`
	ReturnCode string         `json:"return_code,omitempty"`
	LocalTime  rest.LocalTime `json:"local_time"`
}

// unverified and byPIN are two verification methods as receipts print them (contract §2.7). Receipts also print
// "signature", which is payments.BySignature.
const (
	unverified = "none" // neither signature nor PIN
	byPIN      = "PIN"
)

func view(p subject, m merchant.Merchant, a account.Account) receipt {
	t := p.record.Transaction
	return receipt{
		Transaction: showTransaction(p),
		Merchant:    showMerchant(m, a),
		EMV:         emvData(t.EMV),
		Acquirer: acquirerData{TerminalID: t.TerminalID, AuthCode: t.AuthCode, ReturnCode: p.returnCode,
			LocalTime: rest.Local(p.at, m.Location())},
	}
}

func showTransaction(p subject) transactionData {
	t, none := p.record.Transaction, money.Zero(p.amount.Currency())
	lines := t.Products(p.sale)
	v := transactionData{
		Code: t.Code, ID: t.ID, MerchantCode: t.MerchantCode, Amount: p.amount.String(), VATAmount: none.String(),
		TipAmount: p.tip.String(), Currency: p.amount.Currency(), Timestamp: rest.Timestamp(p.at), Status: p.status,
		PaymentType: t.PaymentType, EntryMode: t.EntryMode, Installments: t.Installments,
		Products: products(lines), VATRates: vatRates(lines), Events: events(p.record), ReceiptNo: receiptNo(p.record, p.id),
	}
	if t.Card != nil {
		v.Card = &card{LastFour: t.Card.LastFour, Type: t.Card.Brand}
		v.VerificationMethod, v.ProcessAs = printedVerification(t), t.ProcessAs()
	}
	if t.Reader != "" {
		v.Reader = &cardReader{Code: t.Reader, Type: t.ReaderModel}
	}
	return v
}

// printedVerification returns the payer's verification method in the form that receipts print.
func printedVerification(t payments.Transaction) string {
	switch {
	case t.Reader == "":
		return unverified
	case t.Verification.ByPIN():
		return byPIN
	default:
		return string(t.Verification)
	}
}

func products(lines []payments.Product) []product {
	shown := make([]product, len(lines))
	for i, p := range lines {
		shown[i] = product{Name: p.Name, Price: p.Price.String(), VATRate: p.VATRate, SingleVATAmount: p.VAT.String(),
			PriceWithVAT: p.PriceWithVAT.String(), VATAmount: p.TotalVAT.String(), Quantity: p.Quantity,
			TotalPrice: p.Total.String(), TotalWithVAT: p.TotalWithVAT.String()}
	}
	return shown
}

func vatRates(lines []payments.Product) []vatRate {
	totals := payments.VATTotals(lines)
	shown := make([]vatRate, len(totals))
	for i, v := range totals {
		shown[i] = vatRate{Gross: v.Gross, Net: v.Net, Rate: json.Number(v.Rate), VAT: v.VAT}
	}
	return shown
}

// events returns the payouts, and then all other events with the oldest first, as in the transaction's detail.
func events(r store.Record) []event {
	shown := make([]event, 0, len(r.Payouts)+len(r.Events))
	for i, p := range r.Payouts {
		shown = append(shown,
			event{ID: r.PayoutNumericID(p), TransactionID: r.ID, Type: payments.PayoutEvent, Status: p.Status,
				Amount: p.Net().String(), Timestamp: rest.Timestamp(r.PlannedAt(i))})
	}
	for _, e := range r.Events {
		shown = append(shown, event{ID: e.NumericID(), TransactionID: r.ID, Type: e.Type, Status: e.Status,
			Amount: e.Amount.String(), Timestamp: rest.Timestamp(e.CreatedAt), ReceiptNo: receiptNo(r, e.ID)})
	}
	return shown
}

// receiptNo returns the number of the receipt of a transaction or refund, or "" while it has none.
func receiptNo(r store.Record, id string) string {
	if n, ok := r.Receipts[id]; ok {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

type merchantData struct {
	Profile merchantProfile `json:"merchant_profile"`
	Locale  string          `json:"locale"`
}

type merchantProfile struct {
	Code               string  `json:"merchant_code"`
	BusinessName       string  `json:"business_name"`
	RegistrationNumber string  `json:"company_registration_number,omitempty"`
	VATID              string  `json:"vat_id,omitempty"`
	Website            string  `json:"website,omitempty"`
	Email              string  `json:"email,omitempty"`
	Language           string  `json:"language"`
	Address            address `json:"address"`
}

type address struct {
	Line1             string `json:"address_line1,omitempty"`
	Line2             string `json:"address_line2,omitempty"`
	City              string `json:"city,omitempty"`
	Country           string `json:"country"`
	CountryEnglish    string `json:"country_en_name,omitempty"`
	CountryNativeName string `json:"country_native_name,omitempty"`
	Region            string `json:"region_name,omitempty"`
	PostCode          string `json:"post_code,omitempty"`
	Landline          string `json:"landline,omitempty"`
}

// showMerchant returns the merchant's data. If the account lacks the name or the country, the merchant's own are used.
func showMerchant(m merchant.Merchant, a account.Account) merchantData {
	p := a.Profile
	shown := p.Shown(m)
	where := shown.Address
	english, native := country.Names(where.Country)
	return merchantData{Locale: p.LocaleIn(m.Country), Profile: merchantProfile{
		Code: m.Code, BusinessName: shown.BusinessName, RegistrationNumber: shown.RegistrationNumber, VATID: shown.VATID,
		Website: shown.Website, Email: shown.Email, Language: p.LanguageIn(m.Country),
		Address: address{Line1: where.Line1, Line2: where.Line2, City: where.City, Country: where.Country,
			CountryEnglish: english, CountryNativeName: native, Region: where.Region, PostCode: where.PostCode,
			Landline: where.Landline},
	}}
}
