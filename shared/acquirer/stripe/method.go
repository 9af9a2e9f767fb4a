package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// methods has Stripe's types of the platform's methods. For the types with payer, Stripe needs the payer's details.
var methods = map[payments.Method]struct {
	kind  string
	payer bool
}{
	payments.CardMethod: {kind: "card"},
	payments.GooglePay:  {kind: "card"},
	payments.IDEAL:      {kind: "ideal", payer: true},
	payments.Bancontact: {kind: "bancontact", payer: true},
	payments.EPS:        {kind: "eps", payer: true},
	payments.P24:        {kind: "p24", payer: true},
	payments.Twint:      {kind: "twint"},
	payments.PayPal:     {kind: "paypal"},
	payments.Satispay:   {kind: "satispay"},
	payments.Boleto:     {kind: "boleto", payer: true},
	payments.Pix:        {kind: "pix", payer: true},
}

var (
	errMethod       = errors.New("stripe: a method that Stripe does not have")
	errInstallments = errors.New("stripe: instalments are not supported")
	errNoCard       = errors.New("stripe: the charge has no card")
	errWallet       = errors.New("stripe: the wallet's object has no token of Stripe")
	// errForeignCard reports a token that is unknown, or of another customer.
	errForeignCard = errors.New("stripe: the token is not of a card of the customer")
)

// isUnsupported returns true for a charge that this package cannot request.
func isUnsupported(err error) bool {
	return errors.Is(err, errMethod) || errors.Is(err, errInstallments) || errors.Is(err, errNoCard) ||
		errors.Is(err, errWallet)
}

// payBy returns the ids of the payment method and, if the card is or will be stored, of its customer. Errors:
// errForeignCard, or a decline (asDecline).
func (a *Acquirer) payBy(ctx context.Context, request acquirer.Charge) (method, customer string, err error) {
	ctx, cancel := context.WithTimeout(ctx, methodTime)
	defer cancel()
	switch {
	case methods[request.Method].kind == "" || request.Present != nil:
		return "", "", errMethod
	case request.Installments > 1:
		return "", "", errInstallments
	case request.Token != "":
		customer, err = a.findOwner(ctx, request)
		return request.Token, customer, err
	}
	form, err := newMethod(request)
	if err != nil {
		return "", "", err
	}
	if keepsCard(request) {
		if customer, err = a.provideCustomer(ctx, request.ID, request.Reference.Tenant, request.Customer); err != nil {
			return "", "", err
		}
	}
	var m paymentMethod
	err = a.api.send(ctx, call{method: http.MethodPost, path: "/v1/payment_methods", form: form,
		key: request.ID + "-method"}, &m)
	if err == nil && m.ID == "" {
		err = errors.New("stripe: the new payment method has no id")
	}
	return m.ID, customer, err
}

// newMethod returns the form of a payment method.
func newMethod(request acquirer.Charge) (url.Values, error) {
	terms := methods[request.Method]
	form := url.Values{"type": {terms.kind}}
	switch {
	case request.Method == payments.GooglePay:
		token, err := walletToken(request.Wallet.Reveal())
		if err != nil {
			return nil, err
		}
		form.Set("card[token]", token)
	case request.Method == payments.CardMethod && request.Card == nil:
		return nil, errNoCard
	case request.Method == payments.CardMethod:
		setCard(form, request.Card)
	}
	if terms.payer && request.Payer != nil {
		setPayer(form, *request.Payer)
	}
	if request.Method == payments.Boleto && request.Payer != nil {
		setText(form, "boleto[tax_id]", digits(request.Payer.TaxID))
	}
	return form, nil
}

func setCard(form url.Values, card *payments.Card) {
	summary := card.Summary()
	form.Set("card[number]", card.Number.Reveal())
	form.Set("card[exp_month]", strconv.Itoa(summary.ExpiryMonth))
	form.Set("card[exp_year]", strconv.Itoa(summary.ExpiryYear))
	setText(form, "card[cvc]", card.CVV.Reveal())
	setText(form, "billing_details[name]", card.Name)
	setText(form, "billing_details[address][postal_code]", card.ZipCode)
}

func setPayer(form url.Values, p payments.PersonalDetails) {
	name := p.FirstName
	if name != "" && p.LastName != "" {
		name += " "
	}
	for field, value := range map[string]string{
		"[name]": name + p.LastName, "[email]": p.Email, "[address][line1]": p.Address.Line1,
		"[address][line2]": p.Address.Line2, "[address][city]": p.Address.City, "[address][state]": p.Address.State,
		"[address][postal_code]": p.Address.PostalCode, "[address][country]": p.Address.Country,
	} {
		setText(form, "billing_details"+field, value)
	}
}

// walletToken returns the token of Stripe in the object that Google Pay gave the payer's device. The payer's browser
// sends the object, so no other id is accepted. The error does not contain the object.
func walletToken(object string) (string, error) {
	var wallet struct {
		Data struct {
			Tokenization struct {
				Token string `json:"token"`
			} `json:"tokenizationData"`
		} `json:"paymentMethodData"`
	}
	var token struct {
		ID string `json:"id"`
	}
	if json.Unmarshal([]byte(object), &wallet) != nil ||
		json.Unmarshal([]byte(wallet.Data.Tokenization.Token), &token) != nil || !isName(token.ID) ||
		!strings.HasPrefix(token.ID, "tok_") {
		return "", errWallet
	}
	return token.ID, nil
}
