package sandbox

import (
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// texts holds the pages' texts in one language. {method} is the name of a payment method, {brand} and {digits} describe
// a card.
type texts struct {
	testMode   string // badge of test mode
	merchant   string // label
	card       string // label
	cardEnding string // value of the label card

	issuerTitle           string
	issuer                string // says that the page simulates an issuer
	approve, reject, fail string // buttons; fail makes the authentication fail

	bankTitle              string
	bank                   string // says that the page simulates a bank
	pay, bankFail, pending string // buttons

	backTitle string // title of the page that sends the browser back
	backHint  string // hint if the browser stays on that page
	back      string // button or link
	closed    string // shown if there is no way back

	approved, declined, ended outcome
}

// outcome holds the texts that explain a payment's outcome.
type outcome struct{ title, text string }

// of returns the texts that explain a decision.
func (t texts) of(d payments.Decision) outcome {
	switch d {
	case payments.Approved:
		return t.approved
	case payments.Declined:
		return t.declined
	default:
		return t.ended
	}
}

func (t texts) bankHeading(view sandbox.View) string {
	return page.Fill(t.bankTitle, "{method}", view.Method.Name())
}

// cardOf returns the text that names the paying card.
func (t texts) cardOf(view sandbox.View) string {
	return page.Fill(t.cardEnding, "{brand}", view.Card.Brand, "{digits}", view.Card.LastFour)
}

var inLanguages = page.Texts[texts]{
	English: texts{
		testMode:   page.TestMode.English,
		merchant:   "Merchant",
		card:       "Card",
		cardEnding: "{brand} ending in {digits}",

		issuerTitle: "Confirm your payment",
		issuer:      "This page simulates your card issuer.",
		approve:     "Approve",
		reject:      "Reject",
		fail:        "Error",

		bankTitle: "Pay with {method}",
		bank:      "This page simulates your bank.",
		pay:       "Pay",
		bankFail:  "Fail",
		pending:   "Leave pending",

		backTitle: "Returning to the shop",
		backHint:  "If nothing happens in a moment, press Continue.",
		back:      "Continue",
		closed:    "You can close this page.",

		approved: outcome{"Payment confirmed", "You have confirmed this payment. You can no longer change this."},
		declined: outcome{"Payment declined", "This payment was declined. Nothing was charged. You can no longer change " +
			"this."},
		ended: outcome{"Payment ended", "This payment has ended. Nothing was charged."},
	},
	German: texts{
		testMode:   page.TestMode.German,
		merchant:   "Händler",
		card:       "Karte",
		cardEnding: "{brand}, endet auf {digits}",

		issuerTitle: "Zahlung bestätigen",
		issuer:      "Diese Seite simuliert die Bank, die Ihre Karte ausgegeben hat.",
		approve:     "Bestätigen",
		reject:      "Ablehnen",
		fail:        "Fehler",

		bankTitle: "Mit {method} bezahlen",
		bank:      "Diese Seite simuliert Ihre Bank.",
		pay:       "Bezahlen",
		bankFail:  "Fehlschlagen lassen",
		pending:   "Offen lassen",

		backTitle: "Zurück zum Shop",
		backHint:  "Wenn nicht gleich etwas geschieht, klicken Sie auf „Weiter“.",
		back:      "Weiter",
		closed:    "Sie können diese Seite schließen.",

		approved: outcome{"Zahlung bestätigt", "Sie haben diese Zahlung bestätigt. Das lässt sich nicht mehr ändern."},
		declined: outcome{"Zahlung abgelehnt", "Diese Zahlung wurde abgelehnt. Es wurde nichts abgebucht. Das lässt sich " +
			"nicht mehr ändern."},
		ended: outcome{"Zahlung beendet", "Diese Zahlung ist beendet. Es wurde nichts abgebucht."},
	},
	Portuguese: texts{
		testMode:   page.TestMode.Portuguese,
		merchant:   "Comerciante",
		card:       "Cartão",
		cardEnding: "{brand}, final {digits}",

		issuerTitle: "Confirme o seu pagamento",
		issuer:      "Esta página simula o emissor do seu cartão.",
		approve:     "Aprovar",
		reject:      "Recusar",
		fail:        "Erro",

		bankTitle: "Pagar com {method}",
		bank:      "Esta página simula o seu banco.",
		pay:       "Pagar",
		bankFail:  "Deixar falhar",
		pending:   "Deixar pendente",

		backTitle: "Voltando à loja",
		backHint:  "Se nada acontecer em um instante, clique em Continuar.",
		back:      "Continuar",
		closed:    "Você pode fechar esta página.",

		approved: outcome{"Pagamento confirmado", "Você confirmou este pagamento. Isso não pode mais ser alterado."},
		declined: outcome{"Pagamento recusado", "Este pagamento foi recusado. Nada foi cobrado. Isso não pode mais ser " +
			"alterado."},
		ended: outcome{"Pagamento encerrado", "Este pagamento foi encerrado. Nada foi cobrado."},
	},
}
