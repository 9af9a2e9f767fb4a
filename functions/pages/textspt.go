package pages

import "github.com/cashwrap/cashwrap/shared/page"

var inPortuguese = texts{
	language: page.Portuguese,
	date:     "02/01/2006",
	testMode: page.TestMode.Portuguese,
	title:    "Pagamento a {merchant}",
	how:      "Como você quer pagar?",
	pay:      "Pagar {amount}",
	save:     "Salvar cartão",
	consent: "Ao continuar, você permite que {merchant} guarde este cartão e faça nele cobranças futuras, também sem a " +
		"sua presença. Você pode encerrar isso a qualquer momento falando com {merchant}.",
	leads:  "Você irá para {method} para confirmar o pagamento.",
	boleto: "Você recebe um boleto, que pode pagar em qualquer banco ou no aplicativo do seu banco.",
	pix:    "Você recebe um QR code e um código para copiar, que pode pagar no aplicativo do seu banco.",

	card:   "Cartão",
	expiry: "Validade",
	yy:     "AA",

	fields: map[string]fieldText{
		fieldCardNumber:   {"Número do cartão", "", "Digite o número do cartão.", "Este número de cartão não é válido."},
		fieldExpiryMonth:  {"Validade: mês", "", "Obrigatório.", "De 01 a 12."},
		fieldExpiryYear:   {"Validade: ano", "", "Obrigatório.", "Inválido ou vencido."},
		fieldCVV:          {"CVV", "", "Obrigatório.", "3 ou 4 dígitos."},
		fieldCardName:     {"Nome no cartão", "", "Digite o nome como está no cartão.", "Este nome não é válido."},
		fieldZipCode:      {"ZIP code", "", "Digite o seu ZIP code.", "Um ZIP code tem 5 dígitos."},
		fieldInstallments: {"Parcelas", "", "Escolha um número.", "Este número de parcelas não é possível."},
		fieldFirstName:    {"Nome", "", "Digite o seu nome.", "Este nome não é válido."},
		fieldLastName:     {"Sobrenome", "", "Digite o seu sobrenome.", "Este sobrenome não é válido."},
		fieldEmail:        {"E-mail", "", "Digite o seu e-mail.", "Este e-mail não é válido."},
		fieldTaxID:        {"CPF", "11 dígitos.", "Digite o seu CPF.", "Este CPF não é válido."},
		fieldCountry:      {"País", "", "Escolha o seu país.", "Este país não é possível aqui."},
		fieldLine1:        {"Endereço", "", "Digite o seu endereço.", "Este endereço não é válido."},
		fieldCity:         {"Cidade", "", "Digite a sua cidade.", "Esta cidade não é válida."},
		fieldPostalCode:   {"CEP", "", "Digite o seu CEP.", "Este CEP não é válido."},
		fieldState:        {"Estado", "", "Escolha o seu estado.", "Este estado não é válido."},
	},
	choose: "Escolha",
	once:   "À vista",
	times:  "{n} parcelas",
	secure: "Os dados do seu cartão são enviados com criptografia e não ficam guardados neste aparelho.",

	alerts: map[alert]string{
		alertDeclined:    "O pagamento foi recusado. Nada foi cobrado. Tente de novo ou pague de outra forma.",
		alertFields:      "Confira os campos marcados.",
		alertAgain:       "A página estava desatualizada. Nada foi cobrado. Tente de novo.",
		alertTooMany:     "Houve tentativas demais. Nada foi cobrado. Tente de novo em {time}.",
		alertUnavailable: "Não foi possível fazer o pagamento agora. Nada foi cobrado. Tente de novo.",
		alertRefused:     "Não é possível pagar desta forma. Nada foi cobrado.",
	},
	offline: "Não há conexão, ou não veio resposta. Aperte o botão de novo: você não será cobrado duas vezes.",
	paying:  "Pagando…", inTransit: "Um momento…",
	checkAgain: "Verificar de novo",

	challenge: note{"Confirme o seu pagamento", "O banco do seu cartão pede que você confirme o pagamento. Depois você " +
		"volta para cá."},
	framed: note{"Confirme o seu pagamento", "O banco do seu cartão pede que você confirme o pagamento."},
	redirect: note{"Conclua o seu pagamento", "Confirme o pagamento na próxima página. Se já fez isso, espere aqui um " +
		"momento."},
	processing: note{"O seu pagamento está sendo processado", "Isso pode demorar um pouco. Você pode deixar esta página " +
		"aberta; não pague de novo."},
	paid:           note{"Pagamento concluído", "Obrigado. {merchant} já foi informado."},
	ended:          note{"Este pagamento terminou ou está sendo feito em outro lugar", "Você pode fechar esta página."},
	sessionExpired: note{"A sua sessão expirou", "Para a sua segurança, a página fica aberta só por 30 minutos."},
	expired:        note{"Este pagamento expirou", "O prazo para pagar terminou. Peça um novo link a {merchant}."},

	toIssuer: "Continuar para o seu banco",
	onwards:  "Continuar",
	another:  "Pagar de outra forma",
	restart:  "Começar de novo",
	back:     "Voltar para {merchant}",

	boletoCode: note{"Pague o boleto", "Pague em qualquer banco ou no aplicativo do seu banco. Esta página mostra " +
		"quando ele estiver pago, o que pode levar alguns dias."},
	pixCode: note{"Pague com Pix", "Escaneie o QR code com o aplicativo do seu banco ou copie e cole o código nele. " +
		"Esta página mostra quando ele estiver pago."},
	boletoImage: "Código de barras do boleto. Os mesmos números seguem como texto.",
	pixImage:    "QR code. O mesmo código segue como texto.",
	boletoLine:  "Linha digitável",
	pixLine:     "Pix copia e cola",
	until:       "Pagar até {until}.",
	copy:        "Copiar",
	copied:      "Copiado.",
	printIt:     "Abrir o boleto para imprimir",
}
