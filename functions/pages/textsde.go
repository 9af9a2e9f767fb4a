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
	consent: "Damit erlauben Sie {merchant}, diese Karte zu speichern und für spätere Zahlungen zu belasten, auch ohne " +
		"Ihr Zutun. Sie können diese Einwilligung jederzeit bei {merchant} widerrufen.",
	leads:  "Sie werden zu {method} weitergeleitet und bestätigen dort die Zahlung.",
	boleto: "Sie bekommen einen Boleto und bezahlen ihn bei einer beliebigen Bank oder in der App Ihrer Bank.",
	pix: "Sie bekommen einen QR-Code und einen Code zum Kopieren. Mit einem von beiden bezahlen Sie in der App Ihrer " +
		"Bank.",

	card:   "Karte",
	expiry: "Gültig bis",
	yy:     "JJ",

	fields: map[string]fieldText{
		fieldCardNumber:  {"Kartennummer", "", "Geben Sie die Kartennummer ein.", "Das ist keine gültige Kartennummer."},
		fieldExpiryMonth: {"Gültig bis: Monat", "", "Bitte ausfüllen.", "01 bis 12."},
		fieldExpiryYear:  {"Gültig bis: Jahr", "", "Bitte ausfüllen.", "Ungültig oder abgelaufen."},
		fieldCVV:         {"CVV", "", "Bitte ausfüllen.", "3 oder 4 Ziffern."},
		fieldCardName: {"Name auf der Karte", "", "Geben Sie den Namen ein, wie er auf der Karte steht.",
			"Dieser Name ist ungültig."},
		fieldZipCode:      {"ZIP-Code", "", "Geben Sie Ihren ZIP-Code ein.", "Ein ZIP-Code hat 5 Ziffern."},
		fieldInstallments: {"Raten", "", "Wählen Sie eine Anzahl.", "Diese Ratenzahl ist nicht möglich."},
		fieldFirstName:    {"Vorname", "", "Geben Sie Ihren Vornamen ein.", "Dieser Name ist ungültig."},
		fieldLastName:     {"Nachname", "", "Geben Sie Ihren Nachnamen ein.", "Dieser Name ist ungültig."},
		fieldEmail:        {"E-Mail", "", "Geben Sie Ihre E-Mail-Adresse ein.", "Das ist keine gültige E-Mail-Adresse."},
		fieldTaxID:        {"CPF", "11 Ziffern.", "Geben Sie Ihre CPF-Nummer ein.", "Das ist keine gültige CPF-Nummer."},
		fieldCountry:      {"Land", "", "Wählen Sie Ihr Land.", "Dieses Land steht nicht zur Auswahl."},
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
		alertDeclined: "Die Zahlung wurde abgelehnt. Es wurde nichts abgebucht. Versuchen Sie es noch einmal oder " +
			"bezahlen Sie auf andere Weise.",
		alertFields:  "Bitte prüfen Sie die markierten Felder.",
		alertAgain:   "Diese Seite war veraltet. Es wurde nichts abgebucht. Bitte versuchen Sie es noch einmal.",
		alertTooMany: "Zu viele Versuche. Es wurde nichts abgebucht. Bitte versuchen Sie es in {time} noch einmal.",
		alertUnavailable: "Die Zahlung ist im Moment nicht möglich. Es wurde nichts abgebucht. Bitte versuchen Sie es noch " +
			"einmal.",
		alertRefused: "Auf diesem Weg ist die Zahlung nicht möglich. Es wurde nichts abgebucht.",
	},
	offline: "Die Verbindung ist fehlgeschlagen oder es kam keine Antwort. Klicken Sie noch einmal auf die " +
		"Schaltfläche: Es wird nicht doppelt abgebucht.",
	paying: "Zahlung läuft …", inTransit: "Einen Moment …",
	checkAgain: "Erneut prüfen",

	challenge: note{"Zahlung bestätigen", "Ihre Bank bittet Sie, die Zahlung zu bestätigen. Danach kommen Sie auf diese " +
		"Seite zurück."},
	framed: note{"Zahlung bestätigen", "Ihre Bank bittet Sie, die Zahlung zu bestätigen."},
	redirect: note{"Zahlung abschließen", "Bestätigen Sie die Zahlung auf der nächsten Seite. Wenn Sie sie schon " +
		"bestätigt haben, warten Sie hier bitte einen Moment."},
	processing: note{"Ihre Zahlung wird bearbeitet", "Das kann etwas dauern. Sie können diese Seite offen lassen. Bitte " +
		"bezahlen Sie nicht noch einmal."},
	paid:           note{"Zahlung abgeschlossen", "Vielen Dank. Wir haben {merchant} benachrichtigt."},
	ended:          note{"Diese Zahlung ist beendet oder läuft an anderer Stelle", "Sie können diese Seite schließen."},
	sessionExpired: note{"Ihre Sitzung ist abgelaufen", "Zu Ihrer Sicherheit bleibt diese Seite nur 30 Minuten offen."},
	expired: note{"Diese Zahlung ist abgelaufen", "Die Frist zum Bezahlen ist vorbei. Bitten Sie {merchant} um einen " +
		"neuen Link."},

	toIssuer: "Weiter zu Ihrer Bank",
	onwards:  "Weiter",
	another:  "Auf andere Weise bezahlen",
	restart:  "Von vorn beginnen",
	back:     "Zurück zu {merchant}",

	boletoCode: note{"Boleto bezahlen", "Bezahlen Sie ihn bei einer beliebigen Bank oder in der App Ihrer Bank. Sobald " +
		"die Zahlung eingegangen ist, sehen Sie es auf dieser Seite. Das kann einige Tage dauern."},
	pixCode: note{"Mit Pix bezahlen", "Scannen Sie den QR-Code mit der App Ihrer Bank oder kopieren Sie den Code in die " +
		"App. Sobald die Zahlung eingegangen ist, sehen Sie es auf dieser Seite."},
	boletoImage: "Strichcode des Boletos. Dieselbe Nummer folgt als Text.",
	pixImage:    "QR-Code. Derselbe Code folgt als Text.",
	boletoLine:  "Boleto-Nummer",
	pixLine:     "Code zum Kopieren",
	until:       "Bitte bis {until} bezahlen.",
	copy:        "Kopieren",
	copied:      "Kopiert.",
	printIt:     "Boleto zum Drucken öffnen",
}
