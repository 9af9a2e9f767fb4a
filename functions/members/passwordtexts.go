package members

import "github.com/cashwrap/cashwrap/shared/page"

// passwordTexts has the texts of the pages about a forgotten password in one language. {email} is the user's address.
type passwordTexts struct {
	language page.Language

	askTitle string
	ask      string // says what happens
	email    string // label
	send     string // button
	managed  string // says who else can set a password
	signIn   string // link

	sentTitle string
	sent      string // says that the link comes if the address is known
	none      string // says what to do if no mail comes

	setTitle string
	setFor   string // names the user
	set      string // label of the new password
	hint     string // gives the length of a new password
	save     string // button

	usedTitle string
	used      string // says that the user can sign in, and that all sessions have ended

	goneTitle string
	gone      string // says why a link is invalid
	again     string // link to ask for another link

	problems map[problem]string
}

func (v passwordView) fill(text string) string { return page.Fill(text, "{email}", v.Email) }

var passwordIn = page.Texts[passwordTexts]{English: passwordInEnglish, German: passwordInGerman,
	Portuguese: passwordInPortuguese}

var passwordInEnglish = passwordTexts{
	language: page.English,

	askTitle: "Forgotten your password?",
	ask:      "Enter the e-mail address that you sign in with. We will send you a link to choose a new password.",
	email:    "E-mail",
	send:     "Send the link",
	managed:  "If your employer created your account, ask your employer for a new password.",
	signIn:   "Sign in",

	sentTitle: "Check your e-mails",
	sent:      "If an account has this address, a mail with a link is on its way. The link is valid for 30 minutes.",
	none:      "No mail after a few minutes? Look into your spam folder, and check the address.",

	setTitle: "Choose a new password",
	setFor:   "You sign in as {email}. All open sessions will end.",
	set:      "New password",
	hint:     "12 to 256 characters.",
	save:     "Save the password",

	usedTitle: "Your new password is set",
	used:      "Sign in as {email} with your new password.",

	goneTitle: "This link does not work any more",
	gone:      "It was used already, has expired, or a later password has replaced it.",
	again:     "Ask for a new link",

	problems: map[problem]string{
		problemForm:    inEnglish.problems[problemForm],
		problemCommon:  inEnglish.problems[problemCommon],
		problemAgain:   inEnglish.problems[problemAgain],
		problemBefore:  "You have used this password before. Choose another password.",
		problemAddress: "Enter an e-mail address, such as ada@example.com.",
	},
}

var passwordInGerman = passwordTexts{
	language: page.German,

	askTitle: "Passwort vergessen?",
	ask: "Geben Sie die E-Mail-Adresse ein, mit der Sie sich anmelden. Wir schicken Ihnen einen Link, mit dem Sie ein " +
		"neues Passwort wählen.",
	email:   "E-Mail",
	send:    "Link schicken",
	managed: "Hat Ihr Arbeitgeber Ihr Konto angelegt? Dann bekommen Sie das neue Passwort von ihm.",
	signIn:  "Anmelden",

	sentTitle: "Prüfen Sie Ihr Postfach",
	sent:      "Wenn es ein Konto mit dieser Adresse gibt, ist eine E-Mail mit einem Link unterwegs. Er gilt 30 Minuten.",
	none:      "Auch nach einigen Minuten nichts angekommen? Sehen Sie im Spam-Ordner nach und prüfen Sie die Adresse.",

	setTitle: "Neues Passwort wählen",
	setFor:   "Sie melden sich als {email} an. Alle offenen Sitzungen werden beendet.",
	set:      "Neues Passwort",
	hint:     "12 bis 256 Zeichen.",
	save:     "Passwort speichern",

	usedTitle: "Ihr neues Passwort ist gespeichert",
	used:      "Melden Sie sich als {email} mit Ihrem neuen Passwort an.",

	goneTitle: "Dieser Link funktioniert nicht mehr",
	gone:      "Er wurde schon benutzt, ist abgelaufen, oder inzwischen wurde ein anderes Passwort gesetzt.",
	again:     "Neuen Link anfordern",

	problems: map[problem]string{
		problemForm:    inGerman.problems[problemForm],
		problemCommon:  inGerman.problems[problemCommon],
		problemAgain:   inGerman.problems[problemAgain],
		problemBefore:  "Dieses Passwort hatten Sie schon einmal. Wählen Sie ein anderes.",
		problemAddress: "Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.com.",
	},
}

var passwordInPortuguese = passwordTexts{
	language: page.Portuguese,

	askTitle: "Esqueceu a senha?",
	ask:      "Digite o e-mail que você usa para entrar. Vamos enviar um link para você escolher uma nova senha.",
	email:    "E-mail",
	send:     "Enviar o link",
	managed:  "Se a sua conta foi criada pela empresa em que você trabalha, peça a ela uma nova senha.",
	signIn:   "Entrar",

	sentTitle: "Confira o seu e-mail",
	sent:      "Se houver uma conta com esse endereço, um e-mail com um link está a caminho. O link vale por 30 minutos.",
	none:      "Não chegou nada depois de alguns minutos? Verifique a pasta de spam e confira o endereço.",

	setTitle: "Escolha uma nova senha",
	setFor:   "Você entra como {email}. Todas as sessões abertas serão encerradas.",
	set:      "Nova senha",
	hint:     "De 12 a 256 caracteres.",
	save:     "Salvar a senha",

	usedTitle: "Sua nova senha foi salva",
	used:      "Entre como {email} com a nova senha.",

	goneTitle: "Este link não funciona mais",
	gone:      "Ele já foi usado, expirou ou deixou de valer porque uma nova senha foi definida.",
	again:     "Pedir um novo link",

	problems: map[problem]string{
		problemForm:    inPortuguese.problems[problemForm],
		problemCommon:  inPortuguese.problems[problemCommon],
		problemAgain:   inPortuguese.problems[problemAgain],
		problemBefore:  "Você já usou esta senha. Escolha outra.",
		problemAddress: "Digite um e-mail, por exemplo ada@example.com.",
	},
}
