package members

import "strings"

// problem is what was wrong with a form.
type problem string

// The problems.
const (
	problemForm  problem = "form"  // the password's length or characters
	problemWrong problem = "wrong" // not the person's password
	problemAgain problem = "again" // not sent from our page in this browser
)

// texts are those of the page in one language. {merchant} is the merchant's name, and {email}
// the invited address.
type texts struct {
	language string // BCP 47
	title    string
	invited  string // who invites, and which address
	set      string // label of a new password
	hint     string // how long it may be
	confirm  string // label of the current one
	why      string // why it is asked for
	accept   string // button
	done     string // title of the page of an accepted invitation
	member   string // text of that page
	problems map[problem]string
}

var inEnglish = texts{
	language: "en",
	title:    "Join {merchant}",
	invited:  "{merchant} invites you, as {email}, to work in its account.",
	set:      "Choose a password",
	hint:     "8 to 256 characters.",
	confirm:  "Your password",
	why:      "You have a password already. Enter it to accept.",
	accept:   "Accept the invitation",
	done:     "You are a member of {merchant}",
	member:   "You can sign in as {email}.",
	problems: map[problem]string{
		problemForm:  "The password must have 8 to 256 characters, and no control characters.",
		problemWrong: "This is not your password.",
		problemAgain: "The page has expired. Please try again.",
	},
}

var inGerman = texts{
	language: "de",
	title:    "Bei {merchant} mitarbeiten",
	invited:  "{merchant} lädt Sie als {email} ein, im Konto mitzuarbeiten.",
	set:      "Passwort wählen",
	hint:     "8 bis 256 Zeichen.",
	confirm:  "Ihr Passwort",
	why:      "Sie haben schon ein Passwort. Geben Sie es ein, um anzunehmen.",
	accept:   "Einladung annehmen",
	done:     "Sie gehören jetzt zu {merchant}",
	member:   "Sie können sich als {email} anmelden.",
	problems: map[problem]string{
		problemForm:  "Das Passwort muss 8 bis 256 Zeichen haben, und keine Steuerzeichen.",
		problemWrong: "Das ist nicht Ihr Passwort.",
		problemAgain: "Die Seite ist abgelaufen. Bitte versuchen Sie es noch einmal.",
	},
}

var inPortuguese = texts{
	language: "pt",
	title:    "Participar de {merchant}",
	invited:  "{merchant} convida você, como {email}, a participar da sua conta.",
	set:      "Escolha uma senha",
	hint:     "De 8 a 256 caracteres.",
	confirm:  "Sua senha",
	why:      "Você já tem uma senha. Digite-a para aceitar.",
	accept:   "Aceitar o convite",
	done:     "Agora você participa de {merchant}",
	member:   "Você pode entrar como {email}.",
	problems: map[problem]string{
		problemForm:  "A senha deve ter de 8 a 256 caracteres, sem caracteres de controle.",
		problemWrong: "Esta não é a sua senha.",
		problemAgain: "A página expirou. Tente de novo.",
	},
}

// textsIn are the texts in a language, or the English ones if there are none.
func textsIn(language string) texts {
	language, _, _ = strings.Cut(language, "-")
	for _, t := range []texts{inGerman, inPortuguese} {
		if t.language == language {
			return t
		}
	}
	return inEnglish
}

// invitationView is what the page shows.
type invitationView struct {
	texts

	Merchant string
	Email    string
	Confirms bool // it asks for the current password, not for a new one
	CSRF     string
	Problem  problem
	Accepted bool
}

func (v invitationView) fill(text string) string {
	return strings.NewReplacer("{merchant}", v.Merchant, "{email}", v.Email).Replace(text)
}

// Title is the page's.
func (v invitationView) Title() string {
	if v.Accepted {
		return v.fill(v.done)
	}
	return v.fill(v.title)
}

// autocomplete is what a password manager offers.
func (v invitationView) autocomplete() string {
	if v.Confirms {
		return "current-password"
	}
	return "new-password"
}

// describedBy are the elements that say what the field is for, and what is wrong with it.
func (v invitationView) describedBy() string {
	if v.Problem != "" {
		return "problem hint"
	}
	return "hint"
}
