package stripe

import "github.com/cashwrap/cashwrap/shared/payments"

// Return codes, ISO 8583:1987 field 39, that this package chooses itself.
const (
	codeApproved      = "00"
	codeDoNotHonour   = "05"
	codeInvalidAmount = "13"
	codeInvalidCard   = "14"
	codeNoRecord      = "25"
	codeMalfunction   = "96"
)

// returnCodes maps Stripe's decline codes, and the error codes of failures without a decline code, to ISO 8583 field
// 39. Any other code becomes 05. Source: docs.stripe.com/declines/codes and docs.stripe.com/error-codes.
var returnCodes = map[string]string{
	"authentication_required":                "65",
	"call_issuer":                            "01",
	"card_not_supported":                     "57",
	"card_velocity_exceeded":                 "61",
	"currency_not_supported":                 "57",
	"duplicate_transaction":                  "94",
	"expired_card":                           "54",
	"fraudulent":                             "59",
	"highest_risk_level":                     "59",
	"incorrect_cvc":                          "63",
	"incorrect_number":                       codeInvalidCard,
	"incorrect_pin":                          "55",
	"insufficient_funds":                     "51",
	"invalid_account":                        codeInvalidCard,
	"invalid_amount":                         codeInvalidAmount,
	"invalid_cvc":                            "63",
	"invalid_expiry_month":                   "54",
	"invalid_expiry_year":                    "54",
	"invalid_number":                         codeInvalidCard,
	"invalid_pin":                            "55",
	"issuer_not_available":                   "91",
	"lost_card":                              "41",
	"not_permitted":                          "57",
	"offline_pin_required":                   "55",
	"payment_intent_authentication_failure":  "63",
	"payment_intent_payment_attempt_expired": "17",
	"payment_method_customer_decline":        "17",
	"pickup_card":                            "04",
	"pin_try_exceeded":                       "75",
	"processing_error":                       codeMalfunction,
	"reenter_transaction":                    "19",
	"restricted_card":                        "62",
	"security_violation":                     "63",
	"service_not_allowed":                    "57",
	"setup_intent_authentication_failure":    "63",
	"stolen_card":                            "43",
	"transaction_not_allowed":                "57",
	"withdrawal_count_limit_exceeded":        "65",
}

// authenticationRequired is the failure of a charge without its payer, whose issuer asks for the payer.
var authenticationRequired = failure{DeclineCode: "authentication_required"}

// neverRetry is the advice of an issuer who forbids further charges of the card.
const neverRetry = "do_not_try_again"

// declined returns the outcome of a failure.
func declined(f failure) *outcome {
	o := &outcome{Decision: payments.Declined, ReturnCode: codeDoNotHonour, NeverRetry: f.AdviceCode == neverRetry}
	for _, code := range []string{f.DeclineCode, f.Code} {
		if known, ok := returnCodes[code]; ok {
			o.ReturnCode = known
			break
		}
	}
	return o
}

// declinedAs returns the outcome of a request that this package declines itself.
func declinedAs(code string) *outcome { return &outcome{Decision: payments.Declined, ReturnCode: code} }

// closed returns the outcome of an intent that is final. An intent is confirmed only once. So if it failed before it
// was cancelled, the failure decides. The hold of a verification is always cancelled, which says nothing about its
// success.
func (c charge) closed(i intent) *outcome {
	switch {
	case i.Status == statusSucceeded:
		return c.approved(i)
	case c.Closing != nil:
		return c.Closing
	case c.Verification && i.attempt().Status == string(statusSucceeded):
		return c.approved(i)
	case i.failure() != nil:
		return declined(*i.failure())
	default:
		return &outcome{Decision: payments.Cancelled}
	}
}

// approved returns the outcome of an intent that has captured the amount, or has held the amount of a verification.
func (c charge) approved(i intent) *outcome {
	attempt := i.attempt()
	o := &outcome{Decision: payments.Approved, ReturnCode: codeApproved, AcquirerReference: attempt.ID}
	if o.AcquirerReference == "" {
		o.AcquirerReference = i.ID
	}
	if d := attempt.Details.Card; d != nil {
		o.AuthCode, o.NetworkTransactionID, o.ThreeDS = d.AuthorizationCode, d.NetworkTransactionID, d.threeDS()
		o.Card = d.summary()
	}
	if o.Card == nil && i.PaymentMethod != nil && i.PaymentMethod.Card != nil {
		o.Card = i.PaymentMethod.Card.summary()
	}
	if o.Card != nil && c.KeepsCard && i.PaymentMethod != nil {
		o.Card.AcquirerToken = i.PaymentMethod.ID
	}
	return o
}

// brands maps Stripe's brands to contract §2.7's card types.
var brands = map[string]string{"amex": "AMEX", "diners": "DINERS", "discover": "DISCOVER", "elo": "ELO", "jcb": "JCB",
	"mastercard": "MASTERCARD", "unionpay": "CUP", "visa": "VISA"}

// summary returns the card's data that may be stored. It returns nil for the attempt of a SetupIntent, which has no
// card number.
func (d cardDetails) summary() *payments.CardSummary {
	if d.LastFour == "" {
		return nil
	}
	brand := brands[d.Brand]
	if brand == "" {
		brand = payments.Brand("")
	}
	return &payments.CardSummary{Brand: brand, LastFour: d.LastFour, ExpiryMonth: d.ExpiryMonth, ExpiryYear: d.ExpiryYear}
}

// threeDS returns the result of the authentication. The issuer is liable if the payer was authenticated, or if the
// merchant tried to and the card scheme has confirmed that.
func (d cardDetails) threeDS() payments.ThreeDS {
	if d.ThreeDS == nil {
		return payments.ThreeDS{}
	}
	return payments.ThreeDS{ECI: d.ThreeDS.ECI,
		LiabilityShift: d.ThreeDS.Result == "authenticated" || d.ThreeDS.Result == "attempt_acknowledged"}
}
