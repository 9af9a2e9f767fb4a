package acquirertest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var chargeCases = []Case{
	{"Charge_EachResult", []string{
		"Acquirer.Charge: Charge takes the charge.",
		"Acquirer.Charge: For a known id it returns the outcome.",
		"Acquirer.LookUp: LookUp returns the charge's outcome.",
		"package acquirer: Every call is idempotent by our id.",
		"Charge: ID is the idempotency key.",
		"Outcome.AcquirerReference: names the charge or refund at the acquirer, for disputes and settlements; may be \"\"",
	}, testEachResult},
	{"Charge_OtherFields", []string{
		"Charge: For a known ID the acquirer returns the outcome of that charge and ignores the other fields.",
	}, testOtherFields},
	{"Charge_NotTaken", []string{
		"ErrNotTaken: ErrNotTaken reports that the acquirer certainly did not take the request, and never will take that " +
			"copy of the request.",
		"ErrNotTaken: No money has moved, and none will move.",
		"Acquirer.Charge: Errors: ErrNotTaken; after any other error the outcome is unknown.",
	}, testNotTaken},
	{"Charge_Pending", []string{
		"Acquirer.Cancel: Otherwise it returns the final outcome if the charge was decided before, or OutcomeUnknown while " +
			"the charge is pending.",
		"OutcomeUnknown: taken, or perhaps taken, without a known result",
	}, testPending},
	{"Charge_Code", []string{
		"Voucher: the payer pays a code later",
		"Outcome.Code: with Voucher",
	}, testCode},
	{"LookUp_UnknownID", []string{
		"Acquirer.LookUp: Errors: ErrUnknownCharge.",
		"ErrUnknownCharge: ErrUnknownCharge reports that the acquirer knows no charge with the id that could move money.",
		"Acquirer.LookUp: Before the acquirer has been asked to move money, LookUp returns ErrUnknownCharge or " +
			"OutcomeUnknown; a charge that is still running may succeed after either answer.",
	}, testLookUpUnknown},
	{"Decision_Final", []string{
		"Acquirer: Approved, Declined and Cancelled are final: later calls return the same decision.",
	}, testFinal},
	{"Error_NoSecrets", []string{
		"Acquirer: No error contains a card number, a CVV, the wallet's object or a payer's details, because callers log " +
			"errors.",
	}, testNoSecrets},
}

// testEachResult requests a charge of each result. A repeated charge and LookUp must return the whole outcome again.
func testEachResult(s *subject) {
	for r, want := range map[Result]payments.Decision{
		Approve: payments.Approved, Decline: payments.Declined, Forbid: payments.Declined, Ask: payments.Challenge,
		Redirect: payments.Challenge, Code: payments.Voucher, Wallet: payments.Approved, Reader: payments.Approved,
	} {
		c, ok := s.NewCharge(r)
		if !ok && r != Approve && r != Decline && r != Ask {
			continue
		}
		c = s.name(c)
		s.expectSame(s.expect(charging(c), want), charging(c), lookingUp(c.ID))
		if want == payments.Approved {
			s.expectCaptured(c)
		} else {
			s.expectNothing(c.ID)
		}
	}
}

// testOtherFields repeats the ids of an approved and a declined charge with the fields of other charges.
func testOtherFields(s *subject) {
	for _, r := range []Result{Approve, Decline} {
		c := s.newCharge(r)
		first := s.must(s.First, charging(c))
		for _, other := range []Result{Approve, Decline, Ask, NotTaken, Wait, Redirect} {
			if d, ok := s.NewCharge(other); ok {
				d.ID = c.ID
				d.Amount, d.Reference.Tenant = money.FromMinor(d.Amount.Minor()+1, d.Amount.Currency()), "T#OTHER"
				s.expectSame(first, charging(d))
				d.Amount = money.FromMinor(d.Amount.Minor()-1, d.Amount.Currency())
				s.expectSame(first, charging(d))
			}
		}
		if r == Approve {
			s.expectCaptured(c)
		}
	}
}

// testNotTaken requests a charge that is not taken. No money may move, even a day later.
func testNotTaken(s *subject) {
	c := s.newCharge(NotTaken)
	s.expectError(acquirer.ErrNotTaken, charging(c))
	s.expectNothing(c.ID)
	s.Clock.Advance(24 * time.Hour)
	for _, a := range s.processes() {
		if o, err := a.LookUp(s.Context(), c.ID); err == nil && o.Decision == payments.Approved {
			s.Fatalf("got %s a day after ErrNotTaken, want no charge", o.Decision)
		}
	}
	s.expectNothing(c.ID)
}

// testPending requests a charge whose outcome stays unknown. Cancel must not cancel the charge while it is pending.
func testPending(s *subject) {
	c := s.newCharge(Wait)
	s.expectPending(charging(c))
	s.expectAll(payments.OutcomeUnknown, lookingUp(c.ID), cancelling(c.ID), charging(c))
	s.expectNothing(c.ID)
	if err := s.Settle(s.Context(), c.ID); err != nil {
		s.Fatalf("got error %v when it settled, want none", err)
	}
	s.expectSame(s.expect(charging(c), payments.Approved), lookingUp(c.ID), cancelling(c.ID), charging(c))
	s.expectCaptured(c)
}

