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
)

// processRequest is the body of processCheckout (contract §4.3).
type processRequest struct {
	ID           string                    `path:"id"`
	PaymentType  payments.Method           `json:"payment_type"`
	Card         *payments.Card            `json:"card"`
	Token        string                    `json:"token"`
	CustomerID   string                    `json:"customer_id"`
	Installments *int                      `json:"installments"`
	Mandate      *mandateRequest           `json:"mandate"`
	GooglePay    map[string]any            `json:"google_pay"`
	ApplePay     map[string]any            `json:"apple_pay"` // no method takes it yet
	Payer        *payments.PersonalDetails `json:"personal_details"`
}

type mandateRequest struct {
	Type      string `json:"type"`
	UserAgent string `json:"user_agent"`
	UserIP    string `json:"user_ip"`
}

// processed is processCheckout's answer: the checkout, or where the payer goes next.
type processed struct {
	*checkout
	NextStep *nextStep `json:"next_step,omitempty"`
}

// Accepted says a 3DS challenge is due: 202 (contract §4.3).
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
		return processed{}, failure.Denied("checkout_payments_not_allowed")
	}
	if err := req.check(payee, f).Err(); err != nil {
		return processed{}, err
	}
	order := req.order(rest.OperationID(ctx))
	order.PayerPresent = caller.Actor.Kind == identity.PublicKey
	c, step, err := f.processing.Start(ctx, caller.Tenant, order)
	if err != nil {
		return processed{}, err
	}
	if step != nil {
		return processed{NextStep: newNextStep(step, c.RedirectURL)}, nil
	}
	view := f.publicView(c, caller.Actor.Kind)
	return processed{checkout: &view}, nil
}

func (req processRequest) order(operation string) processing.Order {
	order := processing.Order{
		CheckoutID: req.ID, Operation: operation, Method: req.PaymentType, Card: req.Card,
		CustomerID: req.CustomerID, Token: req.Token, Mandate: req.Mandate != nil, Payer: req.Payer, Installments: 1,
	}
	if req.Installments != nil {
		order.Installments = *req.Installments
	}
	return order
}

// check lists everything the request alone shows to be wrong.
func (req processRequest) check(m merchant.Merchant, f family) failure.List {
	if req.PaymentType == "" {
		return failure.List{failure.Missing("payment_type")}
	}
	if fault := payments.CheckMethod(req.PaymentType, m.Currency, f.methods); fault != nil {
		return failure.List{fault}
	}
	var faults failure.List
	if req.PaymentType == payments.CardMethod {
		faults = append(faults, req.checkInstrument(m, f)...)
	} else {
		faults = append(faults, req.checkNoInstrument()...)
	}
	if req.PaymentType == payments.GooglePay && req.GooglePay == nil {
		faults = append(faults, failure.Missing("google_pay"))
	}
	faults = append(faults, req.checkInstallments(m)...)
	faults = append(faults, req.Mandate.check()...)
	return append(faults, req.Payer.Check(f.store.Now())...)
}

// checkInstrument wants either a card, or a saved one with its owner.
func (req processRequest) checkInstrument(m merchant.Merchant, f family) failure.List {
	switch {
	case req.Card != nil && req.Token != "":
		return failure.List{failure.Invalid("token", "send either card or token")}
	case req.Card != nil:
		return req.Card.Check(m.Country, f.store.Now())
	case req.Token == "":
		return failure.List{failure.Missing("card")}
	case req.CustomerID == "":
		return failure.List{failure.Missing("customer_id")}
	default:
		return nil
	}
}

// checkNoInstrument refuses what only a payment by card can use: a number that
// nobody has checked would be charged, and kept as a saved card.
func (req processRequest) checkNoInstrument() failure.List {
	var faults failure.List
	if req.Card != nil {
		faults = append(faults, failure.Invalid("card", "goes with the payment_type card only"))
	}
	if req.Token != "" {
		faults = append(faults, failure.Invalid("token", "goes with the payment_type card only"))
	}
	return faults
}

func (req processRequest) checkInstallments(m merchant.Merchant) failure.List {
	const most = 12
	switch n := req.Installments; {
	case n == nil || *n == 1:
		return nil
	case *n < 1 || *n > most:
		return failure.List{failure.Invalid("installments", "must be 1 to 12")}
	case m.Country != "BR":
		return failure.List{failure.Invalid("installments", "above 1 only for merchants in Brazil")}
	default:
		return nil
	}
}

// Limits of the mandate's texts, our own and far above what browsers send.
const (
	maxUserAgent = 4096
	maxUserIP    = 255
)

func (r *mandateRequest) check() failure.List {
	if r == nil {
		return nil
	}
	var faults failure.List
	switch r.Type {
	case "recurrent":
	case "":
		faults = append(faults, failure.Missing("mandate.type"))
	default:
		faults = append(faults, failure.Invalid("mandate.type", "must be recurrent"))
	}
	if r.UserAgent == "" {
		faults = append(faults, failure.Missing("mandate.user_agent"))
	}
	faults = append(faults, failure.Text("mandate.user_agent", r.UserAgent, maxUserAgent)...)
	return append(faults, failure.Text("mandate.user_ip", r.UserIP, maxUserIP)...)
}

func newNextStep(s *processing.Step, redirectURL string) *nextStep {
	if !s.Redirect {
		return &nextStep{URL: s.URL, Method: "POST", RedirectURL: redirectURL,
			Mechanism: []string{"iframe", "browser"}, Payload: s.Payload}
	}
	step := &nextStep{URL: s.URL, Method: "GET", Mechanism: []string{"browser"}, Payload: s.Payload, Full: withQuery(s.URL, s.Payload)}
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
