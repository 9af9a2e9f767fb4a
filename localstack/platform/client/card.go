package client

import "time"

// Cards of the sandbox (contract §12).
const (
	Frictionless = "4200000000000091" // paid at once
	Challenged   = "4200000000000042" // its issuer asks the payer
)

// CVV goes with every sandbox card. Tests search for it: four digits occur less often by chance than three.
const CVV = "7391"

// Card returns a card that has not expired today.
func Card(number string, today time.Time) map[string]any {
	return map[string]any{"name": "Ada Lovelace", "number": number, "cvv": CVV,
		"expiry_month": "12", "expiry_year": today.AddDate(3, 0, 0).Format("2006")}
}

// ByCard returns the body that pays a checkout by a card.
func ByCard(number string, today time.Time) map[string]any {
	return map[string]any{"payment_type": "card", "card": Card(number, today)}
}
