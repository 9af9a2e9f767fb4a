package checkouts

import (
	"context"
	"net/url"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// processRequest is the body of processCheckout (contract §4.3).
type processRequest struct {
	ID           string                          `path:"id"`
	PaymentType  payments.Method                 `json:"payment_type" validate:"required"`
	Card         *payments.Card                  `json:"card"`
	Token        string                          `json:"token"`
	CustomerID   string                          `json:"customer_id"`
	GooglePay    map[string]any                  `json:"google_pay"`
	ApplePay     map[string]any                  `json:"apple_pay"` // no method takes it yet
	Installments *int                            `json:"installments" validate:"min=1 max=12"`
	Mandate      *mandateRequest                 `json:"mandate"`
	Payer        *payments.PersonalDetailsChange `json:"personal_details"`
}

type mandateRequest struct {
	Type      string `json:"type" validate:"required one-of=recurrent"`
	UserAgent string `json:"user_agent" validate:"required text=4096"`
	UserIP    string `json:"user_ip" validate:"text=255"`
}

// processed is processCheckout's answer: the checkout, or where the payer goes next.
type processed struct {
	*checkout
	NextStep *nextStep `json:"next_step,omitempty"`
}

// Accepted reports whether a 3DS challenge is due: 202 (contract §4.3).
func (p processed) Accepted() bool { return p.NextStep != nil && p.NextStep.Method == "POST" }

// nextStep sends the payer's browser somewhere (contract §4.3).
type nextStep struct {
	URL         string            `json:"url"`
	Method      string            `json:"method"`
	RedirectURL string            `json:"redirect_url,omitempty"`
	Mechanism   []string          `json:"mechanism"`
	Payload     map[string]string `json:"payload"`
	Full        string            `json:"full,omitempty"`
}

// process is processCheckout.
func (f family) process(ctx context.Context, req processRequest) (processed, error) {
	caller := rest.Caller(ctx)
	payee := rest.Merchant(ctx)
	if !payee.OnlinePayments {
		return processed{}, failure.Forbidden("checkout_payments_not_allowed")
	}
	if err := req.check(payee, f).Err(); err != nil {
		return processed{}, err
	}
	if err := f.visible(ctx, req.ID); err != nil {
		return processed{}, err
	}
	request := req.paymentRequest(rest.OperationID(ctx))
	request.PayerPresent = caller.Actor.Kind == identity.PublicKey
	c, step, err := f.processing.Start(ctx, caller.Tenant, request)
	if err != nil {
		return processed{}, err
	}
	if step != nil {
		return processed{NextStep: newNextStep(step, c.RedirectURL)}, nil
	}
	view := f.publicView(c, caller.Actor.Kind)
	return processed{checkout: &view}, nil
}

func (req processRequest) paymentRequest(operation string) processing.PaymentRequest {
	request := processing.PaymentRequest{
		CheckoutID: req.ID, Operation: operation, Method: req.PaymentType, Card: req.Card,
		CustomerID: req.CustomerID, Token: req.Token, Mandate: req.Mandate != nil, Payer: req.Payer, Installments: 1,
	}
	if req.Installments != nil {
		request.Installments = *req.Installments
	}
	return request
}

// check lists everything the request alone shows to be wrong; of a method that
// cannot be used, that alone.
func (req processRequest) check(m merchant.Merchant, f family) failure.List {
	fields := req
	if !req.byNewCard() {
		fields.Card = nil // whatever is in it
	}
	faults := validate.Fields(fields, f.store.Now())
	if req.PaymentType == "" {
		return faults[:1]
	}
	if fault := payments.CheckMethod(req.PaymentType, m); fault != nil {
		return failure.List{fault}
	}
	if req.PaymentType == payments.CardMethod {
		faults = append(faults, req.checkInstrument(m)...)
	} else {
		faults = append(faults, req.checkNoInstrument()...)
	}
	if req.PaymentType == payments.GooglePay && req.GooglePay == nil {
		faults = append(faults, failure.Missing("google_pay"))
	}
	if n := req.Installments; n != nil && *n > 1 && m.Country != "BR" && !faults.Names("installments") {
		faults = append(faults, failure.Invalid("installments", "can be above 1 only for merchants in Brazil"))
	}
	return validate.Order(req, faults)
}

// byNewCard reports whether the card in the request is to be charged.
func (req processRequest) byNewCard() bool {
	return req.PaymentType == payments.CardMethod && req.Card != nil && req.Token == ""
}

// checkInstrument wants either a card, or a saved one with its owner.
func (req processRequest) checkInstrument(m merchant.Merchant) failure.List {
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

// checkNoInstrument refuses what only a payment by card can use: an unchecked
// card would be charged and saved.
func (req processRequest) checkNoInstrument() failure.List {
	var faults failure.List
	if req.Card != nil {
		faults = append(faults, failure.Invalid("card", "is allowed only with the payment_type card"))
	}
	if req.Token != "" {
		faults = append(faults, failure.Invalid("token", "is allowed only with the payment_type card"))
	}
	return faults
}

func newNextStep(s *processing.Step, redirectURL string) *nextStep {
	if !s.Redirect {
		return &nextStep{URL: s.URL, Method: "POST", RedirectURL: redirectURL,
			Mechanism: []string{"iframe", "browser"}, Payload: s.Payload}
	}
	step := &nextStep{URL: s.URL, Method: "GET", Mechanism: []string{"browser"}, Payload: s.Payload,
		Full: withQuery(s.URL, s.Payload)}
	if step.Payload == nil {
		step.Payload = map[string]string{}
	}
	return step
}

// withQuery adds parameters to a URL's own.
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
