package members

import (
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/page"
)

// problem names what was wrong with a form.
type problem string

const (
	problemForm   problem = "form"   // the password's length or characters
	problemCommon problem = "common" // one of the commonest passwords
	problemWrong  problem = "wrong"  // not the person's password
	problemAgain  problem = "again"  // the form was not sent from our page in this browser
	problemBefore problem = "before" // a password that the person had before

	problemAddress problem = "address" // no e-mail address
)

// texts has the texts of the page in one language. {merchant} is the merchant's name, and {email} the invited address.
type texts struct {
	language page.Language
	title    string
	invited  string // says which merchant invites which address
	set      string // label of a new password
	hint     string // gives the length of a new password
	confirm  string // label of the current password
	why      string // says why the page asks for the current password
	accept   string // button
	done     string // title of the page of an accepted invitation
	member   string // text of that page
	signIn   string // link of that page
	problems map[problem]string
}

var inLanguages = page.Texts[texts]{English: inEnglish, German: inGerman, Portuguese: inPortuguese}

var inEnglish = texts{
	language: page.English,
	title:    "Join {merchant}",
	invited:  "{merchant} invites you to work in its account. You will sign in as {email}.",
	set:      "Choose a password",
	hint:     "12 to 256 characters.",
	confirm:  "Your password",
	why:      "You already have a password. Enter it to accept the invitation.",
	accept:   "Accept the invitation",
	done:     "You are now a member of {merchant}",
	member:   "You can sign in as {email}.",
	signIn:   "Sign in",
	problems: map[problem]string{
		problemForm:   "Use 12 to 256 characters. Control characters are not allowed, and repeated text counts once.",
		problemCommon: "This password is too common: attackers try it first. Choose another password.",
		problemWrong:  "This is not your password.",
		problemAgain:  "The page has expired. Please try again.",
	},
}

var inGerman = texts{
	language: page.German,
	title:    "Bei {merchant} mitarbeiten",
	invited:  "{merchant} lädt Sie ein, im Konto mitzuarbeiten. Sie melden sich als {email} an.",
	set:      "Passwort wählen",
	hint:     "12 bis 256 Zeichen.",
	confirm:  "Ihr Passwort",
	why:      "Sie haben schon ein Passwort. Geben Sie es ein, um die Einladung anzunehmen.",
	accept:   "Einladung annehmen",
	done:     "Sie gehören jetzt zu {merchant}",
	member:   "Sie können sich als {email} anmelden.",
	signIn:   "Anmelden",
	problems: map[problem]string{
		problemForm:   "Verwenden Sie 12 bis 256 Zeichen, keine Steuerzeichen. Wiederholter Text zählt nur einmal.",
		problemCommon: "Dieses Passwort ist zu häufig: Angreifer probieren es zuerst aus. Wählen Sie ein anderes.",
		problemWrong:  "Das ist nicht Ihr Passwort.",
		problemAgain:  "Die Seite ist abgelaufen. Bitte versuchen Sie es noch einmal.",
	},
}

var inPortuguese = texts{
	language: page.Portuguese,
	title:    "Entrar na equipe de {merchant}",
	invited:  "{merchant} convida você a trabalhar na conta da empresa. Você vai entrar como {email}.",
	set:      "Escolha uma senha",
	hint:     "De 12 a 256 caracteres.",
	confirm:  "Sua senha",
	why:      "Você já tem uma senha. Digite a sua senha para aceitar o convite.",
	accept:   "Aceitar o convite",
	done:     "Agora você faz parte de {merchant}",
	member:   "Você pode entrar como {email}.",
	signIn:   "Entrar",
	problems: map[problem]string{
		problemForm:   "Use de 12 a 256 caracteres, sem caracteres de controle. Texto repetido conta só uma vez.",
		problemCommon: "Esta senha é comum demais: é uma das primeiras que invasores tentam. Escolha outra.",
		problemWrong:  "Esta não é a sua senha.",
		problemAgain:  "A página expirou. Tente de novo.",
	},
}

type invitationView struct {
	texts

	Merchant string
	Email    string
	Confirms bool // the page asks for the current password, not for a new one
	CSRF     string
	Problem  problem
	Accepted bool
	SignIn   string // URL of the page to sign in
}

func (v invitationView) fill(text string) string {
	return page.Fill(text, "{merchant}", v.Merchant, "{email}", v.Email)
}

// Title returns the page's title.
func (v invitationView) Title() string {
	if v.Accepted {
		return v.fill(v.done)
	}
	return v.fill(v.title)
}

// password returns the field for a new password, or for the current one.
func (v invitationView) password() page.Field {
	f := page.Field{Name: "password", Type: "password", Label: v.set, Hint: v.hint, Problem: v.problems[v.Problem],
		Required: true, Min: member.MinPassword, Max: 256, Autocomplete: "new-password"}
	if v.Confirms { // a password from before MinPassword may be shorter
		f.Label, f.Hint, f.Autocomplete, f.Min = v.confirm, v.why, "current-password", 0
	}
	return f
}
