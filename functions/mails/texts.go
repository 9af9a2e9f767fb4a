package mails

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/cashwrap/cashwrap/shared/mail"
)

// The languages of mails (BCP 47).
const (
	english    = "en"
	german     = "de"
	portuguese = "pt"
)

// text is a mail in one language. In the subject and the lines, {merchant} stands for the merchant's name and {about}
// for Mail.About: a key's name, the end of a bank account's number, an amount, an account's name, or a member's address
// and keys.
type text struct {
	subject string
	lines   []string
	link    string // label of the link, if the mail has one
}

// footer ends each mail.
var footer = map[string]string{
	english:    "This is an automatic message about {merchant}. Please do not reply.",
	german:     "Dies ist eine automatische Nachricht zu {merchant}. Bitte antworten Sie nicht darauf.",
	portuguese: "Esta é uma mensagem automática sobre {merchant}. Não responda.",
}

// trial begins the subject of a mail about test mode.
var trial = map[string]string{english: "[Test] ", german: "[Test] ", portuguese: "[Teste] "}

var texts = map[mail.Kind]map[string]text{
	mail.Invitation: {
		english: {subject: "Invitation from {merchant}", link: "Accept the invitation", lines: []string{
			"{merchant} invites you to join its team.",
			"To accept, open the link and choose a password. The link is valid for 7 days.",
			"If you did not expect this invitation, you can ignore this message."}},
		german: {subject: "Einladung von {merchant}", link: "Einladung annehmen", lines: []string{
			"{merchant} lädt Sie ein, im Team mitzuarbeiten.",
			"Um die Einladung anzunehmen, öffnen Sie den Link und wählen Sie ein Passwort. Der Link ist 7 Tage gültig.",
			"Wenn Sie diese Einladung nicht erwartet haben, können Sie diese Nachricht ignorieren."}},
		portuguese: {subject: "Convite de {merchant}", link: "Aceitar o convite", lines: []string{
			"{merchant} convida você a fazer parte da equipe.",
			"Para aceitar, abra o link e escolha uma senha. O link vale por 7 dias.",
			"Se você não esperava este convite, pode ignorar esta mensagem."}},
	},
	mail.PasswordLink: {
		english: {subject: "Choose a new password", link: "Choose a new password", lines: []string{
			"Someone, probably you, asked for a new password for {about}. You use it to sign in for {merchant}.",
			"Open the link to choose one. The link is valid for 30 minutes and works once.",
			"If it was not you, do nothing: your password stays as it is."}},
		german: {subject: "Neues Passwort wählen", link: "Neues Passwort wählen", lines: []string{
			"Jemand, vermutlich Sie selbst, hat für {about} ein neues Passwort angefordert. Damit melden Sie sich bei " +
				"{merchant} an.",
			"Öffnen Sie den Link, um ein Passwort zu wählen. Der Link ist 30 Minuten gültig und funktioniert nur einmal.",
			"Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist."}},
		portuguese: {subject: "Escolha uma nova senha", link: "Escolher uma nova senha", lines: []string{
			"Alguém, provavelmente você, pediu uma nova senha para {about}. É com ela que você entra na conta de " +
				"{merchant}.",
			"Abra o link para escolher a senha. O link vale por 30 minutos e funciona uma única vez.",
			"Se não foi você, não precisa fazer nada: a sua senha continua a mesma."}},
	},
	mail.FirstPassword: {
		english: {subject: "Welcome: {merchant} is set up", link: "Choose your password", lines: []string{
			"The account of {merchant} is ready, and {about} is its owner.",
			"Open the link to choose your password. The link is valid for 7 days and works once.",
			"If the link has expired, ask us for a password."}},
		german: {subject: "Willkommen: {merchant} ist eingerichtet", link: "Passwort wählen", lines: []string{
			"Das Konto von {merchant} ist bereit und auf {about} eingetragen.",
			"Öffnen Sie den Link, um Ihr Passwort zu wählen. Der Link ist 7 Tage gültig und funktioniert nur einmal.",
			"Wenn der Link abgelaufen ist, bitten Sie uns um ein Passwort."}},
		portuguese: {subject: "Boas-vindas: a conta de {merchant} está pronta", link: "Escolher a senha", lines: []string{
			"A conta de {merchant} está pronta, e {about} é o titular.",
			"Abra o link para escolher a sua senha. O link vale por 7 dias e funciona uma única vez.",
			"Se o link tiver expirado, fale conosco para receber uma senha."}},
	},
	mail.PasswordChanged: {
		english: {subject: "Your password was changed", lines: []string{
			"The password of {about} was changed. You use it to sign in for {merchant}. All sessions have ended.",
			"If it was not you, another person can read your e-mails. Secure your mailbox first, then choose “Forgotten your " +
				"password?” on the page to sign in."}},
		german: {subject: "Ihr Passwort wurde geändert", lines: []string{
			"Das Passwort von {about} wurde geändert. Damit melden Sie sich bei {merchant} an. Alle Sitzungen sind beendet.",
			"Wenn Sie das nicht waren, kann jemand anderes Ihre E-Mails lesen. Schützen Sie zuerst Ihr Postfach und wählen " +
				"Sie dann auf der Anmeldeseite „Passwort vergessen?“."}},
		portuguese: {subject: "Sua senha foi alterada", lines: []string{
			"A senha de {about} foi alterada. É com ela que você entra na conta de {merchant}. Todas as sessões foram " +
				"encerradas.",
			"Se não foi você, outra pessoa consegue ler os seus e-mails. Primeiro proteja a sua conta de e-mail; depois " +
				"escolha “Esqueceu a senha?” na página de login."}},
	},
	mail.AccountDisabled: {
		english: {subject: "Your account at {merchant} is disabled", lines: []string{
			"Your account at {merchant} has been disabled. You can no longer sign in.",
			"If you have questions, please contact {merchant}."}},
		german: {subject: "Ihr Konto bei {merchant} ist gesperrt", lines: []string{
			"Ihr Konto bei {merchant} wurde gesperrt. Sie können sich nicht mehr anmelden.",
			"Bei Fragen wenden Sie sich bitte an {merchant}."}},
		portuguese: {subject: "Sua conta em {merchant} foi desativada", lines: []string{
			"Sua conta em {merchant} foi desativada. Você não pode mais entrar.",
			"Em caso de dúvida, entre em contato com {merchant}."}},
	},
	mail.WrongCodes: {
		english: {subject: "Wrong codes for your account at {merchant}", lines: []string{
			"Ten wrong codes in a row were entered for the second factor of {about}.",
			"If that was not you, another person knows your password. Get a new password immediately: from {merchant} if " +
				"{merchant} created your account, otherwise from us.",
			"After twenty wrong codes, you need a recovery code or a new password to sign in."}},
		german: {subject: "Falsche Codes für Ihr Konto bei {merchant}", lines: []string{
			"Für den zweiten Faktor von {about} wurden zehn falsche Codes hintereinander eingegeben.",
			"Wenn Sie das nicht waren, kennt jemand anderes Ihr Passwort. Lassen Sie sich sofort ein neues geben: von " +
				"{merchant}, wenn {merchant} Ihr Konto angelegt hat, sonst von uns.",
			"Nach zwanzig falschen Codes können Sie sich nur noch mit einem Wiederherstellungscode oder einem neuen " +
				"Passwort anmelden."}},
		portuguese: {subject: "Códigos errados para a sua conta em {merchant}", lines: []string{
			"Foram digitados dez códigos errados seguidos para o segundo fator de {about}.",
			"Se não foi você, outra pessoa sabe a sua senha. Peça uma nova senha imediatamente: a {merchant}, se {merchant} " +
				"criou a sua conta; caso contrário, a nós.",
			"Depois de vinte códigos errados, só será possível entrar com um código de recuperação ou uma nova senha."}},
	},
	mail.NewAPIKey: {
		english: {subject: "A new API key for {merchant}", lines: []string{
			"A new API key has been created for {merchant}: {about}.",
			"If neither you nor a colleague did this, delete the key immediately."}},
		german: {subject: "Neuer API-Schlüssel für {merchant}", lines: []string{
			"Für {merchant} wurde ein neuer API-Schlüssel angelegt: {about}.",
			"Wenn das weder Sie noch Ihre Kollegen waren, löschen Sie den Schlüssel sofort."}},
		portuguese: {subject: "Nova chave de API de {merchant}", lines: []string{
			"Uma nova chave de API foi criada para {merchant}: {about}.",
			"Se não foi você nem alguém da sua equipe, exclua a chave imediatamente."}},
	},
	mail.BankAccountChanged: {
		english: {subject: "The bank account of {merchant} has changed", lines: []string{
			"The primary bank account of {merchant} is now the account ending in {about}.",
			"Payouts go to this account as soon as it is verified.",
			"If neither you nor a colleague did this, contact us immediately."}},
		german: {subject: "Bankkonto von {merchant} geändert", lines: []string{
			"Das Hauptbankkonto von {merchant} ist jetzt das Konto mit der Endung {about}.",
			"Auszahlungen gehen auf dieses Konto, sobald es geprüft ist.",
			"Wenn das weder Sie noch Ihre Kollegen waren, melden Sie sich sofort bei uns."}},
		portuguese: {subject: "A conta bancária de {merchant} mudou", lines: []string{
			"A conta bancária principal de {merchant} agora é a conta que termina em {about}.",
			"Os repasses vão para essa conta assim que ela for verificada.",
			"Se não foi você nem alguém da sua equipe, fale conosco imediatamente."}},
	},
	mail.MemberKeysEnded: {
		english: {subject: "API keys of {merchant} no longer work", lines: []string{
			"A member of {merchant} was disabled or removed. The API keys that this member created no longer work.",
			"{about}",
			"If one of your programs used one of these keys, create a new key for it."}},
		german: {subject: "API-Schlüssel von {merchant} gelten nicht mehr", lines: []string{
			"Ein Mitglied von {merchant} wurde gesperrt oder entfernt. Die API-Schlüssel, die dieses Mitglied angelegt hat, " +
				"gelten nicht mehr.",
			"{about}",
			"Wenn eines Ihrer Programme einen dieser Schlüssel benutzt hat, legen Sie dafür einen neuen an."}},
		portuguese: {subject: "Chaves de API de {merchant} não funcionam mais", lines: []string{
			"Um membro de {merchant} foi desativado ou removido. As chaves de API que esse membro criou não funcionam mais.",
			"{about}",
			"Se um dos seus sistemas usava uma dessas chaves, crie outra para ele."}},
	},
	mail.MemberKeysKept: {
		english: {subject: "API keys of a former member of {merchant} still work", lines: []string{
			"A member of {merchant} was disabled or removed. The API keys that this member created still work.",
			"{about}",
			"A person who has a copy of one of these keys can still use it. To prevent that, replace and delete the keys."}},
		german: {subject: "API-Schlüssel eines früheren Mitglieds von {merchant} gelten weiter", lines: []string{
			"Ein Mitglied von {merchant} wurde gesperrt oder entfernt. Die API-Schlüssel, die dieses Mitglied angelegt hat, " +
				"gelten weiter.",
			"{about}",
			"Wer eine Kopie eines dieser Schlüssel hat, kann ihn weiter benutzen. Um das zu verhindern, ersetzen und löschen " +
				"Sie die Schlüssel."}},
		portuguese: {subject: "Chaves de API de um antigo membro de {merchant} ainda funcionam", lines: []string{
			"Um membro de {merchant} foi desativado ou removido. As chaves de API que esse membro criou ainda funcionam.",
			"{about}",
			"Quem tem uma cópia de uma dessas chaves ainda pode usá-la. Para impedir isso, substitua e exclua as chaves."}},
	},
	mail.SignInBlocked: {
		english: {subject: "Many attempts to sign in as {about}", lines: []string{
			"Many passwords were tried for the account {about}. For a while, new browsers cannot sign in to this account.",
			"Browsers and networks that {about} has used before can still sign in, until the password is changed.",
			"If the attempts were not made by {about}, change the password once they have stopped."}},
		german: {subject: "Viele Versuche, sich als {about} anzumelden", lines: []string{
			"Für das Konto {about} wurden viele Passwörter ausprobiert. Mit einem neuen Browser ist dort eine Zeit lang " +
				"keine Anmeldung möglich.",
			"Mit Browsern und aus Netzen, die {about} schon benutzt hat, ist die Anmeldung weiter möglich, bis das Passwort " +
				"geändert wird.",
			"Wenn die Versuche nicht von {about} stammen, ändern Sie das Passwort, sobald sie aufgehört haben."}},
		portuguese: {subject: "Muitas tentativas de entrar como {about}", lines: []string{
			"Houve muitas tentativas de senha para a conta {about}. Por algum tempo, não é possível entrar nessa conta com um " +
				"navegador novo.",
			"Nos navegadores e nas redes que {about} já usou, ainda é possível entrar, até que a senha seja trocada.",
			"Se não foi {about} quem fez as tentativas, troque a senha quando elas pararem."}},
	},
	mail.Receipt:       ofPayment,
	mail.RefundReceipt: ofRefund,
	mail.PaymentState:  ofUnpaid,
	mail.RefundState:   ofUnrefunded,
}

