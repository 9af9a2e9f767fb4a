package pages

import (
	"maps"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func required(names ...string) []fieldView {
	fields := make([]fieldView, len(names))
	for i, name := range names {
		fields[i] = fieldView{Name: name, Required: true}
	}
	return fields
}

var (
	cardFields  = []string{fieldCardNumber, fieldExpiryMonth, fieldExpiryYear, fieldCVV, fieldCardName}
	payerFields = []string{fieldFirstName, fieldLastName, fieldEmail, fieldCountry}
)

func payableByCard() view {
	return view{State: stateForm, Mode: identity.Test, Merchant: "Caffè Roma & Figli", Description: "Two espressi",
		Amount: money.MustParse("1234.50", "EUR"), CSRF: "x", AttemptKey: "y",
		Links: links{Action: "/pay/c-x/attempts", Page: "/pay/c-x"},
		Methods: []methodView{
			{Method: payments.CardMethod, Name: "Card", Open: true, Fields: required(cardFields...)},
			{Method: payments.IDEAL, Name: "iDEAL", Fields: required(payerFields...)},
			{Method: payments.Satispay, Name: "Satispay", Fields: required(payerFields...)},
		}}
}

func payableInBrazil() view {
	v := payableByCard()
	v.Amount = money.MustParse("99.90", "BRL")
	v.Methods = []methodView{
		{Method: payments.CardMethod, Name: "Card", Fields: required(append(cardFields, fieldInstallments)...)},
		{Method: payments.Boleto, Name: "Boleto", Open: true, Fields: required(append(payerFields, fieldTaxID, fieldLine1,
			fieldCity, fieldPostalCode, fieldState)...)},
		{Method: payments.Pix, Name: "Pix"},
	}
	return v
}

// refusedFields returns the form with a fault in every field. Half of the fields are missing, the others are invalid.
func refusedFields() view {
	v := payableInBrazil()
	v.Alert = alertFields
	for _, m := range v.Methods {
		for i := range m.Fields {
			m.Fields[i].Fault = []faultCode{faultMissing, faultInvalid}[i%2]
		}
	}
	return v
}

func inState(s state, change func(*view)) view {
	v := payableByCard()
	v.State = s
	change(&v)
	return v
}

// waiting returns the states of a payment that has begun.
func waiting() map[string]view {
	until := time.Date(2026, 11, 23, 2, 30, 0, 0, time.UTC)
	return map[string]view{
		"challenge": inState(stateChallenge, func(v *view) {
			v.Next = &nextView{URL: "/3ds/challenge", Fields: []pair{{"PaReq", "a"}, {"MD", "b"}}, Framed: true}
			v.Links.Change = "/pay/c-form"
		}),
		"challenge-live": inState(stateChallenge, func(v *view) {
			v.Next, v.Mode = &nextView{URL: "/3ds/start", Fields: []pair{{"PaReq", "a"}}}, identity.Live
			v.Links.Change, v.Forward = "/pay/c-form", true
		}),
		"challenge-undecided": inState(stateChallenge, func(v *view) {
			v.Next, v.Mode = &nextView{URL: "/3ds/start", Fields: []pair{{"PaReq", "a"}}}, identity.Live
			v.Links.Change = "/pay/c-form"
		}),
		"redirect": inState(stateRedirect, func(v *view) {
			v.Next, v.Links.Change, v.Links.Return = &nextView{URL: "/apm/x"}, "/pay/c-form", "https://shop.test"
		}),
		"boleto": inState(stateCode, func(v *view) {
			v.Code = &codeView{Method: payments.Boleto, Image: "/image.svg", Print: "/boleto", Until: until,
				Text: "00190500954014481606906809350314337370000000100"}
			v.Links.Change = "/pay/c-form"
		}),
		"pix": inState(stateCode, func(v *view) {
			v.Code = &codeView{Method: payments.Pix, Image: "/image.svg", Until: until,
				Text: "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano"}
		}),
		"processing": inState(stateProcessing, func(*view) {}),
	}
}

// ended returns the states of a payment that has ended.
func ended() map[string]view {
	return map[string]view{
		"paid":            inState(statePaid, func(v *view) { v.Links.Return = "https://shop.test" }),
		"ended":           {State: stateEnded, Mode: identity.Test},
		"session-expired": inState(stateSessionExpired, func(v *view) { v.Links.Restart = "?restart=1" }),
		"expired":         inState(stateExpired, func(v *view) { v.Links.Return = "https://shop.test" }),
	}
}

// states returns all states of the page.
func states() map[string]view {
	all := map[string]view{
		"form": payableByCard(), "form-brazil": payableInBrazil(), "form-refused": refusedFields(),
		"form-declined": inState(stateForm, func(v *view) { v.Alert, v.Links.Return = alertDeclined, "https://shop.test" }),
		"form-too-many": inState(stateForm, func(v *view) { v.Alert, v.RetryAfter = alertTooMany, 90*time.Second }),
		"setup": inState(stateForm, func(v *view) {
			v.Setup, v.Methods = true, v.Methods[:1]
			v.Amount = money.MustParse("0.00", "EUR")
		}),
	}
	maps.Copy(all, waiting())
	maps.Copy(all, ended())
	return all
}
