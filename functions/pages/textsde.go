package pages

import "github.com/cashwrap/cashwrap/shared/page"

var inGerman = texts{
	language: page.German,
	date:     "2.1.2006",
	testMode: page.TestMode.German,
	title:    "Zahlung an {merchant}",
	how:      "Wie möchten Sie bezahlen?",
	pay:      "{amount} bezahlen",
	save:     "Karte speichern",
	consent: "Damit erlauben Sie {merchant}, diese Karte zu speichern und mit späteren Zahlungen zu belasten, auch " +
		"wenn Sie nicht dabei sind. Sie können das jederzeit beenden, indem Sie sich an {merchant} wenden.",
	leads:  "Es geht weiter zu {method}, wo Sie die Zahlung bestätigen.",
	boleto: "Sie bekommen einen Boleto, den Sie bei jeder Bank oder mit der App Ihrer Bank bezahlen können.",
	pix:    "Sie bekommen einen QR-Code und einen Text zum Kopieren, die Sie mit der App Ihrer Bank bezahlen können.",

	card:   "Karte",
	expiry: "Gültig bis",
	yy:     "JJ",

	fields: map[string]fieldText{
		fieldCardNumber:  {"Kartennummer", "", "Geben Sie die Kartennummer ein.", "Das ist keine gültige Kartennummer."},
		fieldExpiryMonth: {"Gültig bis: Monat", "", "Fehlt.", "01 bis 12."},
		fieldExpiryYear:  {"Gültig bis: Jahr", "", "Fehlt.", "Ungültig oder abgelaufen."},
		fieldCVV:         {"CVV", "", "Fehlt.", "3 oder 4 Ziffern."},
		fieldCardName: {"Name auf der Karte", "", "Geben Sie den Namen ein, wie er auf der Karte steht.",
			"Dieser Name ist ungültig."},
		fieldZipCode:      {"ZIP-Code", "", "Geben Sie Ihren ZIP-Code ein.", "Ein ZIP-Code hat 5 Ziffern."},
		fieldInstallments: {"Raten", "", "Wählen Sie eine Anzahl.", "Diese Anzahl von Raten ist nicht möglich."},
		fieldFirstName:    {"Vorname", "", "Geben Sie Ihren Vornamen ein.", "Dieser Name ist ungültig."},
		fieldLastName:     {"Nachname", "", "Geben Sie Ihren Nachnamen ein.", "Dieser Name ist ungültig."},
		fieldEmail:        {"E-Mail", "", "Geben Sie Ihre E-Mail-Adresse ein.", "Das ist keine gültige E-Mail-Adresse."},
		fieldTaxID:        {"CPF", "11 Ziffern.", "Geben Sie Ihre CPF-Nummer ein.", "Das ist keine gültige CPF-Nummer."},
		fieldCountry:      {"Land", "", "Wählen Sie Ihr Land.", "Dieses Land ist hier nicht möglich."},
		fieldLine1:        {"Adresse", "", "Geben Sie Ihre Adresse ein.", "Diese Adresse ist ungültig."},
		fieldCity:         {"Ort", "", "Geben Sie Ihren Ort ein.", "Dieser Ort ist ungültig."},
		fieldPostalCode:   {"Postleitzahl", "", "Geben Sie Ihre Postleitzahl ein.", "Diese Postleitzahl ist ungültig."},
		fieldState:        {"Bundesstaat", "", "Wählen Sie Ihren Bundesstaat.", "Dieser Bundesstaat ist ungültig."},
	},
	choose: "Bitte wählen",
	once:   "Auf einmal",
	times:  "{n} Raten",
	secure: "Ihre Kartendaten werden verschlüsselt übertragen und auf diesem Gerät nicht gespeichert.",

	alerts: map[alert]string{
		alertDeclined: "Die Zahlung wurde abgelehnt. Es wurde nichts abgebucht. Versuchen Sie es noch einmal, oder " +
			"bezahlen Sie anders.",
		alertFields: "Bitte prüfen Sie die markierten Felder.",
		alertAgain:  "Die Seite war zu alt. Es wurde nichts abgebucht. Bitte versuchen Sie es noch einmal.",
		alertTooMany: "Das waren zu viele Versuche. Es wurde nichts abgebucht. Versuchen Sie es in {time} noch " +
			"einmal.",
		alertUnavailable: "Die Zahlung ist im Moment nicht möglich. Es wurde nichts abgebucht. Bitte versuchen Sie es noch " +
			"einmal.",
		alertRefused: "So ist diese Zahlung nicht möglich. Es wurde nichts abgebucht.",
	},
	offline: "Es gibt keine Verbindung, oder es kam keine Antwort. Drücken Sie noch einmal auf den Knopf: Es wird nicht " +
		"doppelt abgebucht.",
	paying: "Zahlung läuft …", inTransit: "Einen Moment …",
	checkAgain: "Noch einmal nachsehen",

	challenge: note{"Zahlung bestätigen", "Die Bank Ihrer Karte bittet Sie, die Zahlung zu bestätigen. Danach kommen " +
		"Sie hierher zurück."},
	framed: note{"Zahlung bestätigen", "Die Bank Ihrer Karte bittet Sie, die Zahlung zu bestätigen."},
	redirect: note{"Zahlung abschließen", "Bestätigen Sie die Zahlung auf der nächsten Seite. Wenn Sie das schon getan " +
		"haben, warten Sie hier einen Moment."},
	processing: note{"Ihre Zahlung wird bearbeitet", "Das kann etwas dauern. Sie können diese Seite offen lassen. Bitte " +
		"bezahlen Sie nicht noch einmal."},
	paid:           note{"Zahlung abgeschlossen", "Vielen Dank. {merchant} wurde benachrichtigt."},
	ended:          note{"Diese Zahlung ist beendet oder läuft anderswo", "Sie können diese Seite schließen."},
	sessionExpired: note{"Ihre Sitzung ist abgelaufen", "Zu Ihrer Sicherheit bleibt die Seite nur 30 Minuten offen."},
	expired: note{"Diese Zahlung ist abgelaufen", "Die Zeit zum Bezahlen ist vorbei. Bitten Sie {merchant} um einen " +
		"neuen Link."},

	toIssuer: "Weiter zu Ihrer Bank",
	onwards:  "Weiter",
	another:  "Anders bezahlen",
	restart:  "Neu beginnen",
	back:     "Zurück zu {merchant}",

	boletoCode: note{"Boleto bezahlen", "Bezahlen Sie ihn bei einer Bank oder mit der App Ihrer Bank. Diese Seite " +
		"zeigt an, wenn er bezahlt ist. Das kann einige Tage dauern."},
	pixCode: note{"Mit Pix bezahlen", "Scannen Sie den QR-Code mit der App Ihrer Bank, oder kopieren Sie den Code " +
		"dorthin. Diese Seite zeigt an, wenn er bezahlt ist."},
	boletoImage: "Strichcode des Boletos. Dieselben Zahlen folgen als Text.",
	pixImage:    "QR-Code. Derselbe Code folgt als Text.",
	boletoLine:  "Zahlen zum Abtippen",
	pixLine:     "Code zum Kopieren",
	until:       "Zu bezahlen bis {until}.",
	copy:        "Kopieren",
	copied:      "Kopiert.",
	printIt:     "Boleto zum Drucken öffnen",
}
