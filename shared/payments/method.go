package payments

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Method is how a payer pays: the payment_type of a process request.
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

// Flow is the way a method takes a payer.
type Flow int

// The flows.
const (
	CardFlow     Flow = iota // decided at once, or after a 3DS challenge
	RedirectFlow             // the payer leaves for the method's own page
	VoucherFlow              // the payer pays later, by a code
)

// terms are a method's fixed properties: contract §4.3 (availability, flow, payer details) and §2.7 (entry mode).
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
	{method: PayPal, name: "PayPal", flow: RedirectFlow, entryMode: "PAYPAL"}, // where the operator has switched it on
}

// termsWhere returns the first terms for which is holds; zero if there are none.
func termsWhere(is func(terms) bool) terms {
	if i := slices.IndexFunc(catalogue, is); i >= 0 {
		return catalogue[i]
	}
	return terms{}
}

func (m Method) terms() terms { return termsWhere(func(t terms) bool { return t.method == m }) }

// Flow of the method; CardFlow for an unknown one.
func (m Method) Flow() Flow { return m.terms().flow }

// EntryMode is how the payment appears in transactions (contract §2.7).
func (m Method) EntryMode() string { return m.terms().entryMode }

// PaymentType is ECOM for everything online but boleto (contract §2.7).
func (m Method) PaymentType() string {
	if m == Boleto {
		return "BOLETO"
	}
	return "ECOM"
}

// Name is the method's name for people.
func (m Method) Name() string { return m.terms().name }

// MethodIn returns the method with which payments of an entry mode are made; "" for a card at a reader.
func MethodIn(entryMode string) Method {
	return termsWhere(func(t terms) bool { return t.entryMode == entryMode }).method
}

// MethodsOf lists what a merchant may offer, card first.
func MethodsOf(m merchant.Merchant) []Method {
	var methods []Method
	for _, t := range catalogue {
		if t.offeredBy(m) {
			methods = append(methods, t.method)
		}
	}
	return methods
}

func (t terms) offeredBy(m merchant.Merchant) bool {
	if t.unavailable || t.method == PayPal && !m.PayPal {
		return false
	}
	return t.currencies == nil || slices.Contains(t.currencies, m.Currency)
}

// CheckMethod refuses a method that is unknown or that the merchant does not offer.
func CheckMethod(method Method, by merchant.Merchant) *failure.Error {
	t := method.terms()
	if t.method == "" {
		return failure.Invalid("payment_type", "is not a payment method").WithSlug("unknown-payment-method")
	}
	if !t.offeredBy(by) {
		return failure.Invalid("payment_type", "is not available for this merchant").
			WithSlug("payment-method-not-allowed")
	}
	return nil
}

// CheckPayer lists the payer details that a method needs and did not get (contract §4.3). d may be nil.
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
	faults := missing(needed)
	if m == Boleto {
		faults = append(faults, checkBoletoPayer(*d)...)
	}
	return faults
}

type required struct{ name, value string }

func missing(fields []required) failure.List {
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
