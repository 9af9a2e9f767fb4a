package page

import (
	_ "embed"
	"fmt"
	"net/url"
	"strings"

	"github.com/cashwrap/cashwrap/shared/payments"
)

//go:embed outcome.js
var outcomeScript string

var outcomePage = New(outcomeScript)

// Outcome returns the page that ends a 3DS challenge of a checkout without redirect_url (contract §4.4). The page posts
// {type: "cashwrap:3ds", checkout_id, status} to the parent frame. Any site may be the parent, so the message holds no
// secret. The merchant must retrieve the checkout to be sure. next is our page that the parent frame can go on to, or
// "".
func Outcome(l Language, checkoutID string, status payments.CheckoutStatus, next string) (Page, error) {
	texts := outcomeIn.In(l)
	shown := texts.of(status)
	p, err := outcomePage.In(l).Draw(shown.Title, outcomeBody(shown, checkoutID, status, next, texts.goOn))
	return p.Framed(), err
}

// ReturnURL returns the URL that a payer is sent to at the end: the merchant's redirect_url with the parameter
// checkout_id, which replaces an existing one. In the rest of the URL it only escapes characters that no URI has (RFC
// 3986 §3.4), because a Location takes URIs only.
func ReturnURL(redirectURL, checkoutID string) (string, error) {
	u, err := url.Parse(redirectURL)
	if err != nil {
		return "", err
	}
	var query []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); pair != "" && (err != nil || decoded != "checkout_id") {
			query = append(query, escapeQuery(pair))
		}
	}
	u.RawQuery = strings.Join(append(query, "checkout_id="+url.QueryEscape(checkoutID)), "&")
	return u.String(), nil
}

// inQueries are the characters besides letters and digits that a query may have (RFC 3986 §3.4).
const inQueries = "-._~!$&'()*+,;=:@/?"

func escapeQuery(text string) string {
	var out strings.Builder
	for i := range len(text) {
		c := text[i]
		_, malformed := url.QueryUnescape(text[i:min(len(text), i+len("%00"))])
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(inQueries, c) >= 0,
			c == '%' && malformed == nil:
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// words tell the payer how a payment ended.
type words struct{ Title, Text string }

// outcomeTexts are the texts of the page that Outcome returns, in one language.
type outcomeTexts struct {
	paid, failed, expired, pending words

	goOn string // text of the link
}

var outcomeIn = Texts[outcomeTexts]{
	English: outcomeTexts{
		paid:    words{"Payment complete", "Thank you. You can return to the shop."},
		failed:  words{"Payment not completed", "Nothing was charged. You can return to the shop and try again."},
		expired: words{"Payment expired", "The time to pay has passed. Nothing was charged."},
		pending: words{"Payment pending", "The payment is still being processed. You can return to the shop."},
		goOn:    "Continue",
	},
	German: outcomeTexts{
		paid: words{"Zahlung abgeschlossen", "Vielen Dank. Sie können zum Shop zurückkehren."},
		failed: words{"Zahlung nicht abgeschlossen", "Es wurde nichts abgebucht. Sie können zum Shop zurückkehren und es " +
			"noch einmal versuchen."},
		expired: words{"Zahlung abgelaufen", "Die Frist zum Bezahlen ist vorbei. Es wurde nichts abgebucht."},
		pending: words{"Zahlung in Bearbeitung", "Die Zahlung wird noch bearbeitet. Sie können zum Shop zurückkehren."},
		goOn:    "Weiter",
	},
	Portuguese: outcomeTexts{
		paid:    words{"Pagamento concluído", "Obrigado. Você pode voltar à loja."},
		failed:  words{"Pagamento não concluído", "Nada foi cobrado. Você pode voltar à loja e tentar de novo."},
		expired: words{"Pagamento expirado", "O prazo para pagar terminou. Nada foi cobrado."},
		pending: words{"Pagamento pendente", "O pagamento ainda está sendo processado. Você pode voltar à loja."},
		goOn:    "Continuar",
	},
}

func (t outcomeTexts) of(s payments.CheckoutStatus) words {
	switch s {
	case payments.CheckoutPaid:
		return t.paid
	case payments.CheckoutFailed:
		return t.failed
	case payments.CheckoutExpired:
		return t.expired
	default:
		return t.pending
	}
}
