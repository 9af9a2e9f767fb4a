package pages

import "github.com/cashwrap/cashwrap/shared/page"

// texts are those of the page in one language. {merchant} is the merchant's name, {amount} what is paid, {method} the
// name of a payment method, {time} how long to wait, {until} a date, and {n} a number of instalments.
type texts struct {
	language page.Language
	date     string // layout of a day
	testMode string // mark
	title    string // of the tab
	how      string // heading above the methods
	pay      string // button
	save     string // button, when nothing is paid
	consent  string // to what a payer consents whose card is saved
	leads    string // under a method with a page of its own
	boleto   string // under the method boleto
	pix      string // under the Pix methods

	card   string // name of the method
	expiry string // of month and year
	yy     string // that a year has two digits

	fields map[string]fieldText
	choose string // first option of a choice
	once   string // option: one instalment
	times  string // option: several
	secure string // under the card form

	alerts     map[alert]string
	offline    string // the script got no answer
	paying     string // while an attempt runs
	inTransit  string // while the script sends the payer on
	checkAgain string // link without script

	challenge, framed, redirect, processing, paid, ended, sessionExpired, expired said

	toIssuer string // button
	onwards  string // link
	another  string // link to another way to pay
	restart  string // link
	back     string // link to the merchant

	boletoCode, pixCode          said
	boletoImage, pixImage        string // what the image is
	boletoLine, pixLine          string // name of the text to copy
	until, copy, copied, printIt string
}

type fieldText struct{ label, hint, missing, wrong string }

type said struct{ title, text string }

var inLanguages = page.Texts[texts]{English: inEnglish, German: inGerman, Portuguese: inPortuguese}

func (t texts) of(v view) said {
	switch v.State {
	case stateChallenge:
		if v.Next != nil && v.Next.Framed {
			return t.framed
		}
		return t.challenge
	case stateRedirect:
		return t.redirect
	case stateCode:
		if v.Code != nil && v.Code.boleto() {
			return t.boletoCode
		}
		return t.pixCode
	case stateProcessing:
		return t.processing
	case statePaid:
		return t.paid
	case stateSessionExpired:
		return t.sessionExpired
	case stateExpired:
		return t.expired
	default:
		return t.ended
	}
}

func (t texts) lineName(c codeView) string {
	if c.boleto() {
		return t.boletoLine
	}
	return t.pixLine
}
