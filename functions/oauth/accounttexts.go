package oauth

import "github.com/cashwrap/cashwrap/shared/page"

// accountTexts has the texts of an account's page in one language. {minutes} is a number; {since} and {used} are dates.
type accountTexts struct {
	accountTitle string
	renew        string // link to the page that mails a link to set a password

	sessionsTitle  string // heading
	sessionsText   string // says what ending a session does
	unknownBrowser string // stands for a browser without a known name
	thisBrowser    string // marks the session of the browser that shows the page
	awaitsCode     string // marks a session that still lacks the second factor
	justNow        string // says that a session began less than a minute ago
	minutesAgo     string // says how long ago a session began
	end            string // button
	endOthers      string // button

	appsTitle    string // heading
	appsText     string // says what revoking a client does
	noApps       string // says that there are no clients
	allowedSince string // says since when a client may act, and when it last did
	revoke       string // button
}

var accountIn = page.Texts[accountTexts]{
	English: accountTexts{
		accountTitle: "Your account",
		renew:        "Get a new password",

		sessionsTitle: "Signed-in browsers",
		sessionsText: "If you do not recognise one of them, sign it out and get a new password. Each sign-in lasts at most " +
			"one hour.",
		unknownBrowser: "Unknown browser",
		thisBrowser:    "This browser.",
		awaitsCode:     "Waiting for the second factor.",
		justNow:        "Signed in just now.",
		minutesAgo:     "Signed in {minutes} min ago.",
		end:            "Sign out",
		endOthers:      "Sign out all other browsers",

		appsTitle:    "Applications",
		appsText:     "You have allowed these applications to act on your behalf.",
		noApps:       "You have not allowed any application to act on your behalf.",
		allowedSince: "Allowed since {since}, last used on {used}",
		revoke:       "Revoke",
	},
	German: accountTexts{
		accountTitle: "Ihr Konto",
		renew:        "Neues Passwort anfordern",

		sessionsTitle: "Angemeldete Browser",
		sessionsText: "Wenn Sie einen davon nicht erkennen, melden Sie ihn ab und lassen Sie sich ein neues Passwort " +
			"geben. Jede Anmeldung gilt höchstens eine Stunde.",
		unknownBrowser: "Unbekannter Browser",
		thisBrowser:    "Dieser Browser.",
		awaitsCode:     "Wartet auf den zweiten Faktor.",
		justNow:        "Gerade eben angemeldet.",
		minutesAgo:     "Vor {minutes} Min. angemeldet.",
		end:            "Abmelden",
		endOthers:      "Alle anderen Browser abmelden",

		appsTitle:    "Anwendungen",
		appsText:     "Diesen Anwendungen haben Sie erlaubt, in Ihrem Namen zu handeln.",
		noApps:       "Sie haben keiner Anwendung erlaubt, in Ihrem Namen zu handeln.",
		allowedSince: "Erlaubt seit {since}, zuletzt genutzt am {used}",
		revoke:       "Widerrufen",
	},
	Portuguese: accountTexts{
		accountTitle: "Sua conta",
		renew:        "Trocar a senha",

		sessionsTitle: "Navegadores conectados",
		sessionsText: "Se você não reconhecer algum deles, encerre o acesso e peça uma nova senha. Cada acesso dura no " +
			"máximo uma hora.",
		unknownBrowser: "Navegador desconhecido",
		thisBrowser:    "Este navegador.",
		awaitsCode:     "Aguardando o segundo fator.",
		justNow:        "Acesso iniciado agora.",
		minutesAgo:     "Acesso iniciado há {minutes} min.",
		end:            "Encerrar acesso",
		endOthers:      "Encerrar todos os outros acessos",

		appsTitle:    "Aplicativos",
		appsText:     "Você permitiu que estes aplicativos ajam em seu nome.",
		noApps:       "Nenhum aplicativo tem permissão para agir em seu nome.",
		allowedSince: "Autorizado desde {since}; último uso em {used}",
		revoke:       "Revogar",
	},
}
