package checkout_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// shownCodes are the fields of a checkout that may show a code to pay.
type shownCodes struct {
	Boleto         *checkout.BoletoView
	Pix, QRCodePix *checkout.CodeView
	Artefacts      []checkout.Artefact
}

// TestViewer_PaymentCode checks that a checkout shows a code that can still be paid. The code is in the field of the
// attempt's payment method, with links that contain a secret token (contract §4.3).
func TestViewer_PaymentCode(t *testing.T) {
	t.Parallel()
	until, began := now.Add(time.Hour), now.Add(-time.Minute)
	attempt := payments.Attempt{ID: "attempt", State: payments.AttemptRequiresAction, StartedAt: began,
		Code: &payments.PaymentCode{Text: "0019", Until: until}}
	v := viewer()
	token := v.Processing.SessionToken(attempt)
	forms := []checkout.Artefact{
		{Name: "barcode", ContentType: "image/png", Location: base + "/v0.1/artefacts/" + token + ".barcode/content",
			CreatedAt: rest.Instant(began)},
		{Name: "code", ContentType: "text/plain;charset=UTF-8", Content: "0019",
			Location: base + "/v0.1/artefacts/" + token + ".code/content", CreatedAt: rest.Instant(began)},
	}
	boleto := &checkout.BoletoView{Barcode: "0019", URL: base + "/v0.1/checkouts/id/boletos/" + token,
		ValidUntil: rest.Instant(until)}
	for name, c := range map[string]struct {
		method payments.Method
		change func(*payments.Attempt)
		want   shownCodes
	}{
		"boleto":    {payments.Boleto, nil, shownCodes{Boleto: boleto, Artefacts: forms}},
		"Pix":       {payments.Pix, nil, shownCodes{Pix: &checkout.CodeView{Artefacts: forms}}},
		"Pix QR":    {payments.QRCodePix, nil, shownCodes{QRCodePix: &checkout.CodeView{Artefacts: forms}}},
		"challenge": {payments.CardMethod, func(a *payments.Attempt) { a.Code = nil }, shownCodes{}},
		"ended":     {payments.Pix, func(a *payments.Attempt) { a.State = payments.AttemptClosed }, shownCodes{}},
	} {
		paid, at := small(), attempt
		at.Method = c.method
		if c.change != nil {
			c.change(&at)
		}
		paid.Attempt = &at
		for _, got := range []checkout.View{v.Of(paid), v.ForPayer(paid)} {
			shown := shownCodes{got.Boleto, got.Pix, got.QRCodePix, got.Artefacts}
			if diff := cmp.Diff(c.want, shown, cmp.Transformer("time", func(i rest.Instant) time.Time {
				return time.Time(i)
			})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}
