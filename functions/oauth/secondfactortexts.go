package oauth

import "github.com/cashwrap/cashwrap/shared/page"

// Problems of a form that takes a code.
const (
	problemCode problem = "code" // the code is not the account's, or was already used
	problemMany problem = "many" // too many wrong codes were entered; only a recovery code is accepted
	problemOn   problem = "on"   // the factor was turned on in another session
)

// factorTexts has the texts of the second factor's pages in one language. {count} is a number of codes.
type factorTexts struct {
	confirmTitle string // title of the page that asks for a code
	enterCode    string // label
	codeKinds    string // which codes may be entered

	offTitle   string // title while the factor is off
	why        string // says what the factor is for
	scanTitle  string // heading of the first step
	scan       string // says how to scan the image
	square     string // text for readers who do not see the image
	byHand     string // how to enter the key without scanning
	openApp    string // link
	firstTitle string // heading of the second step
	enterFirst string // label
	firstHint  string // where the code is found
	turnOn     string // button

	onTitle     string // title while the factor is on
	since       string // text before the date since when the factor is on
	codesLeft   string // says how many recovery codes are left
	codesTitle  string // heading of new recovery codes
	codesText   string // says what the recovery codes are for
	copyCodes   string // button
	codesCopied string // says that the codes were copied
	saveCodes   string // link to a file with the codes
	newTitle    string // heading
	newText     string // says that the old recovery codes end
	makeNew     string // button
	offHeading  string // heading
	offText     string // says what it means to turn the factor off
	turnOff     string // button
	none        string // says that a test profile has no second factor

	factorProblems map[problem]string
}

var factorIn = page.Texts[factorTexts]{English: factorInEnglish, German: factorInGerman,
	Portuguese: factorInPortuguese}

var factorInEnglish = factorTexts{
	confirmTitle: "Enter your code",
	enterCode:    "Code",
	codeKinds:    "Six digits from your authenticator app, or one of your recovery codes.",

	offTitle:   "Turn on the second factor",
	why:        "Your password alone is then not enough to sign in. You also enter a code from an app on your phone.",
	scanTitle:  "1. Add the account to your app",
	scan:       "Scan this with an authenticator app.",
	square:     "QR code for the app. The same key follows as text.",
	byHand:     "Or enter this key in the app, and choose time-based codes:",
	openApp:    "Open the app on this device",
	firstTitle: "2. Confirm",
	enterFirst: "Code from the app",
	firstHint:  "Six digits. You will then get recovery codes.",
	turnOn:     "Turn on",

	onTitle:    "The second factor is on",
	since:      "On since",
	codesLeft:  "You have {count} recovery codes left.",
	codesTitle: "Your recovery codes",
	codesText: "Print, download or write down these codes now: they are shown for only ten minutes. If you do not have " +
		"your phone, enter one of them instead of a code from the app. Each code works once.",
	copyCodes:   "Copy the codes",
	codesCopied: "Copied",
	saveCodes:   "Download the codes as a file",
	newTitle:    "New recovery codes",
	newText:     "Your old codes will stop working.",
	makeNew:     "Create new codes",
	offHeading:  "Turn off",
	offText:     "Your password alone will then be enough to sign in.",
	turnOff:     "Turn off",
	none:        "A test profile has no second factor.",

	factorProblems: map[problem]string{
		problemCode: "This code is not valid. Each code works once. Wait for the next code, and check the clock on your " +
			"phone.",
		problemMany: "Too many wrong codes were entered. Enter one of your recovery codes, or get a new password. Another " +
			"person may know your current password.",
		problemAgain: "The page has expired. Please try again.",
		problemOn: "The second factor was just turned on in another browser. The account that you have added to the app " +
			"does not work. Remove it from the app.",
	},
}