type letter struct {
	kind     mail.Kind
	language string
	merchant string
	about    string
	link     string
	test     bool // the mail is about test mode
}

// Limits of a name and of a list of names in a mail, in characters.
const (
	longestName = 80
	longestList = 1000
)

// render returns the letter as a message, without its id and recipient.
func (l letter) render(ctx context.Context) (mail.Message, error) {
	t, known := texts[l.kind][l.language]
	if !known { // of a later release; the outbox tries again
		return mail.Message{}, fmt.Errorf("mails: no text of kind %q", l.kind)
	}
	most := longestName
	if l.kind.Lists() {
		most = longestList
	}
	fill := strings.NewReplacer("{merchant}", shorten(l.merchant, longestName), "{about}", shorten(l.about, most)).Replace
	subject := fill(t.subject)
	if l.test {
		subject = trial[l.language] + subject
	}
	var lines []string
	if l.test && l.kind.OfReceipt() {
		lines = append(lines, nothingMoved[l.language])
	}
	for _, line := range t.lines {
		lines = append(lines, fill(line))
	}
	end := fill(footer[l.language])
	parts := lines
	if l.link != "" {
		parts = append(parts[:len(parts):len(parts)], t.link+": "+l.link)
	}
	m := mail.Message{Subject: subject, Text: strings.Join(append(parts, "-- \n"+end), "\n\n") + "\n"}
	var page bytes.Buffer
	//nolint:contextcheck // the component that body returns gets ctx from Render
	err := body(sheet{l.language, subject, lines, t.link, l.link, end}).Render(ctx, &page)
	m.HTML = page.String()
	return m, err
}

