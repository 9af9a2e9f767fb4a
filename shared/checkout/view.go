// Package checkout defines the request to pay a checkout, and the views of a checkout. Payment is the body of
// processCheckout, and a Viewer shows a checkout to clients and on the payment page (contract §4.2, §4.3).
package checkout

import (
	"net/url"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// Viewer shows checkouts.
type Viewer struct {
	Processing *processing.Processor
	BaseURL    string           // base URL of the API, without a trailing slash
	Now        func() time.Time // the platform's time
}

// View is the response object of contract §4.1 and §4.2.
type View struct {
	ID                string                  `json:"id"`
	Reference         string                  `json:"checkout_reference"`
	Amount            money.Amount            `json:"amount"`
	Currency          money.Currency          `json:"currency"`
	MerchantCode      string                  `json:"merchant_code"`
	MerchantName      string                  `json:"merchant_name"`
	MerchantCountry   string                  `json:"merchant_country"`
	MerchantSandbox   bool                    `json:"merchant_sandbox"`
	PayToEmail        string                  `json:"pay_to_email,omitempty"`
	Description       string                  `json:"description,omitempty"`
	Purpose           payments.Purpose        `json:"purpose"`
	CheckoutType      string                  `json:"checkout_type"`
	UserID            string                  `json:"user_id,omitempty"`
	ReturnURL         string                  `json:"return_url,omitempty"`
	RedirectURL       string                  `json:"redirect_url,omitempty"`
	Status            payments.CheckoutStatus `json:"status"`
	Date              rest.Instant            `json:"date"`
	ValidUntil        *rest.Instant           `json:"valid_until,omitempty"`
	CustomerID        string                  `json:"customer_id,omitempty"`
	Mandate           *payments.Mandate       `json:"mandate,omitempty"`
	Instrument        *instrumentReference    `json:"payment_instrument,omitempty"`
	TransactionCode   string                  `json:"transaction_code,omitempty"`
	TransactionID     string                  `json:"transaction_id,omitempty"`
	Transactions      []transaction           `json:"transactions"`
	HostedCheckout    *hostedCheckout         `json:"hosted_checkout,omitempty"`
	HostedCheckoutURL string                  `json:"hosted_checkout_url,omitempty"`
	Boleto            *BoletoView             `json:"boleto,omitempty"`
	Pix               *CodeView               `json:"pix,omitempty"`
	QRCodePix         *CodeView               `json:"qr_code_pix,omitempty"`
	Artefacts         []Artefact              `json:"artefacts,omitempty"`
}

type instrumentReference struct {
	Token string `json:"token"`
}

type hostedCheckout struct {
	Enabled bool `json:"enabled"`
}

// transaction is a checkout's transaction (contract §4.2).
type transaction struct {
	ID           string                     `json:"id"`
	Code         string                     `json:"transaction_code"`
	Amount       money.Amount               `json:"amount"`
	Currency     money.Currency             `json:"currency"`
	Timestamp    rest.Instant               `json:"timestamp"`
	Status       payments.TransactionStatus `json:"status"`
	PaymentType  string                     `json:"payment_type"`
	EntryMode    string                     `json:"entry_mode"`
	Installments int                        `json:"installments_count"`
	MerchantCode string                     `json:"merchant_code"`
	VATAmount    money.Amount               `json:"vat_amount"`
	TipAmount    money.Amount               `json:"tip_amount"`
	AuthCode     string                     `json:"auth_code,omitempty"`
	InternalID   int64                      `json:"internal_id"`
}

// For returns the view of a checkout for the caller (contract §2.1). A credential in a payer's browser gets the view
// for payers. A person without create_moto_payments does not see the saved card.
func (s Viewer) For(p identity.Principal, c payments.Checkout) View {
	if p.Actor.Kind.InBrowser() {
		return s.ForPayer(c)
	}
	v := s.Of(c)
	if !p.Has(identity.CreateMOTOPayments) {
		v.Instrument, v.Mandate = nil, nil
	}
	return v
}

// Of returns the full view of a checkout as it is at this moment.
func (s Viewer) Of(c payments.Checkout) View {
	currency := c.Amount.Currency()
	v := View{
		ID: c.ID, Reference: c.Reference, Amount: c.Amount, Currency: currency,
		MerchantCode: c.Payee.Code, MerchantName: c.Payee.Name, MerchantCountry: c.Payee.Country,
		MerchantSandbox: c.Payee.Sandbox, PayToEmail: c.NamedByEmail, Description: c.Description,
		Purpose: c.Purpose, CheckoutType: "checkout", UserID: c.CreatedBy, ReturnURL: c.ReturnURL,
		RedirectURL: c.RedirectURL, Status: c.StatusAt(s.Now()), Date: rest.Instant(c.CreatedAt),
		CustomerID: c.CustomerID, Mandate: c.Mandate, Transactions: viewTransactions(c, currency),
	}
	if c.ValidUntil != nil {
		until := rest.Instant(*c.ValidUntil)
		v.ValidUntil = &until
	}
	if c.InstrumentToken != "" {
		v.Instrument = &instrumentReference{Token: c.InstrumentToken}
	}
	if final, ok := c.SuccessfulTransaction(); ok {
		v.TransactionCode, v.TransactionID = final.Code, final.ID
	}
	if c.HostedCheckout != nil {
		v.HostedCheckout = &hostedCheckout{Enabled: *c.HostedCheckout}
		if *c.HostedCheckout {
			v.HostedCheckoutURL = s.PageURL(c.ID)
		}
	}
	s.showCode(&v, c)
	return v
}

// PageURL returns the address of a hosted checkout's payment page (contract §13.3).
func (s Viewer) PageURL(checkoutID string) string { return s.BaseURL + "/pay/c-" + checkoutID }

// ReturnToPage returns the address by which a payer comes back to the payment page from the page of an issuer, acquirer
// or payment method. The page then does not lead the payer there again.
func (s Viewer) ReturnToPage(checkoutID string) string { return s.PageURL(checkoutID) + "?from=bank" }

// ForPayer returns the view without the fields that a payer's browser must not learn (contract §2.1).
func (s Viewer) ForPayer(c payments.Checkout) View {
	v := s.Of(c)
	v.PayToEmail, v.UserID, v.ReturnURL, v.CustomerID, v.Instrument, v.Mandate = "", "", "", "", nil, nil
	return v
}

// ForPage returns ForPayer's view with only the latest attempt's transaction. Another person with the link to the
// payment page may have made the earlier attempts (contract §13.3).
func (s Viewer) ForPage(c payments.Checkout) View {
	v := s.ForPayer(c)
	v.Transactions = slices.DeleteFunc(v.Transactions, func(t transaction) bool {
		return c.Attempt == nil || t.ID != c.Attempt.ID
	})
	return v
}

func viewTransactions(c payments.Checkout, currency money.Currency) []transaction {
	shown := make([]transaction, len(c.Transactions))
	for i, t := range c.Transactions {
		shown[i] = transaction{
			ID: t.ID, Code: t.Code, Amount: t.Amount, Currency: currency, Timestamp: rest.Instant(t.CreatedAt),
			Status: t.Status, PaymentType: t.PaymentType, EntryMode: t.EntryMode, Installments: t.Installments,
			MerchantCode: t.MerchantCode, VATAmount: money.Zero(currency), TipAmount: money.Zero(currency),
			AuthCode: t.AuthCode, InternalID: t.InternalID(),
		}
	}
	return shown
}

// Processed is processCheckout's answer: the checkout, or the payer's next step.
type Processed struct {
	*View
	NextStep *NextStep `json:"next_step,omitempty"`
}

// Accepted returns true if a 3DS challenge is due. The answer then has the status 202 (contract §4.3).
func (p Processed) Accepted() bool { return p.NextStep != nil && p.NextStep.Method == "POST" }

// NextStep is the next page for the payer's browser (contract §4.3).
type NextStep struct {
	URL         string            `json:"url"`
	Method      string            `json:"method"`
	RedirectURL string            `json:"redirect_url,omitempty"`
	Mechanism   []string          `json:"mechanism"`
	Payload     map[string]string `json:"payload"`
	Full        string            `json:"full,omitempty"`
}

// NewNextStep returns the step as clients see it.
func NewNextStep(s *processing.Step, redirectURL string) *NextStep {
	if !s.Redirect {
		return &NextStep{URL: s.URL, Method: "POST", RedirectURL: redirectURL,
			Mechanism: []string{"iframe", "browser"}, Payload: s.Payload}
	}
	step := &NextStep{URL: s.URL, Method: "GET", Mechanism: []string{"browser"}, Payload: s.Payload,
		Full: withQuery(s.URL, s.Payload)}
	if step.Payload == nil {
		step.Payload = map[string]string{}
	}
	return step
}

// withQuery returns the URL with parameters added to its query.
func withQuery(target string, parameters map[string]string) string {
	u, err := url.Parse(target)
	if err != nil {
		return target
	}
	query := u.Query()
	for name, value := range parameters {
		query.Set(name, value)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// BoletoView is a boleto to take to a bank (contract §4.3).
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

// BoletoGroups splits a boleto's typeable line as banks print it, for reading aloud. Banks also accept the line without
// dots and spaces.
func BoletoGroups(line string) []string {
	if len(line) != TypeableLine {
		return []string{line}
	}
	return []string{
		line[0:5] + "." + line[5:10], line[10:15] + "." + line[15:21],
		line[21:26] + "." + line[26:32], line[32:33], line[33:47],
	}
}

// showCode adds the payment code to the view, if the attempt waits for the payer to pay a code.
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

// ArtefactURL returns the address for downloading a payment code.
func (s Viewer) ArtefactURL(token, form string) string {
	return s.BaseURL + "/v0.1/artefacts/" + token + "." + form + "/content"
}
