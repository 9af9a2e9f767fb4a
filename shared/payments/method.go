package payments

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Method is a way to pay: the payment_type of a process request.
type Method string

// The methods of contract §4.3.
const (
	CardMethod Method = "card"
	Boleto     Method = "boleto"
	IDEAL      Method = "ideal"
	Blik       Method = "blik"
	Bancontact Method = "bancontact"
	GooglePay  Method = "google_pay"
	ApplePay   Method = "apple_pay"
	EPS        Method = "eps"
	MyBank     Method = "mybank"
	Satispay   Method = "satispay"
	P24        Method = "p24"
	Pix        Method = "pix"
	QRCodePix  Method = "qr_code_pix"
	PayPal     Method = "paypal"
	Twint      Method = "twint"
)

// Flow is the course of a payment by a method.
type Flow int

// The flows.
const (
	CardFlow     Flow = iota // decided at once, or after a 3DS challenge
	RedirectFlow             // the payer leaves for the method's own page
	VoucherFlow              // the payer pays a code later
)

// terms holds a method's fixed properties: contract §4.3 (availability, flow, payer details) and §2.7 (entry mode).
type terms struct {
	method      Method
	name        string
	flow        Flow
	entryMode   string
	currencies  []money.Currency // nil: all
	needsPayer  bool             // first and last name, email, country
	unavailable bool             // known, but not offered yet
}

var brl, eur, pln, chf = []money.Currency{"BRL"}, []money.Currency{"EUR"}, []money.Currency{"PLN"},
	[]money.Currency{"CHF"}

var catalogue = []terms{
	{method: CardMethod, name: "Card", entryMode: "CUSTOMER_ENTRY"},
	{method: GooglePay, name: "Google Pay", entryMode: "GOOGLE_PAY"},
	{method: ApplePay, name: "Apple Pay", entryMode: "APPLE_PAY", unavailable: true},
	{method: Boleto, name: "Boleto", flow: VoucherFlow, entryMode: "BOLETO", currencies: brl},
	{method: Pix, name: "Pix", flow: VoucherFlow, entryMode: "PIX", currencies: brl},
	{method: QRCodePix, name: "Pix QR code", flow: VoucherFlow, entryMode: "QR_CODE_PIX", currencies: brl},
	{method: IDEAL, name: "iDEAL", flow: RedirectFlow, entryMode: "IDEAL", currencies: eur, needsPayer: true},
	{method: Bancontact, name: "Bancontact", flow: RedirectFlow, entryMode: "BANCONTACT",
		currencies: eur, needsPayer: true},
	{method: EPS, name: "EPS", flow: RedirectFlow, entryMode: "EPS", currencies: eur, needsPayer: true},
	{method: MyBank, name: "MyBank", flow: RedirectFlow, entryMode: "MYBANK", currencies: eur, needsPayer: true},
	{method: Satispay, name: "Satispay", flow: RedirectFlow, entryMode: "SATISPAY", currencies: eur, needsPayer: true},
	{method: Blik, name: "BLIK", flow: RedirectFlow, entryMode: "BLIK", currencies: pln, needsPayer: true},
	{method: P24, name: "Przelewy24", flow: RedirectFlow, entryMode: "P24", currencies: pln, needsPayer: true},
	{method: Twint, name: "TWINT", flow: RedirectFlow, entryMode: "TWINT", currencies: chf},
	{method: PayPal, name: "PayPal", flow: RedirectFlow, entryMode: "PAYPAL"}, // only if the operator has switched it on
}

// findTerms returns the first terms that match; zero if none do.
func findTerms(is func(terms) bool) terms {
	if i := slices.IndexFunc(catalogue, is); i >= 0 {
		return catalogue[i]
	}
	return terms{}
}

func (m Method) terms() terms { return findTerms(func(t terms) bool { return t.method == m }) }

// Flow returns the method's flow; CardFlow for an unknown method.
func (m Method) Flow() Flow { return m.terms().flow }

// EntryMode returns the entry mode of the method's transactions (contract §2.7).
func (m Method) EntryMode() string { return m.terms().entryMode }

// PaymentType returns BOLETO for boleto, and ECOM for every other online method (contract §2.7).
func (m Method) PaymentType() string {
	if m == Boleto {
		return "BOLETO"
	}
	return "ECOM"
}

// Name returns the method's name for people.
func (m Method) Name() string { return m.terms().name }

// MethodIn returns the method whose payments have the entry mode; "" for a card at a reader.
func MethodIn(entryMode string) Method {
	return findTerms(func(t terms) bool { return t.entryMode == entryMode }).method
}

// MethodsOf returns the methods that a merchant may offer, card first.
func MethodsOf(m merchant.Merchant) []Method {
	var methods []Method
	for _, t := range catalogue {
		if t.isOfferedBy(m) {
			methods = append(methods, t.method)
		}
	}
	return methods
}

func (t terms) isOfferedBy(m merchant.Merchant) bool {
	if t.unavailable || t.method == PayPal && !m.PayPal {
		return false
	}
	return t.currencies == nil || slices.Contains(t.currencies, m.Currency)
}

// CheckMethod refuses a method that is unknown or that the merchant does not offer.
func CheckMethod(method Method, by merchant.Merchant) *failure.Error {
	t := method.terms()
	if t.isOfferedBy(by) && t.method != "" {
		return nil
	}
	var offered []string
	for _, m := range MethodsOf(by) {
		offered = append(offered, string(m))
	}
	fault := failure.Invalid("payment_type", "must be one of the merchant's methods: "+strings.Join(offered, ", "))
	if t.method == "" {
		return fault.WithSlug("unknown-payment-method")
	}
	return fault.WithSlug("payment-method-not-allowed")
}

// CheckPayer returns faults in the payer details that the method needs (contract §4.3). d may be nil.
func (m Method) CheckPayer(d *PersonalDetails) failure.List {
	if m != Boleto && !m.terms().needsPayer {
		return nil
	}
	if d == nil {
		return failure.List{failure.Missing("personal_details")}
	}
	address := d.Address
	needed := []required{
		{"first_name", d.FirstName}, {"last_name", d.LastName}, {"email", d.Email},
		{"address.country", address.Country},
	}
	if m == Boleto {
		needed = append(needed, required{"tax_id", d.TaxID}, required{"address.line_1", address.Line1},
			required{"address.city", address.City}, required{"address.postal_code", address.PostalCode},
			required{"address.state", address.State})
	}
	faults := missingFields(needed)
	if m == Boleto {
		faults = append(faults, checkBoletoPayer(*d)...)
	}
	return faults
}

type required struct{ name, value string }

func missingFields(fields []required) failure.List {
	var faults failure.List
	for _, field := range fields {
		faults = faults.If(field.value == "", failure.Missing("personal_details."+field.name))
	}
	return faults
}

func checkBoletoPayer(d PersonalDetails) failure.List {
	var faults failure.List
	faults = faults.If(d.TaxID != "" && !validate.CPF(d.TaxID),
		failure.Invalid("personal_details.tax_id", "must be a CPF"))
	if country := d.Address.Country; country != "" && country != "BR" {
		faults = append(faults, failure.Invalid("personal_details.address.country", "must be BR for boleto"))
	}
	return faults
}
