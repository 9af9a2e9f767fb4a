package checkouts

import (
	"context"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

var boletoPage = page.New("")

type boletoRequest struct {
	ID    string `path:"id"`
	Token string `path:"n"`
}

// boleto is row 10's page for the payer to print.
func (f family) boleto(ctx context.Context, req boletoRequest) (rest.Document, error) {
	c, code, err := f.processing.Code(ctx, req.Token)
	if err != nil {
		return rest.Document{}, err
	}
	if c.ID != req.ID || c.Attempt.Method != payments.Boleto {
		return rest.Document{}, failure.Absent("", "Resource not found")
	}
	drawn, err := boletoPage.Draw("Boleto", boletoBody(printed{
		merchant: c.Payee.Name, description: c.Description, line: groups(code.Text),
		amount: c.Amount.String() + " " + string(c.Amount.Currency()),
		until:  code.Until.Format(time.DateOnly), image: f.artefactURL(req.Token, imageForm),
	}))
	return rest.Document{HTML: drawn.HTML, CSP: append(drawn.CSP, "img-src 'self'")}, err
}

// groups splits a boleto's typeable line as banks print it, for reading aloud.
func groups(line string) string {
	if len(line) != typeableLine {
		return line
	}
	return strings.Join([]string{
		line[0:5] + "." + line[5:10], line[10:15] + "." + line[15:21],
		line[21:26] + "." + line[26:32], line[32:33], line[33:47],
	}, " ")
}
