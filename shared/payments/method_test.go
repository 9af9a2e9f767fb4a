package payments_test

import (
	"slices"
	"testing"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// allMethods are contract §4.3's methods, with their properties by §2.7 and §4.3.
var allMethods = map[payments.Method]struct {
	entryMode, paymentType string
	flow                   payments.Flow
}{
	payments.CardMethod: {"CUSTOMER_ENTRY", "ECOM", payments.CardFlow},
	payments.GooglePay:  {"GOOGLE_PAY", "ECOM", payments.CardFlow},
	payments.ApplePay:   {"APPLE_PAY", "ECOM", payments.CardFlow},
	payments.Boleto:     {"BOLETO", "BOLETO", payments.VoucherFlow},
	payments.Pix:        {"PIX", "ECOM", payments.VoucherFlow},
	payments.QRCodePix:  {"QR_CODE_PIX", "ECOM", payments.VoucherFlow},
	payments.IDEAL:      {"IDEAL", "ECOM", payments.RedirectFlow},
	payments.Bancontact: {"BANCONTACT", "ECOM", payments.RedirectFlow},
	payments.EPS:        {"EPS", "ECOM", payments.RedirectFlow},
	payments.MyBank:     {"MYBANK", "ECOM", payments.RedirectFlow},
	payments.Satispay:   {"SATISPAY", "ECOM", payments.RedirectFlow},
	payments.Blik:       {"BLIK", "ECOM", payments.RedirectFlow},
	payments.P24:        {"P24", "ECOM", payments.RedirectFlow},
	payments.Twint:      {"TWINT", "ECOM", payments.RedirectFlow},
	payments.PayPal:     {"PAYPAL", "ECOM", payments.RedirectFlow},
}

func TestMethod_Properties(t *testing.T) {
	t.Parallel()
	for m, want := range allMethods {
		if m.EntryMode() != want.entryMode || m.PaymentType() != want.paymentType || m.Flow() != want.flow || m.Name() == "" {
			t.Errorf("%s: got %s, %s, flow %d, name %q, want %s, %s, flow %d, a name", m, m.EntryMode(), m.PaymentType(),
				m.Flow(), m.Name(), want.entryMode, want.paymentType, want.flow)
		}
	}
	if m := payments.Method("cheque"); m.EntryMode() != "" || m.Flow() != payments.CardFlow || m.Name() != "" {
		t.Errorf("%s: got %q, flow %d, name %q, want none", m, m.EntryMode(), m.Flow(), m.Name())
	}
}

// TestMethodsOf_Currencies checks the availability of methods by the merchant's currency (contract §4.3).
func TestMethodsOf_Currencies(t *testing.T) {
	t.Parallel()
	own := map[money.Currency][]payments.Method{
		"BRL": {payments.Boleto, payments.Pix, payments.QRCodePix},
		"EUR": {payments.IDEAL, payments.Bancontact, payments.EPS, payments.MyBank, payments.Satispay},
		"PLN": {payments.Blik, payments.P24},
		"CHF": {payments.Twint},
		"USD": nil, "GBP": nil, "CLP": nil, "HUF": nil,
	}
	for c, methods := range own {
		for _, paypal := range []bool{false, true} {
			by := merchant.Merchant{Currency: c, PayPal: paypal}
			want := slices.Concat([]payments.Method{payments.CardMethod, payments.GooglePay}, methods)
			if paypal {
				want = append(want, payments.PayPal)
			}
			if got := payments.MethodsOf(by); !slices.Equal(got, want) {
				t.Errorf("%s, paypal %t: got %v, want %v", c, paypal, got, want)
			}
			for m := range allMethods {
				checkAvailability(t, m, by, slices.Contains(want, m))
			}
		}
	}
}

func checkAvailability(t *testing.T, m payments.Method, by merchant.Merchant, offered bool) {
	t.Helper()
	c, fault := by.Currency, payments.CheckMethod(m, by)
	if offered != (fault == nil) {
		t.Errorf("%s in %s: got fault %v, want none: %t", m, c, fault, offered)
	}
	if fault != nil && (fault.Code != "INVALID" || fault.Slug != "payment-method-not-allowed" ||
		fault.Param != "payment_type") {
		t.Errorf("%s in %s: got %s %s of %s, want INVALID payment-method-not-allowed of payment_type", m, c, fault.Code,
			fault.Slug, fault.Param)
	}
}

func TestCheckMethod_Unknown(t *testing.T) {
	t.Parallel()
	for _, m := range []payments.Method{"", "cheque", "CARD", "card "} {
		fault := payments.CheckMethod(m, merchant.Merchant{Currency: "EUR", PayPal: true})
		if fault == nil {
			t.Errorf("%q: got no fault, want unknown-payment-method", m)
		} else if fault.Code != "INVALID" || fault.Slug != "unknown-payment-method" || fault.Param != "payment_type" {
			t.Errorf("%q: got %s %s of %s, want INVALID unknown-payment-method of payment_type", m, fault.Code, fault.Slug,
				fault.Param)
		}
	}
}

func brazilian() payments.PersonalDetails {
	return payments.PersonalDetails{
		FirstName: "Ana", LastName: "Souza", Email: "ana@mail.example", TaxID: "529.982.247-25",
		Address: payments.Address{Country: "BR", Line1: "Rua A, 1", City: "Recife",
			PostalCode: "50000-000", State: "PE"},
	}
}

// TestCheckPayer checks the payer details that each method requires (contract §4.3).
func TestCheckPayer(t *testing.T) {
	t.Parallel()
	names := []string{"first_name", "last_name", "email", "address.country"}
	boleto := append(slices.Clone(names), "tax_id", "address.line_1", "address.city",
		"address.postal_code", "address.state")
	needs := map[payments.Method][]string{payments.Boleto: boleto}
	for _, m := range []payments.Method{payments.IDEAL, payments.Bancontact, payments.EPS, payments.P24,
		payments.MyBank, payments.Satispay, payments.Blik} {
		needs[m] = names
	}
	for m := range allMethods {
		full := brazilian()
		if faults := m.CheckPayer(&full); faults != nil {
			t.Errorf("%s of full details: got %v, want none", m, faults)
		}
		var want, none []string
		for _, name := range needs[m] {
			want = append(want, "MISSING personal_details."+name)
		}
		if want != nil {
			none = []string{"MISSING personal_details"}
		}
		if got := faultCodes(m.CheckPayer(&payments.PersonalDetails{})); !slices.Equal(got, want) {
			t.Errorf("%s of empty details: got %v, want %v", m, got, want)
		}
		if got := faultCodes(m.CheckPayer(nil)); !slices.Equal(got, none) {
			t.Errorf("%s of no details: got %v, want %v", m, got, none)
		}
	}
}

func TestCheckPayer_Boleto(t *testing.T) {
	t.Parallel()
	foreign := brazilian()
	foreign.TaxID, foreign.Address.Country = "123.456.789-00", "PT"
	want := []string{"INVALID personal_details.tax_id", "INVALID personal_details.address.country"}
	if got := faultCodes(payments.Boleto.CheckPayer(&foreign)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := payments.IDEAL.CheckPayer(&foreign); got != nil {
		t.Errorf("iDEAL without a CPF: got %v, want none", got)
	}
}