// testCode requests a voucher, whose payer pays the code.
func testCode(s *subject) {
	c := s.newCharge(Code)
	o := s.expect(charging(c), payments.Voucher)
	if o.Code == nil || o.Code.Text == "" || !o.Code.Until.After(s.Clock.Now()) {
		s.Fatalf("got the code %+v, want one that can be paid", o.Code)
	}
	s.expectNothing(c.ID)
	if err := s.Pay(s.Context(), c.ID); err != nil {
		s.Fatalf("got error %v of the payment, want none", err)
	}
	s.expectAll(payments.Approved, lookingUp(c.ID), charging(c), cancelling(c.ID))
	s.expectCaptured(c)
}

// testLookUpUnknown looks charges up before they are requested, and looks up ids of other things.
func testLookUpUnknown(s *subject) {
	c := s.newCharge(Approve)
	for _, a := range s.processes() {
		for _, id := range []string{c.ID, uuid.NewString(), ""} {
			if o, err := a.LookUp(s.Context(), id); !isUnknown(o, err) {
				s.Fatalf("got %s, %v before the charge, want ErrUnknownCharge or an unknown outcome", o.Decision, err)
			}
		}
	}
	s.expect(charging(c), payments.Approved)
	s.expectAll(payments.Approved, lookingUp(c.ID))
	s.expectCaptured(c)
}

// testFinal repeats every call for decided charges and refunds.
func testFinal(s *subject) {
	decide := func(r Result, want payments.Decision, by func(acquirer.Charge) call) {
		c := s.newCharge(r)
		s.expect(charging(c), map[Result]payments.Decision{Approve: payments.Approved, Decline: payments.Declined,
			Ask: payments.Challenge}[r])
		o := s.expect(by(c), want)
		s.expectAll(o.Decision, charging(c), lookingUp(c.ID), cancelling(c.ID), completing(c.ID, ""))
	}
	answered := func(pays bool) func(acquirer.Charge) call {
		return func(c acquirer.Charge) call { return completing(c.ID, s.challenge(c, pays)) }
	}
	decide(Approve, payments.Approved, charging)
	decide(Decline, payments.Declined, charging)
	decide(Ask, payments.Approved, answered(true))
	decide(Ask, payments.Declined, answered(false))
	decide(Ask, payments.Cancelled, func(c acquirer.Charge) call { return cancelling(c.ID) })
	_, made := s.newRefund(Approve)
	s.expect(refunding(made), payments.Approved)
	s.expectAll(payments.Approved, refunding(made), cancellingRefund(made.ID))
	refused := acquirer.Refund{ID: uuid.NewString(), ChargeID: made.ChargeID, Amount: made.Amount}
	refused.Amount = money.FromMinor(1_000_000_00, made.Amount.Currency())
	if s.must(s.First, refunding(refused)).Decision == payments.Declined {
		s.expectAll(payments.Declined, refunding(refused), cancellingRefund(refused.ID))
	}
}

var randomID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// testNoSecrets makes charges that fail at each request, are not taken, or get a bad answer. No error may contain the
// card's or payer's data. Ids are ignored, because their digits may equal a CVV by chance.
func testNoSecrets(s *subject) {
	failures := 0
	for _, r := range []Result{Approve, Ask, Wallet, NotTaken, Wait, Redirect} {
		if _, ok := s.NewCharge(r); !ok {
			continue
		}
		s.eachRequest(func(n int) func(bool) {
			c := s.newCharge(r)
			c.Payer = &payments.PersonalDetails{FirstName: "Adamantia", LastName: "Payerson", Email: "ada@payer.example"}
			s.Steps.Plan(n, faults.FailBefore)
			_, err := s.First.Charge(s.Context(), c)
			_, badAnswer := s.First.Complete(s.Context(), c.ID, "forged")
			return func(bool) {
				for _, e := range []error{err, badAnswer} {
					if e == nil {
						continue
					}
					failures++
					s.expectNoSecrets(e, c)
				}
			}
		})
	}
	if failures == 0 {
		s.Fatalf("got no error of any interrupted charge, want errors")
	}
}

// expectNoSecrets checks the text of an error that a charge has caused.
func (s *subject) expectNoSecrets(err error, c acquirer.Charge) {
	s.Helper()
	secrets := []string{c.Payer.FirstName, c.Payer.LastName, c.Payer.Email}
	if c.Card != nil {
		secrets = append(secrets, c.Card.Number.Reveal(), c.Card.CVV.Reveal(), c.Card.Name)
	}
	if !c.Wallet.IsZero() {
		secrets = append(secrets, c.Wallet.Reveal())
	}
	text := randomID.ReplaceAllString(fmt.Sprintf("%v %+v", err, err), "")
	if slices.ContainsFunc(secrets, func(secret string) bool { return strings.Contains(text, secret) }) {
		s.Fatalf("got an error of a charge by %s that contains the card's or payer's data, want none", c.Method)
	}
}

// giveUp tries the charge again and again. In each try the caller gives up before another request of the process.
func giveUp(s *subject) {
	s.eachRequest(func(n int) func(bool) {
		x := chargeTrial(s.newCharge(Approve))
		ctx, stop := context.WithCancel(s.Context())
		defer stop()
		s.Steps.Meanwhile("", n, stop)
		a := x.call.ask(ctx, s.First)
		return func(bool) { s.check(x, a) }
	})
}
