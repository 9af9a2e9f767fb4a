package stripe

import (
	"regexp"
	"testing"

	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestDeclined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason failure
		code   string
		never  bool
	}{
		{failure{Code: "card_declined", DeclineCode: "insufficient_funds"}, "51", false},
		{failure{Code: "expired_card"}, "54", false},
		{failure{Code: "card_declined", DeclineCode: "generic_decline"}, "05", false},
		{failure{Code: "incorrect_cvc", DeclineCode: "new_at_stripe"}, "63", false},
		{failure{Code: "card_declined", DeclineCode: "lost_card", AdviceCode: "do_not_try_again"}, "41", true},
		{failure{Code: "card_declined", DeclineCode: "stolen_card", AdviceCode: "try_again_later"}, "43", false},
		{failure{Code: "payment_intent_authentication_failure"}, "63", false},
		{failure{}, "05", false},
	} {
		o := declined(c.reason)
		if o.Decision != payments.Declined || o.ReturnCode != c.code || o.NeverRetry != c.never {
			t.Errorf("%+v: got %+v, want declined with %s, for good %t", c.reason, o, c.code, c.never)
		}
	}
	field39 := regexp.MustCompile(`^[0-9A-Z]{2}$`)
	for reason, code := range returnCodes {
		if !field39.MatchString(code) {
			t.Errorf("%s: got %q, want two characters", reason, code)
		}
	}
}

func TestApproved_Shapes(t *testing.T) {
	t.Parallel()
	bare := charge{}.approved(intent{ID: "pi_1"})
	if bare.AcquirerReference != "pi_1" || bare.Card != nil || bare.ReturnCode != "00" {
		t.Errorf("got %+v without a charge, want the intent's id and no card", bare)
	}
	for brand, want := range map[string]string{"visa": "VISA", "unionpay": "CUP", "amex": "AMEX", "girocard": "UNKNOWN",
		"": "UNKNOWN"} {
		if got := (cardDetails{Brand: brand, LastFour: "4242"}).summary(); got.Brand != want {
			t.Errorf("%s: got %s, want %s", brand, got.Brand, want)
		}
	}
	for result, shifts := range map[string]bool{"authenticated": true, "attempt_acknowledged": true, "exempted": false,
		"failed": false, "": false} {
		var d cardDetails
		d.ThreeDS = &struct {
			ECI    string `json:"electronic_commerce_indicator"`
			Result string `json:"result"`
		}{"05", result}
		if got := d.threeDS(); got != (payments.ThreeDS{ECI: "05", LiabilityShift: shifts}) {
			t.Errorf("%s: got %+v, want the ECI 05 and a shift of liability %t", result, got, shifts)
		}
	}
}

// TestWaiting_UnknownAction checks that an unknown step of the payer is not taken for one of the known steps.
func TestWaiting_UnknownAction(t *testing.T) {
	t.Parallel()
	for _, next := range []*nextAction{nil, {}} {
		if o := (intent{Status: statusAction, NextAction: next}).waiting(); o.Decision != payments.OutcomeUnknown {
			t.Errorf("got %+v, want an unknown outcome", o)
		}
	}
}
