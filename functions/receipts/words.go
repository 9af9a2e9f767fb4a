package receipts

import (
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/page"
)

// states holds the reasons why no money has moved.
type states struct{ pending, failed, cancelled string }

// words holds a receipt's texts in one language.
type words struct {
	title, refundTitle string
	nothingMoved       string // shown in test mode
	payment, refundOf  states
	verified           string // shown for a payment that only checked the card

	vatID, companyNumber, phone, email, website string

	number, transaction, when, paidWith, card, entry, verification string
	installments, authCode, terminal, reader, application          string
	entries                                                        map[string]string // by entry mode (contract §2.7)
	verifications                                                  map[string]string

	item, quantity, price, sum   string // headings of the products' table
	rate, net, vat, gross        string // headings of the VAT table
	tip, total                   string
	refundsTitle, pendingRefund  string
	products, vatRates, download string
}

var wordsIn = page.Texts[words]{
	English: words{
		title: "Receipt", refundTitle: "REFUND receipt", nothingMoved: "Test mode: no money has moved",
		payment: states{pending: "This payment is pending: it is not confirmed yet.",
			failed:    "This payment has failed: nothing was charged.",
			cancelled: "This payment was cancelled: nothing was charged."},
		refundOf: states{pending: "This refund is pending: the money has not gone back yet.",
			failed:    "This refund has failed: no money went back.",
			cancelled: "This refund was cancelled: no money went back."},
		verified: "The card was only checked: nothing was charged.",
		vatID:    "VAT ID", companyNumber: "Company number", phone: "Phone", email: "E-mail", website: "Website",
		number: "Receipt number", transaction: "Transaction", when: "Date and time", paidWith: "Paid with", card: "Card",
		entry: "Entry", verification: "Verification", installments: "Instalments", authCode: "Authorisation code",
		terminal: "Terminal", reader: "Card reader", application: "Application",
		entries: map[string]string{"CUSTOMER_ENTRY": "Online", "CHIP": "Chip", "CONTACTLESS": "Contactless",
			"MAGSTRIPE": "Magnetic stripe"},
		verifications: map[string]string{byPIN: "PIN", "signature": "Signature", unverified: "None"},
		item:          "Product", quantity: "Quantity", price: "Price", sum: "Total",
		rate: "VAT rate", net: "Net", vat: "VAT", gross: "Gross", tip: "Tip", total: "Total",
		refundsTitle: "Refunds", pendingRefund: "pending", products: "Products", vatRates: "VAT", download: "Download as PDF",
	},
	German: words{
		title: "Beleg", refundTitle: "ERSTATTUNGSBELEG", nothingMoved: "Testmodus: Es ist kein Geld geflossen",
		payment: states{pending: "Diese Zahlung ist in Bearbeitung: Sie ist noch nicht bestätigt.",
			failed:    "Diese Zahlung ist fehlgeschlagen: Es wurde nichts abgebucht.",
			cancelled: "Diese Zahlung wurde abgebrochen: Es wurde nichts abgebucht."},
		refundOf: states{pending: "Diese Erstattung ist in Bearbeitung: Das Geld ist noch nicht zurückgeflossen.",
			failed:    "Diese Erstattung ist fehlgeschlagen: Es ist kein Geld zurückgeflossen.",
			cancelled: "Diese Erstattung wurde abgebrochen: Es ist kein Geld zurückgeflossen."},
		verified: "Die Karte wurde nur geprüft: Es wurde nichts abgebucht.",
		vatID:    "USt-IdNr.", companyNumber: "Registernummer", phone: "Telefon", email: "E-Mail", website: "Website",
		number: "Belegnummer", transaction: "Transaktion", when: "Datum und Uhrzeit", paidWith: "Bezahlt mit",
		card: "Karte", entry: "Erfassung", verification: "Prüfung", installments: "Raten",
		authCode: "Autorisierungscode", terminal: "Terminal", reader: "Kartenleser", application: "Anwendung",
		entries: map[string]string{"CUSTOMER_ENTRY": "Online", "CHIP": "Chip", "CONTACTLESS": "Kontaktlos",
			"MAGSTRIPE": "Magnetstreifen"},
		verifications: map[string]string{byPIN: "PIN", "signature": "Unterschrift", unverified: "Keine"},
		item:          "Artikel", quantity: "Menge", price: "Preis", sum: "Summe",
		rate: "USt-Satz", net: "Netto", vat: "USt", gross: "Brutto", tip: "Trinkgeld", total: "Gesamt",
		refundsTitle: "Erstattungen", pendingRefund: "in Bearbeitung", products: "Artikel", vatRates: "Umsatzsteuer",
		download: "Als PDF herunterladen",
	},
	Portuguese: words{
		title: "Comprovante", refundTitle: "COMPROVANTE DE REEMBOLSO",
		nothingMoved: "Modo de teste: nenhum dinheiro foi movimentado",
		payment: states{pending: "Este pagamento está pendente: ainda não foi confirmado.",
			failed:    "Este pagamento falhou: nada foi cobrado.",
			cancelled: "Este pagamento foi cancelado: nada foi cobrado."},
		refundOf: states{pending: "Este reembolso está pendente: o dinheiro ainda não foi devolvido.",
			failed:    "Este reembolso falhou: nenhum dinheiro foi devolvido.",
			cancelled: "Este reembolso foi cancelado: nenhum dinheiro foi devolvido."},
		verified: "O cartão foi apenas verificado: nada foi cobrado.",
		vatID:    "Identificação fiscal", companyNumber: "Registro da empresa", phone: "Telefone", email: "E-mail",
		website: "Site",
		number:  "Número do comprovante", transaction: "Transação", when: "Data e hora", paidWith: "Pago com",
		card: "Cartão", entry: "Leitura", verification: "Verificação", installments: "Parcelas",
		authCode: "Código de autorização", terminal: "Terminal", reader: "Leitor de cartões", application: "Aplicação",
		entries: map[string]string{"CUSTOMER_ENTRY": "Online", "CHIP": "Chip", "CONTACTLESS": "Por aproximação",
			"MAGSTRIPE": "Tarja magnética"},
		verifications: map[string]string{byPIN: "Senha", "signature": "Assinatura", unverified: "Nenhuma"},
		item:          "Produto", quantity: "Quantidade", price: "Preço", sum: "Total",
		rate: "Alíquota", net: "Líquido", vat: "Imposto", gross: "Bruto", tip: "Gorjeta", total: "Total",
		refundsTitle: "Reembolsos", pendingRefund: "pendente", products: "Produtos", vatRates: "Imposto",
		download: "Baixar em PDF",
	},
}

// formatTime formats a time in the zone, with the zone's offset.
func (s sheet) formatTime(at time.Time, zone *time.Location) string {
	layout := "02/01/2006, 15:04"
	switch s.language {
	case page.English:
		layout = "2 January 2006, 15:04"
	case page.German:
		layout = "02.01.2006, 15:04"
	}
	return at.In(zone).Format(layout + " (UTC-07:00)")
}

// formatRate formats a VAT rate as a percentage. The decimal fraction 0.19 becomes 19 %.
func (s sheet) formatRate(fraction string) string {
	whole, digits, _ := strings.Cut(fraction, ".")
	for len(digits) < 2 {
		digits += "0"
	}
	whole = strings.TrimLeft(whole+digits[:2], "0")
	rest := strings.TrimRight(digits[2:], "0")
	if whole == "" {
		whole = "0"
	}
	if rest != "" {
		point := ","
		if s.language == page.English {
			point = "."
		}
		whole += point + rest
	}
	return whole + "\u00a0%"
}
