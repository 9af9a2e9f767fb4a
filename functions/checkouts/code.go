package checkouts

import (
	"bytes"
	"context"
	"image/png"
	"strings"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
	"github.com/boombuler/barcode/twooffive"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// boletoView, codeView and artefactView are what a payer takes to a bank
// (contract §4.3).
type boletoView struct {
	Barcode    string       `json:"barcode"`
	URL        string       `json:"url"`
	ValidUntil rest.Instant `json:"valid_until"`
}

type codeView struct {
	Artefacts []artefactView `json:"artefacts"`
}

type artefactView struct {
	Name        string       `json:"name"`
	ContentType string       `json:"content_type"`
	Location    string       `json:"location"`
	Content     string       `json:"content,omitempty"`
	CreatedAt   rest.Instant `json:"created_at"`
}

// The two forms of a payment code.
const (
	imageForm = "barcode"
	textForm  = "code"
	textType  = "text/plain;charset=UTF-8"
	imageType = "image/png"
)

// showCode adds the payment code of an attempt that requires the payer's action.
func (f family) showCode(v *checkout, c payments.Checkout) {
	if !c.RequiresAction() || c.Attempt.Code == nil {
		return
	}
	token, code, at := f.processing.SessionToken(*c.Attempt), c.Attempt.Code, rest.Instant(c.Attempt.StartedAt)
	image := artefactView{Name: imageForm, ContentType: imageType, Location: f.artefactURL(token, imageForm),
		CreatedAt: at}
	text := artefactView{Name: textForm, ContentType: textType, Location: f.artefactURL(token, textForm),
		Content: code.Text, CreatedAt: at}
	switch c.Attempt.Method {
	case payments.Boleto:
		v.Boleto = &boletoView{Barcode: code.Text, URL: f.baseURL + "/v0.1/checkouts/" + c.ID + "/boletos/" + token,
			ValidUntil: rest.Instant(code.Until)}
		v.Artefacts = []artefactView{image, text}
	case payments.Pix:
		v.Pix = &codeView{Artefacts: []artefactView{image, text}}
	case payments.QRCodePix:
		v.QRCodePix = &codeView{Artefacts: []artefactView{image, text}}
	}
}

func (f family) artefactURL(token, form string) string {
	return f.baseURL + "/v0.1/artefacts/" + token + "." + form + "/content"
}

// artefact is downloadArtefact: a payment code as an image or as text. Its id cannot be
// guessed, so no credential is asked for.
func (f family) artefact(ctx context.Context, req idRequest) (rest.Document, error) {
	token, form, _ := strings.Cut(req.ID, ".")
	voucher, err := f.processing.Code(ctx, token)
	if err != nil {
		return rest.Document{}, err
	}
	method, code := voucher.Attempt.Method, voucher.Code
	switch form {
	case textForm:
		return rest.Document{ContentType: textType, Body: []byte(code.Text)}, nil
	case imageForm:
		image, err := codeImage(method, code.Text)
		return rest.Document{ContentType: imageType, Body: image}, err
	default:
		return rest.Document{}, failure.NotFound("There is no such code.")
	}
}

// codeImage draws a boleto's barcode (interleaved 2 of 5, FEBRABAN) or a Pix
// QR code (BR Code).
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

// typeableLine is the length of a boleto's "linha digitável".
const typeableLine = 47

// boletoBarcode turns a boleto's typeable line (47 digits) into its barcode
// (44): bank and currency, general check digit, due date and amount, then the
// free fields without their check digits (FEBRABAN, boleto layout).
func boletoBarcode(line string) string {
	if len(line) != typeableLine {
		return line
	}
	return line[0:4] + line[32:33] + line[33:47] + line[4:9] + line[10:20] + line[21:31]
}
