package acquirertest

import (
	"regexp"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var outcomeCases = []Case{
	{"Outcome_NetworkTransactionID", []string{
		"Outcome.NetworkTransactionID: given by the card network with Approved, for later charges under an agreement",
		"Charge.Consent: set if the payer agreed to later charges without the payer",
	}, func(s *subject) {
		for _, r := range []Result{Approve, Ask} {
			stored := s.storeCard(r)
			if stored.outcome.NetworkTransactionID == "" {
				s.Fatalf("got no network transaction id of a charge with consent to %s, want one", r)
			}
			s.expectSame(stored.outcome, charging(stored.charge), lookingUp(stored.charge.ID), cancelling(stored.charge.ID))
		}
	}},
	{"Outcome_ThreeDS", []string{
		"Outcome.ThreeDS: of an authenticated charge",
		"ThreeDS: ThreeDS is the result of a 3-D Secure authentication.",
		"ThreeDS: The zero value means that there was none.",
		"ThreeDS.ECI: electronic commerce indicator of the card scheme, two digits",
		"ThreeDS.LiabilityShift: the issuer is liable for fraud",
	}, func(s *subject) {
		stored := s.storeCard(Ask)
		if got := stored.outcome.ThreeDS; !twoDigits.MatchString(got.ECI) || !got.LiabilityShift {
			s.Fatalf("got %+v of a confirmed challenge, want an ECI and a shift of liability", got)
		}
		absent := s.name(stored.byToken())
		absent.Agreement = &acquirer.Agreement{NetworkTransactionID: stored.outcome.NetworkTransactionID}
		if got := s.must(s.First, charging(absent)).ThreeDS; got.LiabilityShift {
			s.Fatalf("got %+v of a charge without the payer, want no authentication", got)
		}
	}},
	{"Outcome_Declined", []string{
		"Outcome.NeverRetry: with Declined: the issuer forbids further charges of this card",
		"Outcome.ReturnCode: ISO 8583 field 39",
	}, func(s *subject) {
		for r, never := range map[Result]bool{Approve: false, Decline: false, Forbid: true} {
			if _, ok := s.NewCharge(r); !ok {
				continue
			}
			c := s.newCharge(r)
			if o := s.must(s.First, charging(c)); o.NeverRetry != never || !returnCode.MatchString(o.ReturnCode) {
				s.Fatalf("got never retry %t, code %q of a charge to %s, want %t and two characters", o.NeverRetry, o.ReturnCode,
					r, never)
			}
		}
	}},
	{"Outcome_Step", []string{
		"Outcome.Step: with Challenge",
		"Acquirer: So LookUp returns the Step for as long as the payer can authenticate.",
	}, func(s *subject) {
		for _, r := range []Result{Ask, Redirect} {
			if _, ok := s.NewCharge(r); !ok && r == Redirect {
				continue
			}
			c := s.newCharge(r)
			if o := s.expect(charging(c), payments.Challenge); o.Step == nil || o.Step.URL == "" {
				s.Fatalf("got the step %+v of a charge to %s, want a page", o.Step, r)
			}
			s.Clock.Advance(time.Minute)
			if o := s.expect(lookingUp(c.ID), payments.Challenge); o.Step == nil || o.Step.URL == "" {
				s.Fatalf("got the step %+v a minute later, want a page", o.Step)
			}
		}
	}},
	{"Outcome_Present", []string{
		"Outcome.Present: of a charge by a terminal",
		"Charge.Summary: with AtReader only: the card that the terminal has read",
	}, func(s *subject) {
		c := s.newCharge(Reader)
		o := s.expect(charging(c), payments.Approved)
		if diff := cmp.Diff(c.Present, o.Present, cmpopts.EquateComparable(money.Amount{})); diff != "" {
			s.Fatalf("got other data of the terminal (-want +got):\n%s", diff)
		}
		if o.Card == nil || o.Card.LastFour != c.Summary.LastFour {
			s.Fatalf("got the card %+v, want the card that the terminal has read", o.Card)
		}
	}},
}

var (
	twoDigits  = regexp.MustCompile(`^[0-9]{2}$`)
	returnCode = regexp.MustCompile(`^[0-9A-Z]{2}$`)
)

var statementCases = []Case{
	{"Statement_EveryLine", []string{
		"Acquirer.Statement: For the zero time it walks all of them.",
		"Movement.ID: our id of the charge or refund; the acquirer's id of a chargeback; \"\" if the kind has no charge",
		"Movement.Tenant: Tenant is the tenant in the charge's Reference.",
		"Movement.Amount: Amount is more than zero if the Kind has a charge, and the Kind tells its direction.",
		"Movement.At: when the acquirer booked the line",
		"Movement.AvailableOn: A movement is available at the earliest AvailableBefore the date of At, and at the latest " +
			"AvailableAfter that date.",
		"Movement.AvailableOn: A settlement is available at the latest on the date of At.",
		"CaptureMovement: from a payer",
		"RefundMovement: back to a payer",
		"ChargebackMovement: back to a payer, by the issuer",
	}, testEveryLine},
	{"Statement_LineIDs", []string{
		"Movement.LineID: the acquirer's own id of the line, the same at each reading; money that moved twice has two lines",
	}, func(s *subject) {
		c, r := s.newRefund(Approve)
		again := r
		again.ID = uuid.NewString()
		again.Amount = money.FromMinor((c.Amount.Minor()-r.Amount.Minor())/2, c.Amount.Currency())
		s.expectAll(payments.Approved, refunding(r), refunding(again))
		lines := map[string]acquirer.Movement{}
		for _, m := range s.readLines(s.First, time.Time{}) {
			lines[m.LineID] = m
		}
		if len(lines) != 3 || lines[""] != (acquirer.Movement{}) {
			s.Fatalf("got the line ids of %v, want three", lines)
		}
		s.Clock.Advance(time.Hour)
		for _, since := range []time.Time{{}, s.Clock.Now().Add(-2 * time.Hour)} {
			for _, a := range s.processes() {
				for _, m := range s.readLines(a, since) {
					if before := lines[m.LineID]; before.ID != m.ID || before.Amount != m.Amount {
						s.Fatalf("got the line %+v at another reading, want %+v", m, before)
					}
				}
			}
		}
	}},
	{"Statement_Since", []string{
		"Acquirer.Statement: Statement walks the movements of money that the acquirer booked at the time since or later, " +
			"in no particular order, for reconciliation.",
		"Acquirer.Statement: It may also yield earlier movements.",
	}, testSince},
}

// testEveryLine checks the lines of charges, a refund and a chargeback, and that other charges have none. What the
// acquirer charges, and when it settles, is its own matter.
func testEveryLine(s *subject) {
	began := s.Clock.Now()
	for _, r := range []Result{Decline, Ask} {
		s.must(s.First, charging(s.newCharge(r)))
	}
	c, r := s.newRefund(Approve)
	s.expect(refunding(r), payments.Approved)
	line := acquirer.Movement{ID: c.ID, ChargeID: c.ID, Tenant: c.Reference.Tenant, Kind: acquirer.CaptureMovement,
		Amount: c.Amount}
	refund := line
	refund.ID, refund.Kind, refund.Amount = r.ID, acquirer.RefundMovement, r.Amount
	want := map[acquirer.Movement]bool{line: true, refund: true}
	if s.ChargeBack != nil {
		back := line
		back.ID, back.Kind, back.Amount = uuid.NewString(), acquirer.ChargebackMovement, money.Smallest(c.Amount.Currency())
		if err := s.ChargeBack(s.Context(), c.ID, back.ID, back.Amount); err != nil {
			s.Fatalf("got error %v of the chargeback, want none", err)
		}
		want[back] = true
	}
	got := map[acquirer.Movement]bool{}
	for _, m := range s.readLines(s.First, time.Time{}) {
		if m.At.Before(began) || m.At.After(s.Clock.Now()) || m.At.Location() != time.UTC {
			s.Fatalf("got a line at %s, want a time in UTC since %s", m.At, began)
		}
		first := m.At.Add(-acquirer.AvailableBefore).Format(time.DateOnly)
		last := m.At.Add(acquirer.AvailableAfter).Format(time.DateOnly)
		if on := availableOn(m); on < first || on > last {
			s.Fatalf("got a line of %s that is available on %s, want a day from %s to %s", m.At, on, first, last)
		}
		m.LineID, m.At, m.Fee, m.AvailableOn = "", time.Time{}, money.Amount{}, time.Time{}
		got[m] = true
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(acquirer.Movement{})); diff != "" {
		s.Fatalf("got other lines (-want +got):\n%s", diff)
	}
}

// testSince charges at four times, 20 hours apart. The statement since each of them must have all later charges.
func testSince(s *subject) {
	type booked struct {
		id string
		at time.Time
	}
	var all []booked
	for range 4 {
		c := s.newCharge(Approve)
		all = append(all, booked{c.ID, s.Clock.Now()})
		s.expect(charging(c), payments.Approved)
		s.Clock.Advance(20 * time.Hour)
	}
	for i, b := range all {
		found := map[string]int{}
		for _, m := range s.readLines(s.First, b.at) {
			found[m.ID]++
		}
		for _, later := range all[i:] {
			if found[later.id] != 1 {
				s.Fatalf("since charge %d: got %d lines of a later charge, want 1", i, found[later.id])
			}
		}
	}
}
