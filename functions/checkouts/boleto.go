package checkouts

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

//go:embed boleto.html
var boletoBody string

var boletoPage = page.New(boletoBody, "")

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
	drawn, err := boletoPage.Draw("Boleto", map[string]string{
		"Merchant": c.Payee.Name, "Description": c.Description, "Line": groups(code.Text),
		"Amount": c.Amount.String() + " " + string(c.Amount.Currency()),
		"Until":  code.Until.Format(time.DateOnly), "Image": f.artefactURL(req.Token, imageForm),
	})
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
