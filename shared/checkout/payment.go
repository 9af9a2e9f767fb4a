package checkout

import (
	"encoding/json"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Payment is the body of processCheckout (contract §4.3).
type Payment struct {
	PaymentType  payments.Method                 `json:"payment_type" validate:"required"`
	Card         *payments.Card                  `json:"card"`
	Token        rest.ID                         `json:"token"`
	CustomerID   string                          `json:"customer_id"`
	GooglePay    map[string]json.RawMessage      `json:"google_pay"`
	ApplePay     map[string]any                  `json:"apple_pay"` // no method uses this field yet
	Installments *int                            `json:"installments" validate:"min=1 max=12"`
	Mandate      *Mandate                        `json:"mandate"`
	Payer        *payments.PersonalDetailsChange `json:"personal_details"`
}

// Mandate is the payer's consent as a client sends it.
type Mandate struct {
	Type      string `json:"type" validate:"required one-of=recurrent"`
	UserAgent string `json:"user_agent" validate:"required text=4096"`
	UserIP    string `json:"user_ip" validate:"text=255"`
}

// Request returns the request to pay the checkout. A repeated request has the same operation.
func (req Payment) Request(checkoutID, operation string, m merchant.Merchant) processing.PaymentRequest {
	request := processing.PaymentRequest{
		CheckoutID: checkoutID, Operation: operation, Method: req.PaymentType, Card: req.Card,
		CustomerID: req.CustomerID, Token: string(req.Token), Wallet: req.wallet(), Payer: req.Payer, Installments: 1,
		Merchant: m,
	}
	if req.Installments != nil {
		request.Installments = *req.Installments
	}
	if req.Mandate != nil {
		request.Consent = &payments.Consent{UserAgent: req.Mandate.UserAgent, IP: req.Mandate.UserIP}
	}
	return request
}

// wallet returns the JSON object that the payer's wallet gave.
func (req Payment) wallet() secret.Text {
	if req.PaymentType != payments.GooglePay {
		return secret.Text{}
	}
	object, err := json.Marshal(req.GooglePay)
	if err != nil { // the values were decoded from JSON
		panic(err)
	}
	return secret.New(string(object))
}

// Check returns the faults that can be found without the checkout. If the method is missing or unusable, Check returns
// only that fault.
func (req Payment) Check(m merchant.Merchant, now time.Time) failure.List {
	fields := req
	if !req.chargesNewCard() {
		fields.Card = nil // this card is not charged, so its faults do not matter
	}
	faults := validate.Fields(fields, now)
	if req.PaymentType == "" {
		return faults[:1]
	}
	if fault := payments.CheckMethod(req.PaymentType, m); fault != nil {
		return failure.List{fault}
	}
	if req.PaymentType == payments.CardMethod {
		faults = append(faults, req.checkInstrument(m)...)
	} else { // without this fault, an unchecked card would be charged and saved
		const cardsOnly = "is allowed only with the payment_type card"
		faults = faults.
			If(req.Card != nil, failure.Invalid("card", cardsOnly)).
			If(req.Token != "", failure.Invalid("token", cardsOnly))
	}
	several := req.Installments != nil && *req.Installments > 1
	return validate.Order(req, faults.
		If(req.PaymentType == payments.GooglePay && req.GooglePay == nil, failure.Missing("google_pay")).
		If(several && m.Country != "BR" && !faults.Names("installments"),
			failure.Invalid("installments", "can be above 1 only for merchants in Brazil")))
}

// chargesNewCard returns true if the request charges the card that it contains.
func (req Payment) chargesNewCard() bool {
	return req.PaymentType == payments.CardMethod && req.Card != nil && req.Token == ""
}

// checkInstrument requires either a card, or the token of a saved card with its customer.
func (req Payment) checkInstrument(m merchant.Merchant) failure.List {
	switch {
	case req.Card != nil && req.Token != "":
		return failure.List{failure.Invalid("token", "cannot be sent together with card")}
	case req.Card != nil && req.Card.ZipCode == "" && m.Country == "US":
		return failure.List{failure.Missing("card.zip_code")}
	case req.Card == nil && req.Token == "":
		return failure.List{failure.Missing("card")}
	case req.Card == nil && req.CustomerID == "":
		return failure.List{failure.Missing("customer_id")}
	default:
		return nil
	}
}
