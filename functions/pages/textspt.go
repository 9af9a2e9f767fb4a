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
	consent: "Ao continuar, você permite que {merchant} salve este cartão e faça cobranças futuras nele, mesmo sem a " +
		"sua presença. Você pode cancelar esta autorização a qualquer momento entrando em contato com {merchant}.",
	leads:  "Você será direcionado para {method} para confirmar o pagamento.",
	boleto: "Você vai receber um boleto para pagar em qualquer banco ou no aplicativo do seu banco.",
	pix:    "Você vai receber um QR code e um código para copiar. Use um dos dois no aplicativo do seu banco.",

	card:   "Cartão",
	expiry: "Validade",
	yy:     "AA",

	fields: map[string]fieldText{
		fieldCardNumber:   {"Número do cartão", "", "Digite o número do cartão.", "Este número de cartão não é válido."},
		fieldExpiryMonth:  {"Validade: mês", "", "Obrigatório.", "De 01 a 12."},
		fieldExpiryYear:   {"Validade: ano", "", "Obrigatório.", "Inválido ou vencido."},
		fieldCVV:          {"CVV", "", "Obrigatório.", "3 ou 4 dígitos."},
		fieldCardName:     {"Nome no cartão", "", "Digite o nome como aparece no cartão.", "Este nome não é válido."},
		fieldZipCode:      {"ZIP code", "", "Digite o seu ZIP code.", "Um ZIP code tem 5 dígitos."},
		fieldInstallments: {"Parcelas", "", "Escolha um número.", "Este número de parcelas não está disponível."},
		fieldFirstName:    {"Nome", "", "Digite o seu nome.", "Este nome não é válido."},
		fieldLastName:     {"Sobrenome", "", "Digite o seu sobrenome.", "Este sobrenome não é válido."},
		fieldEmail:        {"E-mail", "", "Digite o seu e-mail.", "Este e-mail não é válido."},
		fieldTaxID:        {"CPF", "11 dígitos.", "Digite o seu CPF.", "Este CPF não é válido."},
		fieldCountry:      {"País", "", "Escolha o seu país.", "Este país não está disponível."},
		fieldLine1:        {"Endereço", "", "Digite o seu endereço.", "Este endereço não é válido."},
		fieldCity:         {"Cidade", "", "Digite a sua cidade.", "Esta cidade não é válida."},
		fieldPostalCode:   {"CEP", "", "Digite o seu CEP.", "Este CEP não é válido."},
		fieldState:        {"Estado", "", "Escolha o seu estado.", "Este estado não é válido."},
	},
	choose: "Escolha",
	once:   "À vista",
	times:  "{n} parcelas",
	secure: "Os dados do seu cartão são enviados com criptografia e não ficam salvos neste aparelho.",

	alerts: map[alert]string{
		alertDeclined:    "O pagamento foi recusado. Nada foi cobrado. Tente de novo ou pague de outra forma.",
		alertFields:      "Confira os campos marcados.",
		alertAgain:       "Esta página estava desatualizada. Nada foi cobrado. Tente de novo.",
		alertTooMany:     "Muitas tentativas. Nada foi cobrado. Tente de novo em {time}.",
		alertUnavailable: "Não foi possível fazer o pagamento agora. Nada foi cobrado. Tente de novo.",
		alertRefused:     "Não é possível pagar desta forma. Nada foi cobrado.",
	},
	offline: "A conexão falhou ou a resposta não chegou. Clique no botão de novo: não haverá cobrança em dobro.",
	paying:  "Pagando…", inTransit: "Um momento…",
	checkAgain: "Verificar de novo",

	challenge: note{"Confirme o seu pagamento", "O seu banco pede que você confirme o pagamento. Depois você volta para " +
		"esta página."},
	framed: note{"Confirme o seu pagamento", "O seu banco pede que você confirme o pagamento."},
	redirect: note{"Conclua o seu pagamento", "Confirme o pagamento na próxima página. Se você já confirmou, aguarde um " +
		"momento aqui."},
	processing: note{"O seu pagamento está sendo processado", "Isso pode demorar um pouco. Você pode deixar esta página " +
		"aberta. Não pague de novo."},
	paid:           note{"Pagamento concluído", "Obrigado. Já avisamos {merchant}."},
	ended:          note{"Este pagamento terminou ou está em andamento em outro lugar", "Você pode fechar esta página."},
	sessionExpired: note{"A sua sessão expirou", "Para a sua segurança, esta página fica aberta por apenas 30 minutos."},
	expired:        note{"Este pagamento expirou", "O prazo para pagar terminou. Peça um novo link a {merchant}."},

	toIssuer: "Continuar para o seu banco",
	onwards:  "Continuar",
	another:  "Pagar de outra forma",
	restart:  "Começar de novo",
	back:     "Voltar para {merchant}",

	boletoCode: note{"Pague o boleto", "Pague em qualquer banco ou no aplicativo do seu banco. Esta página avisa quando " +
		"o pagamento for confirmado. Isso pode levar alguns dias."},
	pixCode: note{"Pague com Pix", "Escaneie o QR code com o aplicativo do seu banco ou copie o código e cole no " +
		"aplicativo. Esta página avisa quando o pagamento for confirmado."},
	boletoImage: "Código de barras do boleto. O mesmo número aparece a seguir em texto.",
	pixImage:    "QR code. O mesmo código aparece a seguir em texto.",
	boletoLine:  "Linha digitável",
	pixLine:     "Pix copia e cola",
	until:       "Pague até {until}.",
	copy:        "Copiar",
	copied:      "Copiado.",
	printIt:     "Abrir o boleto para imprimir",
}
