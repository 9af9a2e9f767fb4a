package mails

// What mails with a link to a receipt say. {about} is its amount.
var (
	ofPayment = map[string]text{
		english: {subject: "Your receipt from {merchant}", link: "Show the receipt", lines: []string{
			"The link shows the receipt for your payment of {about} to {merchant}.",
			"It is valid for 90 days."}},
		german: {subject: "Ihr Beleg von {merchant}", link: "Beleg ansehen", lines: []string{
			"Der Link zeigt den Beleg über Ihre Zahlung von {about} an {merchant}.",
			"Er gilt 90 Tage."}},
		portuguese: {subject: "Seu comprovante de {merchant}", link: "Ver o comprovante", lines: []string{
			"O link mostra o comprovante do seu pagamento de {about} a {merchant}.",
			"Ele vale por 90 dias."}},
	}
	ofRefund = map[string]text{
		english: {subject: "Your refund from {merchant}", link: "Show the receipt", lines: []string{
			"The link shows the receipt for the refund of {about} by {merchant}.",
			"It is valid for 90 days."}},
		german: {subject: "Ihre Erstattung von {merchant}", link: "Beleg ansehen", lines: []string{
			"Der Link zeigt den Beleg über die Erstattung von {about} durch {merchant}.",
			"Er gilt 90 Tage."}},
		portuguese: {subject: "Seu reembolso de {merchant}", link: "Ver o comprovante", lines: []string{
			"O link mostra o comprovante do reembolso de {about} por {merchant}.",
			"Ele vale por 90 dias."}},
	}
	ofUnpaid = map[string]text{
		english: {subject: "Your payment to {merchant}", link: "Show the payment", lines: []string{
			"Your payment of {about} to {merchant} has not been completed so far. The link shows what has become of it.",
			"It is valid for 90 days."}},
		german: {subject: "Ihre Zahlung an {merchant}", link: "Zahlung ansehen", lines: []string{
			"Ihre Zahlung von {about} an {merchant} ist bisher nicht abgeschlossen. Der Link zeigt, was daraus geworden ist.",
			"Er gilt 90 Tage."}},
		portuguese: {subject: "Seu pagamento a {merchant}", link: "Ver o pagamento", lines: []string{
			"O seu pagamento de {about} a {merchant} não foi concluído até agora. O link mostra a situação atual.",
			"Ele vale por 90 dias."}},
	}
	ofUnrefunded = map[string]text{
		english: {subject: "Your refund from {merchant}", link: "Show the refund", lines: []string{
			"The refund of {about} by {merchant} has not been completed so far. The link shows what has become of it.",
			"It is valid for 90 days."}},
		german: {subject: "Ihre Erstattung von {merchant}", link: "Erstattung ansehen", lines: []string{
			"Die Erstattung von {about} durch {merchant} ist bisher nicht abgeschlossen. Der Link zeigt, was daraus " +
				"geworden ist.",
			"Er gilt 90 Tage."}},
		portuguese: {subject: "Seu reembolso de {merchant}", link: "Ver o reembolso", lines: []string{
			"O reembolso de {about} por {merchant} não foi concluído até agora. O link mostra a situação atual.",
			"Ele vale por 90 dias."}},
	}
)

// nothingMoved begins a mail with a receipt of test mode.
var nothingMoved = map[string]string{
	english:    "This is a test: no money has moved.",
	german:     "Dies ist ein Test: Es ist kein Geld geflossen.",
	portuguese: "Isto é um teste: nenhum dinheiro foi movimentado.",
}
