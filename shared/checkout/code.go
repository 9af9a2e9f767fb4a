package checkout

import (
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// BoletoView is a boleto, as a payer takes it to a bank (contract §4.3).
type BoletoView struct {
	Barcode    string       `json:"barcode"`
	URL        string       `json:"url"`
	ValidUntil rest.Instant `json:"valid_until"`
}

// CodeView is a Pix code.
type CodeView struct {
	Artefacts []Artefact `json:"artefacts"`
}

// Artefact is a payment code in one of its forms.
type Artefact struct {
	Name        string       `json:"name"`
	ContentType string       `json:"content_type"`
	Location    string       `json:"location"`
	Content     string       `json:"content,omitempty"`
	CreatedAt   rest.Instant `json:"created_at"`
}

// The two forms of a payment code, and their content types.
const (
	ImageForm = "barcode"
	TextForm  = "code"
	TextType  = "text/plain;charset=UTF-8"
	ImageType = "image/png"
)

// TypeableLine is the length of a boleto's "linha digitável".
const TypeableLine = 47

// BoletoGroups splits a boleto's typeable line as banks print it, for reading aloud. Banks take it
// without the dots and spaces too.
func BoletoGroups(line string) []string {
	if len(line) != TypeableLine {
		return []string{line}
	}
	return []string{
		line[0:5] + "." + line[5:10], line[10:15] + "." + line[15:21],
		line[21:26] + "." + line[26:32], line[32:33], line[33:47],
	}
}

// showCode adds the payment code of an attempt that requires the payer's action.
func (s Viewer) showCode(v *View, c payments.Checkout) {
	if !c.RequiresAction() || c.Attempt.Code == nil {
		return
	}
	token, code, at := s.Processing.SessionToken(*c.Attempt), c.Attempt.Code, rest.Instant(c.Attempt.StartedAt)
	image := Artefact{Name: ImageForm, ContentType: ImageType, Location: s.ArtefactURL(token, ImageForm),
		CreatedAt: at}
	text := Artefact{Name: TextForm, ContentType: TextType, Location: s.ArtefactURL(token, TextForm),
		Content: code.Text, CreatedAt: at}
	switch c.Attempt.Method {
	case payments.Boleto:
		v.Boleto = &BoletoView{Barcode: code.Text, URL: s.BaseURL + "/v0.1/checkouts/" + c.ID + "/boletos/" + token,
			ValidUntil: rest.Instant(code.Until)}
		v.Artefacts = []Artefact{image, text}
	case payments.Pix:
		v.Pix = &CodeView{Artefacts: []Artefact{image, text}}
	case payments.QRCodePix:
		v.QRCodePix = &CodeView{Artefacts: []Artefact{image, text}}
	}
}

// ArtefactURL is where a payment code is downloaded.
func (s Viewer) ArtefactURL(token, form string) string {
	return s.BaseURL + "/v0.1/artefacts/" + token + "." + form + "/content"
}
