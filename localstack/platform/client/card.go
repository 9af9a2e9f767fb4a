package client

import "time"

// Card numbers of the sandbox (contract §12).
const (
	Frictionless = "4200000000000091" // succeeds at once
	Challenged   = "4200000000000042" // the issuer asks the payer
)

// CVV is the CVV of every sandbox card. Tests search for it. Four digits occur less often by chance than three.
const CVV = "7391"

// Card returns card data that has not expired today.
func Card(number string, today time.Time) map[string]any {
	return map[string]any{"name": "Ada Lovelace", "number": number, "cvv": CVV,
		"expiry_month": "12", "expiry_year": today.AddDate(3, 0, 0).Format("2006")}
}

// ByCard returns a body that pays a checkout by card.
func ByCard(number string, today time.Time) map[string]any {
	return map[string]any{"payment_type": "card", "card": Card(number, today)}
}

// RefusedForGood is an amount that the sandbox declines, and for which it forbids further charges of the card (contract
// §12).
const RefusedForGood = "42.43"
