package checkouts

import (
	"context"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

var boletoPage = page.New("").In("pt-BR")

// brasilia is where a boleto's last day is counted; there has been no summer
// time since 2019 (Decreto 9.772).
var brasilia = time.FixedZone("BRT", -3*60*60)

type boletoRequest struct {
	ID    rest.ID `path:"id"`
	Token string  `path:"n"`
}

// boleto is downloadBoleto: a page for the payer to print.
func (f family) boleto(ctx context.Context, req boletoRequest) (rest.Document, error) {
	voucher, err := f.processing.Code(ctx, req.Token)
	if err != nil {
		return rest.Document{}, err
	}
	c, code := voucher.Checkout, voucher.Code
	if c.ID != string(req.ID) || c.Attempt.Method != payments.Boleto {
		return rest.Document{}, failure.NotFound("There is no such boleto.")
	}
	drawn, err := boletoPage.Draw("Boleto", boletoBody(printed{
		test: voucher.Mode == identity.Test, merchant: c.Payee.Name, description: c.Description,
		line: checkout.BoletoGroups(code.Text), amount: inReais(c.Amount),
		until: code.Until.In(brasilia).Format("02/01/2006"), image: f.views.ArtefactURL(req.Token, checkout.ImageForm),
	}))
	return rest.Document{HTML: drawn.HTML, CSP: drawn.Showing().CSP}, err
}

// inReais writes an amount as Brazil does: R$ 1.234,56.
func inReais(a money.Amount) string {
	whole, cents, _ := strings.Cut(a.String(), ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "." + whole[at:]
	}
	return "R$\u00a0" + whole + "," + cents
}
