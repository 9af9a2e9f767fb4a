package page

import "github.com/cashwrap/cashwrap/shared/payments"

// words say how a payment ended.
type words struct{ Title, Text string }

// outcomeTexts are those of the outcome's page in one language.
type outcomeTexts struct {
	paid, failed, expired, pending words

	goOn string // link
}

var outcomeIn = Texts[outcomeTexts]{
	English: outcomeTexts{
		paid:    words{"Payment complete", "Thank you. You can return to the shop."},
		failed:  words{"Payment not completed", "Nothing was charged. You can return to the shop and try again."},
		expired: words{"Payment expired", "The time to pay has passed. Nothing was charged."},
		pending: words{"Payment pending", "The payment is still being processed. You can return to the shop."},
		goOn:    "Continue",
	},
	German: outcomeTexts{
		paid: words{"Zahlung abgeschlossen", "Vielen Dank. Sie können zum Shop zurückkehren."},
		failed: words{"Zahlung nicht abgeschlossen", "Es wurde nichts abgebucht. Sie können zum Shop zurückkehren und es " +
			"noch einmal versuchen."},
		expired: words{"Zahlung abgelaufen", "Die Zeit zum Bezahlen ist vorbei. Es wurde nichts abgebucht."},
		pending: words{"Zahlung in Bearbeitung", "Die Zahlung wird noch bearbeitet. Sie können zum Shop zurückkehren."},
		goOn:    "Weiter",
	},
	Portuguese: outcomeTexts{
		paid:    words{"Pagamento concluído", "Obrigado. Você pode voltar à loja."},
		failed:  words{"Pagamento não concluído", "Nada foi cobrado. Você pode voltar à loja e tentar de novo."},
		expired: words{"Pagamento expirado", "O prazo para pagar terminou. Nada foi cobrado."},
		pending: words{"Pagamento pendente", "O pagamento ainda está sendo processado. Você pode voltar à loja."},
		goOn:    "Continuar",
	},
}

func (t outcomeTexts) of(s payments.CheckoutStatus) words {
	switch s {
	case payments.CheckoutPaid:
		return t.paid
	case payments.CheckoutFailed:
		return t.failed
	case payments.CheckoutExpired:
		return t.expired
	default:
		return t.pending
	}
}
