package checkouts

import (
	"bytes"
	"context"
	"image/png"
	"strings"
	"time"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
	"github.com/boombuler/barcode/twooffive"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// downloadArtefact handles downloadArtefact. It returns a payment code as an image or as text. The request needs no
// credential, since the id in the URL cannot be guessed.
func (f family) downloadArtefact(ctx context.Context, req idRequest) (rest.Document, error) {
	token, form, _ := strings.Cut(string(req.ID), ".")
	voucher, err := f.processing.Code(ctx, token)
	if err != nil {
		return rest.Document{}, err
	}
	method, code := voucher.Attempt.Method, voucher.Code
	switch form {
	case checkout.TextForm:
		return rest.Document{ContentType: checkout.TextType, Body: []byte(code.Text)}, nil
	case checkout.ImageForm:
		image, err := codeImage(method, code.Text)
		return rest.Document{ContentType: checkout.ImageType, Body: image}, err
	default:
		return rest.Document{}, failure.NotFound("There is no such code.")
	}
}

// codeImage draws a boleto's barcode (interleaved 2 of 5, FEBRABAN) or a Pix QR code (BR Code).
func codeImage(method payments.Method, text string) ([]byte, error) {
	draw, width, height := drawQR, 320, 320
	if method == payments.Boleto {
		draw, width, height = drawBoleto, 810, 100
	}
	code, err := draw(text)
	if err != nil {
		return nil, err
	}
	scaled, err := barcode.Scale(code, width, height)
	if err != nil {
		return nil, err
	}
	var image bytes.Buffer
	err = png.Encode(&image, scaled)
	return image.Bytes(), err
}

func drawQR(text string) (barcode.Barcode, error) { return qr.Encode(text, qr.M, qr.Auto) }

func drawBoleto(line string) (barcode.Barcode, error) {
	return twooffive.Encode(boletoBarcode(line), true)
}

// boletoBarcode turns a boleto's typeable line (47 digits) into its barcode (44 digits). The barcode has the bank and
// currency, the general check digit, the due date and amount, then the free fields without their check digits
// (FEBRABAN, boleto layout).
func boletoBarcode(line string) string {
	if len(line) != checkout.TypeableLine {
		return line
	}
	return line[0:4] + line[32:33] + line[33:47] + line[4:9] + line[10:20] + line[21:31]
}

var boletoPage = page.New("").In("pt-BR")

// brasilia is the time zone of a boleto's last day. Brazil has had no summer time since 2019 (Decreto 9.772).
var brasilia = time.FixedZone("BRT", -3*60*60)

type boletoRequest struct {
	ID    rest.ID `path:"id"`
	Token string  `path:"n"`
}

// downloadBoleto handles downloadBoleto. It returns a page for the payer to print.
func (f family) downloadBoleto(ctx context.Context, req boletoRequest) (rest.Document, error) {
	voucher, err := f.processing.Code(ctx, req.Token)
	if err != nil {
		return rest.Document{}, err
	}
	c, code := voucher.Checkout, voucher.Code
	if c.ID != string(req.ID) || c.Attempt.Method != payments.Boleto {
		return rest.Document{}, failure.NotFound("There is no such boleto.")
	}
	drawn, err := boletoPage.Draw("Boleto", boletoBody(boletoContent{
		test: voucher.Mode == identity.Test, merchant: c.Payee.Name, description: c.Description,
		line: checkout.BoletoGroups(code.Text), amount: inReais(c.Amount),
		until: code.Until.In(brasilia).Format("02/01/2006"), image: f.views.ArtefactURL(req.Token, checkout.ImageForm),
	}))
	return rest.Document{HTML: drawn.HTML, CSP: drawn.Showing().CSP}, err
}

// inReais formats an amount as in Brazil: R$ 1.234,56.
func inReais(a money.Amount) string {
	whole, cents, _ := strings.Cut(a.String(), ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "." + whole[at:]
	}
	return "R$\u00a0" + whole + "," + cents
}
