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

// Outcome ends a 3DS challenge of a checkout without redirect_url (contract
// §4.4): it posts {type: "cashwrap:3ds", checkout_id, status} to the parent
// frame. Any site may be the parent, so the message holds nothing secret; the
// merchant reads the checkout to be sure. next is a page of ours to which the
// payer goes on from there, in the parent frame; "" if there is none.
func Outcome(l Language, checkoutID string, status payments.CheckoutStatus, next string) (Page, error) {
	texts := outcomeIn.In(l)
	shown := texts.of(status)
	p, err := outcomePage.In(l).Draw(shown.Title, outcomeBody(shown, checkoutID, status, next, texts.goOn))
	return p.Framed(), err
}

// ReturnURL returns where a payer goes at the end: the merchant's redirect_url
// with checkout_id, which replaces one that is there already. The rest of the
// query stays as the merchant wrote it, but that what no URI has is escaped
// (RFC 3986 §3.4), since a Location and a browser's form take URIs only.
func ReturnURL(redirectURL, checkoutID string) (string, error) {
	u, err := url.Parse(redirectURL)
	if err != nil {
		return "", err
	}
	var query []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); pair != "" && (err != nil || decoded != "checkout_id") {
			query = append(query, escapedQuery(pair))
		}
	}
	u.RawQuery = strings.Join(append(query, "checkout_id="+url.QueryEscape(checkoutID)), "&")
	return u.String(), nil
}

// inQueries are the characters beside letters and digits that a query may have (RFC 3986 §3.4).
const inQueries = "-._~!$&'()*+,;=:@/?"

func escapedQuery(text string) string {
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