var factorInGerman = factorTexts{
	confirmTitle: "Code eingeben",
	enterCode:    "Code",
	codeKinds:    "Sechs Ziffern aus Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes.",

	offTitle: "Zweiten Faktor einschalten",
	why: "Zum Anmelden reicht Ihr Passwort dann nicht mehr aus. Sie geben zusätzlich einen Code aus einer App auf " +
		"Ihrem Telefon ein.",
	scanTitle:  "1. Konto zur App hinzufügen",
	scan:       "Scannen Sie diesen Code mit einer Authenticator-App.",
	square:     "QR-Code für die App. Darunter steht derselbe Schlüssel als Text.",
	byHand:     "Oder geben Sie diesen Schlüssel in der App ein und wählen Sie zeitbasierte Codes:",
	openApp:    "Die App auf diesem Gerät öffnen",
	firstTitle: "2. Bestätigen",
	enterFirst: "Code aus der App",
	firstHint:  "Sechs Ziffern. Danach bekommen Sie Wiederherstellungscodes.",
	turnOn:     "Einschalten",

	onTitle:    "Der zweite Faktor ist eingeschaltet",
	since:      "Eingeschaltet seit",
	codesLeft:  "Verbleibende Wiederherstellungscodes: {count}.",
	codesTitle: "Ihre Wiederherstellungscodes",
	codesText: "Drucken Sie diese Codes jetzt aus, laden Sie sie herunter oder schreiben Sie sie auf: Sie sind nur " +
		"zehn Minuten lang zu sehen. Wenn Sie Ihr Telefon nicht zur Hand haben, geben Sie statt eines Codes aus der " +
		"App einen von ihnen ein. Jeder Code gilt nur einmal.",
	copyCodes:   "Codes kopieren",
	codesCopied: "Kopiert",
	saveCodes:   "Codes als Datei herunterladen",
	newTitle:    "Neue Wiederherstellungscodes",
	newText:     "Ihre alten Codes gelten dann nicht mehr.",
	makeNew:     "Neue Codes erzeugen",
	offHeading:  "Ausschalten",
	offText:     "Zum Anmelden reicht dann wieder Ihr Passwort allein.",
	turnOff:     "Ausschalten",
	none:        "Ein Testprofil hat keinen zweiten Faktor.",

	factorProblems: map[problem]string{
		problemCode: "Dieser Code ist ungültig. Jeder Code gilt nur einmal. Warten Sie auf den nächsten Code und prüfen " +
			"Sie die Uhrzeit auf Ihrem Telefon.",
		problemMany: "Es wurden zu viele falsche Codes eingegeben. Geben Sie einen Ihrer Wiederherstellungscodes ein oder " +
			"lassen Sie sich ein neues Passwort geben. Möglicherweise kennt jemand anderes Ihr jetziges Passwort.",
		problemAgain: "Die Seite ist abgelaufen. Bitte versuchen Sie es noch einmal.",
		problemOn: "Der zweite Faktor wurde gerade in einem anderen Browser eingeschaltet. Das Konto, das Sie zur App " +
			"hinzugefügt haben, funktioniert nicht. Entfernen Sie es aus der App.",
	},
}

var factorInPortuguese = factorTexts{
	confirmTitle: "Digite o seu código",
	enterCode:    "Código",
	codeKinds:    "Seis dígitos do seu aplicativo autenticador, ou um dos seus códigos de recuperação.",

	offTitle: "Ativar o segundo fator",
	why: "Depois disso, a senha sozinha não basta para entrar. Você também digita um código de um aplicativo do seu " +
		"celular.",
	scanTitle:  "1. Adicione a conta ao aplicativo",
	scan:       "Escaneie este código com um aplicativo autenticador.",
	square:     "QR code para o aplicativo. A mesma chave aparece abaixo em texto.",
	byHand:     "Ou digite esta chave no aplicativo e escolha códigos baseados em tempo:",
	openApp:    "Abrir o aplicativo neste aparelho",
	firstTitle: "2. Confirme",
	enterFirst: "Código do aplicativo",
	firstHint:  "Seis dígitos. Depois você recebe códigos de recuperação.",
	turnOn:     "Ativar",

	onTitle:    "O segundo fator está ativo",
	since:      "Ativo desde",
	codesLeft:  "Códigos de recuperação restantes: {count}.",
	codesTitle: "Seus códigos de recuperação",
	codesText: "Imprima, baixe ou anote estes códigos agora. Os códigos aparecem por apenas dez minutos. Se você " +
		"estiver sem o celular, digite um deles no lugar do código do aplicativo. Cada código vale uma única vez.",
	copyCodes:   "Copiar os códigos",
	codesCopied: "Copiado",
	saveCodes:   "Baixar os códigos em um arquivo",
	newTitle:    "Novos códigos de recuperação",
	newText:     "Os códigos antigos vão deixar de valer.",
	makeNew:     "Criar novos códigos",
	offHeading:  "Desativar",
	offText:     "Depois disso, a senha sozinha volta a ser suficiente para entrar.",
	turnOff:     "Desativar",
	none:        "Um perfil de teste não tem segundo fator.",

	factorProblems: map[problem]string{
		problemCode: "Este código não é válido. Cada código vale uma única vez. Espere o próximo código e confira o " +
			"relógio do seu celular.",
		problemMany: "Muitos códigos errados foram digitados. Digite um dos seus códigos de recuperação ou peça uma nova " +
			"senha. Talvez outra pessoa saiba a sua senha atual.",
		problemAgain: "A página expirou. Tente de novo.",
		problemOn: "O segundo fator acabou de ser ativado em outro navegador. A conta que você adicionou ao aplicativo não " +
			"funciona. Remova essa conta do aplicativo.",
	},
}