// shorten returns the name on one line. If the name has more characters than the limit most, shorten cuts the name and
// ends it with "…", within the limit.
func shorten(name string, most int) string {
	runes := []rune(oneLine(name))
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	return string(runes)
}

// oneLine removes characters that could begin another line or header, or change the direction of text.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	}), " ")
}

// Texts of mails with a link to a receipt. {about} is the receipt's amount.
var (
	ofPayment = map[string]text{
		english: {subject: "Your receipt from {merchant}", link: "Show the receipt", lines: []string{
			"The link shows the receipt for your payment of {about} to {merchant}.",
			"The link is valid for 90 days."}},
		german: {subject: "Ihr Beleg von {merchant}", link: "Beleg ansehen", lines: []string{
			"Der Link führt zum Beleg über Ihre Zahlung von {about} an {merchant}.",
			"Der Link ist 90 Tage gültig."}},
		portuguese: {subject: "Seu comprovante de {merchant}", link: "Ver o comprovante", lines: []string{
			"O link mostra o comprovante do seu pagamento de {about} a {merchant}.",
			"O link vale por 90 dias."}},
	}
	ofRefund = map[string]text{
		english: {subject: "Your refund from {merchant}", link: "Show the receipt", lines: []string{
			"The link shows the receipt for the refund of {about} by {merchant}.",
			"The link is valid for 90 days."}},
		german: {subject: "Ihre Erstattung von {merchant}", link: "Beleg ansehen", lines: []string{
			"Der Link führt zum Beleg über die Erstattung von {about} durch {merchant}.",
			"Der Link ist 90 Tage gültig."}},
		portuguese: {subject: "Seu reembolso de {merchant}", link: "Ver o comprovante", lines: []string{
			"O link mostra o comprovante do reembolso de {about} feito por {merchant}.",
			"O link vale por 90 dias."}},
	}
	ofUnpaid = map[string]text{
		english: {subject: "Your payment to {merchant}", link: "Show the payment", lines: []string{
			"Your payment of {about} to {merchant} has not been completed so far. The link shows its current status.",
			"The link is valid for 90 days."}},
		german: {subject: "Ihre Zahlung an {merchant}", link: "Zahlung ansehen", lines: []string{
			"Ihre Zahlung von {about} an {merchant} ist bisher nicht abgeschlossen. Der Link zeigt den aktuellen Stand.",
			"Der Link ist 90 Tage gültig."}},
		portuguese: {subject: "Seu pagamento a {merchant}", link: "Ver o pagamento", lines: []string{
			"O seu pagamento de {about} a {merchant} não foi concluído até agora. O link mostra a situação atual.",
			"O link vale por 90 dias."}},
	}
	ofUnrefunded = map[string]text{
		english: {subject: "Your refund from {merchant}", link: "Show the refund", lines: []string{
			"The refund of {about} by {merchant} has not been completed so far. The link shows its current status.",
			"The link is valid for 90 days."}},
		german: {subject: "Ihre Erstattung von {merchant}", link: "Erstattung ansehen", lines: []string{
			"Die Erstattung von {about} durch {merchant} ist bisher nicht abgeschlossen. Der Link zeigt den aktuellen Stand.",
			"Der Link ist 90 Tage gültig."}},
		portuguese: {subject: "Seu reembolso de {merchant}", link: "Ver o reembolso", lines: []string{
			"O reembolso de {about} por {merchant} não foi concluído até agora. O link mostra a situação atual.",
			"O link vale por 90 dias."}},
	}
)

// nothingMoved begins a mail with a receipt of test mode.
var nothingMoved = map[string]string{
	english:    "This is a test: no money has moved.",
	german:     "Dies ist ein Test: Es ist kein Geld geflossen.",
	portuguese: "Isto é um teste: nenhum dinheiro foi movimentado.",
}
