package pages

import "github.com/cashwrap/cashwrap/shared/page"

// texts holds the page's texts in one language. The texts contain placeholders: {merchant} is the merchant's name,
// {amount} the amount to pay, {method} the name of a payment method, {time} a waiting time, {until} a date, and {n} a
// number of instalments.
type texts struct {
	language page.Language
	date     string // layout of a date, for time.Format
	testMode string // badge of test mode
	title    string // title of the browser's tab
	how      string // heading above the methods
	pay      string // button to pay
	save     string // button if nothing is charged
	consent  string // the payer's consent to saving the card
	leads    string // note under a method that has a page elsewhere
	boleto   string // note under the method boleto
	pix      string // note under the Pix methods

	card   string // name of the method
	expiry string // label of month and year
	yy     string // placeholder for two digits of a year

	fields map[string]fieldText
	choose string // first option of a choice
	once   string // option to pay in one instalment
	times  string // option to pay in several instalments
	secure string // note under the card form

	alerts     map[alert]string
	offline    string // shown when the script got no answer
	paying     string // shown while an attempt runs
	inTransit  string // shown while the script forwards the payer
	checkAgain string // link, shown if no script runs

	challenge, framed, redirect, processing, paid, ended, sessionExpired, expired note

	toIssuer string // button to the issuer's page
	onwards  string // link to the method's page
	another  string // link to another way to pay
	restart  string // link to begin again
	back     string // link to the merchant

	boletoCode, pixCode          note
	boletoImage, pixImage        string // alternative text of the image
	boletoLine, pixLine          string // name of the text to copy
	until, copy, copied, printIt string
}

type fieldText struct{ label, hint, missing, wrong string }

type note struct{ title, text string }

var inLanguages = page.Texts[texts]{English: inEnglish, German: inGerman, Portuguese: inPortuguese}

func (t texts) stateText(v view) note {
	switch v.State {
	case stateChallenge:
		if v.Next != nil && v.Next.Framed {
			return t.framed
		}
		return t.challenge
	case stateRedirect:
		return t.redirect
	case stateCode:
		if v.Code != nil && v.Code.isBoleto() {
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
	if c.isBoleto() {
		return t.boletoLine
	}
	return t.pixLine
}
