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
	consent: "By going on you allow {merchant} to keep this card and to charge it for later payments, also when you are " +
		"not present. You can end this at any time by asking {merchant}.",
	leads:  "You will go on to {method} to confirm the payment.",
	boleto: "You will get a boleto, which you can pay at any bank or with your bank's app.",
	pix:    "You will get a QR code and a text to copy, which you can pay with your bank's app.",

	card:   "Card",
	expiry: "Expiry date",
	yy:     "YY",

	fields: map[string]fieldText{
		fieldCardNumber:   {"Card number", "", "Enter the card number.", "This is not a valid card number."},
		fieldExpiryMonth:  {"Expiry month", "", "Missing.", "01 to 12."},
		fieldExpiryYear:   {"Expiry year", "", "Missing.", "Invalid or expired."},
		fieldCVV:          {"CVV", "", "Missing.", "3 or 4 digits."},
		fieldCardName:     {"Name on card", "", "Enter the name as it is on the card.", "This name is not valid."},
		fieldZipCode:      {"ZIP code", "", "Enter your ZIP code.", "A ZIP code has 5 digits."},
		fieldInstallments: {"Instalments", "", "Choose a number.", "This number of instalments is not possible."},
		fieldFirstName:    {"First name", "", "Enter your first name.", "This name is not valid."},
		fieldLastName:     {"Last name", "", "Enter your last name.", "This name is not valid."},
		fieldEmail:        {"E-mail", "", "Enter your e-mail address.", "This is not a valid e-mail address."},
		fieldTaxID:        {"CPF", "11 digits.", "Enter your CPF.", "This is not a valid CPF."},
		fieldCountry:      {"Country", "", "Choose your country.", "This country is not possible here."},
		fieldLine1:        {"Address", "", "Enter your address.", "This address is not valid."},
		fieldCity:         {"City", "", "Enter your city.", "This city is not valid."},
		fieldPostalCode:   {"Postal code", "", "Enter your postal code.", "This postal code is not valid."},
		fieldState:        {"State", "", "Choose your state.", "This state is not valid."},
	},
	choose: "Choose",
	once:   "In full",
	times:  "{n} instalments",
	secure: "Your card details are sent encrypted, and are not stored on this device.",

	alerts: map[alert]string{
		alertDeclined:    "The payment was declined. Nothing was charged. Try again, or pay in another way.",
		alertFields:      "Please check the fields that are marked.",
		alertAgain:       "The page was too old. Nothing was charged. Please try again.",
		alertTooMany:     "There were too many attempts. Nothing was charged. Try again in {time}.",
		alertUnavailable: "The payment could not be made just now. Nothing was charged. Please try again.",
		alertRefused:     "This payment is not possible in this way. Nothing was charged.",
	},
	offline: "There is no connection, or no answer came. Press the button again: you will not be charged twice.",
	paying:  "Paying…", inTransit: "One moment…",
	checkAgain: "Check again",

	challenge: note{"Confirm your payment", "Your card's bank asks you to confirm the payment. You will come back here."},
	framed:    note{"Confirm your payment", "Your card's bank asks you to confirm the payment."},
	redirect: note{"Finish your payment", "Confirm the payment on the next page. If you have done so already, wait here " +
		"for a moment."},
	processing: note{"Your payment is being processed", "This can take a while. You can leave this page open; do not " +
		"pay again."},
	paid:           note{"Payment complete", "Thank you. {merchant} has been informed."},
	ended:          note{"This payment has ended, or is being made elsewhere", "You can close this page."},
	sessionExpired: note{"Your session has expired", "For your safety the page stays open for 30 minutes only."},
	expired:        note{"This payment has expired", "The time to pay has passed. Please ask {merchant} for a new link."},

	toIssuer: "Continue to your bank",
	onwards:  "Continue",
	another:  "Pay in another way",
	restart:  "Start again",
	back:     "Return to {merchant}",

	boletoCode: note{"Pay the boleto", "Pay it at any bank or with your bank's app. This page shows when it is paid, " +
		"which can take some days."},
	pixCode: note{"Pay with Pix", "Scan the QR code with your bank's app, or copy the code into it. This page shows " +
		"when it is paid."},
	boletoImage: "Barcode of the boleto. The same numbers follow as text.",
	pixImage:    "QR code. The same code follows as text.",
	boletoLine:  "Numbers to type",
	pixLine:     "Code to copy",
	until:       "To be paid by {until}.",
	copy:        "Copy",
	copied:      "Copied.",
	printIt:     "Open the boleto to print it",
}
