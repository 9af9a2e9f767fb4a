package stripe

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// status is the status of an intent.
type status string

// The statuses that this package knows. A new intent has a payment method, so it needs no other before it is confirmed.
const (
	statusNew       status = "requires_confirmation"
	statusFailed    status = "requires_payment_method"
	statusAction    status = "requires_action"
	statusHeld      status = "requires_capture"
	statusSucceeded status = "succeeded"
	statusCanceled  status = "canceled"
)

// intent is a PaymentIntent or a SetupIntent.
type intent struct {
	ID               string         `json:"id"`
	Status           status         `json:"status"`
	NextAction       *nextAction    `json:"next_action"`
	LastPaymentError *failure       `json:"last_payment_error"`
	LastSetupError   *failure       `json:"last_setup_error"`
	LatestCharge     *chargeObject  `json:"latest_charge"`
	LatestAttempt    *chargeObject  `json:"latest_attempt"` // of a SetupIntent
	PaymentMethod    *paymentMethod `json:"payment_method"`
}

// nextAction is the next step of the payer. At most one of its fields is set.
type nextAction struct {
	Redirect *struct {
		URL string `json:"url"`
	} `json:"redirect_to_url"`
	Boleto *struct {
		Number    string `json:"number"`
		ExpiresAt int64  `json:"expires_at"`
	} `json:"boleto_display_details"`
	Pix *struct {
		Data      string `json:"data"`
		ExpiresAt int64  `json:"expires_at"`
	} `json:"pix_display_qr_code"`
}

// chargeObject is a charge of a PaymentIntent, or an attempt of a SetupIntent.
type chargeObject struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Metadata map[string]string `json:"metadata"`
	Details  struct {
		Card *cardDetails `json:"card"`
	} `json:"payment_method_details"`
}

// cardDetails has the card of a charge or of a payment method.
type cardDetails struct {
	Brand                string `json:"brand"`
	LastFour             string `json:"last4"`
	ExpiryMonth          int    `json:"exp_month"`
	ExpiryYear           int    `json:"exp_year"`
	AuthorizationCode    string `json:"authorization_code"`
	NetworkTransactionID string `json:"network_transaction_id"`
	ThreeDS              *struct {
		ECI    string `json:"electronic_commerce_indicator"`
		Result string `json:"result"`
	} `json:"three_d_secure"`
}

type paymentMethod struct {
	ID       string       `json:"id"`
	Customer string       `json:"customer"`
	Card     *cardDetails `json:"card"`
}

// UnmarshalJSON reads the object, or only its id if Stripe has not expanded it.
func (c *chargeObject) UnmarshalJSON(b []byte) error {
	type plain chargeObject
	return unmarshalExpandable(b, &c.ID, (*plain)(c))
}

// UnmarshalJSON reads the object, or only its id if Stripe has not expanded it.
func (m *paymentMethod) UnmarshalJSON(b []byte) error {
	type plain paymentMethod
	return unmarshalExpandable(b, &m.ID, (*plain)(m))
}

func unmarshalExpandable(b []byte, id *string, object any) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, id)
	}
	return json.Unmarshal(b, object)
}

// expanding returns the parameters that have Stripe expand the objects of an intent that this package reads.
func expanding(intentID string) url.Values {
	if isSetup(intentID) {
		return url.Values{"expand[]": {"latest_attempt", "payment_method"}}
	}
	return url.Values{"expand[]": {"latest_charge", "payment_method"}}
}

// isFinal returns true if the intent can neither succeed nor fail any more.
func (i intent) isFinal() bool { return i.Status == statusSucceeded || i.Status == statusCanceled }

// failure returns why the intent failed, or nil.
func (i intent) failure() *failure {
	if i.LastPaymentError != nil {
		return i.LastPaymentError
	}
	return i.LastSetupError
}

// attempt returns the charge of the intent, or the attempt of a SetupIntent. Without one it returns the zero object.
func (i intent) attempt() chargeObject {
	switch {
	case i.LatestCharge != nil:
		return *i.LatestCharge
	case i.LatestAttempt != nil:
		return *i.LatestAttempt
	default:
		return chargeObject{}
	}
}

// waiting returns the outcome of an intent that waits for its payer. The outcome is unknown if the intent asks for
// something that this package does not know.
func (i intent) waiting() payments.Outcome {
	o := payments.Outcome{Decision: payments.OutcomeUnknown, AcquirerReference: i.attempt().ID}
	switch next := i.NextAction; {
	case next == nil:
	case next.Redirect != nil:
		o.Decision, o.Step = payments.Challenge, &payments.Step{URL: next.Redirect.URL}
	case next.Boleto != nil:
		o.Decision, o.Code = payments.Voucher, newCode(digits(next.Boleto.Number), next.Boleto.ExpiresAt)
	case next.Pix != nil:
		o.Decision, o.Code = payments.Voucher, newCode(next.Pix.Data, next.Pix.ExpiresAt)
	}
	return o
}

func newCode(text string, expiresAt int64) *payments.PaymentCode {
	return &payments.PaymentCode{Text: text, Until: time.Unix(expiresAt, 0).UTC()}
}

// digits returns the digits of a text. Boletos are printed with dots and blanks.
func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

func (a *Acquirer) readIntent(ctx context.Context, id string) (intent, error) {
	var i intent
	err := a.api.send(ctx, call{method: http.MethodGet, path: intentPath(id), form: expanding(id)}, &i)
	return i, err
}

// setupPrefix begins the id of a SetupIntent, which verifies a card without an amount. Every other intent is a
// PaymentIntent.
const setupPrefix = "seti_"

func isSetup(intentID string) bool { return strings.HasPrefix(intentID, setupPrefix) }

func intentPath(id string) string {
	if isSetup(id) {
		return "/v1/setup_intents/" + id
	}
	return "/v1/payment_intents/" + id
}
