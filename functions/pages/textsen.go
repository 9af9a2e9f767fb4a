package pages

import "github.com/cashwrap/cashwrap/shared/page"

var inEnglish = texts{
	language: page.English,
	date:     "2 January 2006",
	testMode: page.TestMode.English,
	title:    "Pay {merchant}",
	how:      "How would you like to pay?",
	pay:      "Pay {amount}",
	save:     "Save card",
	consent: "By continuing, you allow {merchant} to save this card and to charge it for future payments, even when you " +
		"are not present. You can withdraw this consent at any time by contacting {merchant}.",
	leads:  "You will continue to {method} to confirm the payment.",
	boleto: "You will get a boleto to pay at any bank or in your bank's app.",
	pix:    "You will get a QR code and a code to copy. Pay with either of them in your bank's app.",

	card:   "Card",
	expiry: "Expiry date",
	yy:     "YY",

	fields: map[string]fieldText{
		fieldCardNumber:   {"Card number", "", "Enter the card number.", "This is not a valid card number."},
		fieldExpiryMonth:  {"Expiry month", "", "Required.", "01 to 12."},
		fieldExpiryYear:   {"Expiry year", "", "Required.", "Invalid or expired."},
		fieldCVV:          {"CVV", "", "Required.", "3 or 4 digits."},
		fieldCardName:     {"Name on card", "", "Enter the name as shown on the card.", "This name is not valid."},
		fieldZipCode:      {"ZIP code", "", "Enter your ZIP code.", "A ZIP code has 5 digits."},
		fieldInstallments: {"Instalments", "", "Choose a number.", "This number of instalments is not available."},
		fieldFirstName:    {"First name", "", "Enter your first name.", "This name is not valid."},
		fieldLastName:     {"Last name", "", "Enter your last name.", "This name is not valid."},
		fieldEmail:        {"E-mail", "", "Enter your e-mail address.", "This is not a valid e-mail address."},
		fieldTaxID:        {"CPF", "11 digits.", "Enter your CPF.", "This is not a valid CPF."},
		fieldCountry:      {"Country", "", "Choose your country.", "This country is not available."},
		fieldLine1:        {"Address", "", "Enter your address.", "This address is not valid."},
		fieldCity:         {"City", "", "Enter your city.", "This city is not valid."},
		fieldPostalCode:   {"Postal code", "", "Enter your postal code.", "This postal code is not valid."},
		fieldState:        {"State", "", "Choose your state.", "This state is not valid."},
	},
	choose: "Choose",
	once:   "In full",
	times:  "{n} instalments",
	secure: "Your card details are sent encrypted and are not stored on this device.",

	alerts: map[alert]string{
		alertDeclined:    "The payment was declined. Nothing was charged. Try again or pay another way.",
		alertFields:      "Please check the marked fields.",
		alertAgain:       "This page was out of date. Nothing was charged. Please try again.",
		alertTooMany:     "Too many attempts. Nothing was charged. Please try again in {time}.",
		alertUnavailable: "The payment is not possible right now. Nothing was charged. Please try again.",
		alertRefused:     "This payment cannot be made this way. Nothing was charged.",
	},
	offline: "The connection failed, or no answer arrived. Press the button again: you will not be charged twice.",
	paying:  "Paying…", inTransit: "One moment…",
	checkAgain: "Check again",

	challenge: note{"Confirm your payment", "Your bank asks you to confirm the payment. You will then return to this " +
		"page."},
	framed: note{"Confirm your payment", "Your bank asks you to confirm the payment."},
	redirect: note{"Finish your payment", "Confirm the payment on the next page. If you have already confirmed it, wait " +
		"here for a moment."},
	processing: note{"Your payment is being processed", "This can take a while. You can leave this page open. Please do " +
		"not pay again."},
	paid:           note{"Payment complete", "Thank you. We have notified {merchant}."},
	ended:          note{"This payment has ended or is in progress elsewhere", "You can close this page."},
	sessionExpired: note{"Your session has expired", "For your security, this page stays open for only 30 minutes."},
	expired:        note{"This payment has expired", "The time to pay has passed. Please ask {merchant} for a new link."},

	toIssuer: "Continue to your bank",
	onwards:  "Continue",
	another:  "Pay another way",
	restart:  "Start again",
	back:     "Return to {merchant}",

	boletoCode: note{"Pay the boleto", "Pay it at any bank or in your bank's app. This page will tell you when the " +
		"payment has arrived. That can take a few days."},
	pixCode: note{"Pay with Pix", "Scan the QR code with your bank's app, or copy the code into the app. This page will " +
		"tell you when the payment has arrived."},
	boletoImage: "Barcode of the boleto. The same number follows as text.",
	pixImage:    "QR code. The same code follows as text.",
	boletoLine:  "Boleto number",
	pixLine:     "Code to copy",
	until:       "Pay by {until}.",
	copy:        "Copy",
	copied:      "Copied.",
	printIt:     "Open the boleto to print it",
}
