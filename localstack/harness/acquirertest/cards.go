package acquirertest

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var cardCases = []Case{
	{"Token_Charged", []string{
		"Charge.Store: store the card for Customer and return its token",
		"Charge.Token: token of a card that the acquirer has stored",
		"Outcome.Card: with the acquirer's token if it was asked to store the card",
	}, func(s *subject) {
		for _, r := range []Result{Approve, Ask} {
			stored := s.storeCard(r)
			s.expectSame(stored.outcome, charging(stored.charge), lookingUp(stored.charge.ID))
			for _, a := range s.processes() {
				c := s.name(stored.byToken())
				want := map[Result]payments.Decision{Approve: payments.Approved, Ask: payments.Challenge}[r]
				if o := s.must(a, charging(c)); o.Decision != want {
					s.Fatalf("got %s by the token of a card to %s, want %s", o.Decision, r, want)
				}
			}
		}
		c := s.newCharge(Approve)
		if o := s.expect(charging(c), payments.Approved); o.Card == nil || o.Card.AcquirerToken != "" {
			s.Fatalf("got the card %+v of a charge that does not store it, want one without a token", o.Card)
		}
	}},
	{"Token_OtherOwner", []string{
		"Charge.Customer: our id of the customer that Token belongs to, or will belong to; \"\": none",
	}, func(s *subject) {
		stored := s.storeCard(Approve)
		for name, change := range map[string]func(*acquirer.Charge){
			"another customer": func(c *acquirer.Charge) { c.Customer = uuid.NewString() },
			"no customer":      func(c *acquirer.Charge) { c.Customer = "" },
			"another tenant":   func(c *acquirer.Charge) { c.Reference.Tenant = "T#OTHER" },
		} {
			c := stored.byToken()
			change(&c)
			s.expectNotCharged(name, c)
		}
		s.expectAll(payments.Approved, charging(s.name(stored.byToken())))
	}},
	{"DeleteCard_Stored", []string{
		"Acquirer.DeleteCard: DeleteCard deletes a stored card.",
	}, func(s *subject) {
		stored := s.storeCard(Approve)
		for _, a := range s.processes() {
			if err := a.DeleteCard(s.Context(), stored.outcome.Card.AcquirerToken); err != nil {
				s.Fatalf("got error %v of the deletion, want none", err)
			}
		}
		s.expectNotCharged("a deleted card", stored.byToken())
		s.expectAll(payments.Approved, charging(stored.charge))
		s.expectNotCharged("a card that a repeated charge has not stored again", stored.byToken())
	}},
	{"DeleteCard_UnknownToken", []string{
		"Acquirer.DeleteCard: It succeeds for an unknown token, too.",
	}, func(s *subject) {
		stored := s.storeCard(Approve)
		unknown := stored.byToken()
		unknown.Token += "x"
		s.expectNotCharged("an unknown card", unknown)
		for _, token := range []string{unknown.Token, "unknown"} {
			if err := s.First.DeleteCard(s.Context(), token); err != nil {
				s.Fatalf("got error %v for an unknown token, want none", err)
			}
		}
		s.expectAll(payments.Approved, charging(s.name(stored.byToken())))
	}},
	{"Agreement_NeverChallenged", []string{
		"Charge.Agreement: set if the payer is absent; the acquirer never challenges",
		"Agreement.NetworkTransactionID: of the charge with the consent; \"\" if that charge had none",
	}, func(s *subject) {
		stored := s.storeCard(Ask)
		for _, consent := range []string{stored.outcome.NetworkTransactionID, ""} {
			c := s.name(stored.byToken())
			c.Agreement = &acquirer.Agreement{NetworkTransactionID: consent}
			o := s.must(s.First, charging(c))
			if o.Decision != payments.Approved && o.Decision != payments.Declined {
				s.Fatalf("got %s under the agreement %q, want a decision without the payer", o.Decision, consent)
			}
			s.expectSame(o, charging(c))
		}
	}},
	{"Verification_NeverCaptured", []string{
		"Charge.Verification: authorize and release, never capture",
	}, func(s *subject) {
		c := s.newCharge(Approve)
		c.Verification = true
		s.expectAll(payments.Approved, charging(c), lookingUp(c.ID))
		s.expectNothing(c.ID)
		s.expectRefused(acquirer.Refund{ID: uuid.NewString(), ChargeID: c.ID, Amount: c.Amount})
		asked := s.newCharge(Ask)
		asked.Verification = true
		s.expectAll(payments.Approved, completing(asked.ID, s.challenge(asked, true)))
		s.expectNothing(asked.ID)
	}},
	{"Exemption_Requested", []string{
		"Charge.Exemption: from strong customer authentication; a request that the issuer may refuse",
	}, func(s *subject) {
		for _, r := range []Result{Approve, Ask} {
			c := s.newCharge(r)
			c.Exemption = acquirer.LowValue
			o := s.must(s.First, charging(c))
			if o.Decision == payments.Challenge {
				o = s.expect(completing(c.ID, s.challenge(c, true)), payments.Approved)
			}
			s.expectSame(o, charging(c), lookingUp(c.ID))
			s.expectCaptured(c)
		}
	}},
	{"Summary_NoSecrets", []string{
		"Acquirer.Summary: Summary returns the fields of a card that may be kept after a charge.",
		"Acquirer.Summary: It makes no call.",
	}, func(s *subject) {
		c := s.newCharge(Approve)
		card := c.Card
		s.Steps.Plan(0, faults.None)
		got, number := s.First.Summary(card), card.Number.Reveal()
		if n := len(s.Steps.Taken()); n != 0 {
			s.Fatalf("got %d requests, want none", n)
		}
		s.expect(charging(c), payments.Approved)
		s.mustTake(1)
		if got.LastFour != number[len(number)-4:] || got.Brand != card.Summary().Brand ||
			strings.Contains(fmt.Sprintf("%+v", got), number) {
			s.Fatalf("got %s and %d digits, want the brand and the last four digits", got.Brand, len(got.LastFour))
		}
	}},
}

// storedCard is a card that an approved charge has stored for a customer who agreed to later charges.
type storedCard struct {
	charge  acquirer.Charge
	outcome payments.Outcome // of the charge
}

// storeCard makes an approved charge that stores its card. The result is Approve or Ask.
func (s *subject) storeCard(r Result) storedCard {
	s.Helper()
	c := s.newCharge(r)
	c.Store, c.Customer, c.Consent = true, uuid.NewString(), &payments.Consent{UserAgent: "Browser/1"}
	by := charging(c)
	if r == Ask {
		by = completing(c.ID, s.challenge(c, true))
	}
	o := s.expect(by, payments.Approved)
	if o.Card == nil || o.Card.AcquirerToken == "" {
		s.Fatalf("got the card %+v of a charge that stores it, want one with a token", o.Card)
	}
	s.expectCaptured(c)
	return storedCard{c, o}
}

// byToken returns a charge of the stored card, without an ID.
func (k storedCard) byToken() acquirer.Charge {
	c := k.charge
	c.ID, c.Card, c.Store, c.Consent, c.Token = "", nil, false, nil, k.outcome.Card.AcquirerToken
	return c
}

// expectNotCharged requests a charge by a token that may not be used.
func (s *subject) expectNotCharged(name string, c acquirer.Charge) {
	s.Helper()
	for _, payerAbsent := range []bool{false, true} {
		c = s.name(c)
		if payerAbsent {
			c.Agreement = new(acquirer.Agreement)
		}
		if o, err := s.First.Charge(s.Context(), c); err == nil && o.Decision != payments.Declined {
			s.Fatalf("%s: got %s, want it declined or an error", name, o.Decision)
		}
		s.expectNothing(c.ID)
	}
}
