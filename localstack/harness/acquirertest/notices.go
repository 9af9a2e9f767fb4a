package acquirertest

import (
	"errors"
	"maps"
	"net/textproto"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var noticeCases = []Case{
	{"Notice_Genuine", []string{
		"Acquirer.Notice: Notice checks that the acquirer sent the message, and returns the charges and refunds whose " +
			"outcome may have changed.",
		"Acquirer.Notice: It makes no call and changes nothing.",
		"Hint: Hint names a charge or a refund whose outcome may have changed.",
		"Hint.ID: our id of the charge or refund",
	}, func(s *subject) {
		c, r := s.newRefund(Approve)
		s.expect(refunding(r), payments.Approved)
		for _, h := range []acquirer.Hint{{Reference: c.Reference, ID: c.ID},
			{Reference: c.Reference, ID: r.ID, IsRefund: true}} {
			header, body := s.notify(h)
			before := len(s.Steps.Taken())
			for _, a := range s.processes() {
				hints, err := a.Notice(maps.Clone(header), body)
				if err != nil || !slices.Equal(hints, []acquirer.Hint{h}) {
					s.Fatalf("got hints %+v, %v, want only %+v", hints, err, h)
				}
			}
			if calls := len(s.Steps.Taken()) - before; calls != 0 {
				s.Fatalf("got %d requests for a notice, want none", calls)
			}
		}
	}},
	{"Notice_Forged", []string{
		"Acquirer.Notice: Errors: ErrBadNotice.",
		"ErrBadNotice: ErrBadNotice reports a notice with a wrong or old signature, or with a body that cannot be " +
			"read.",
	}, func(s *subject) {
		c := s.newCharge(Approve)
		s.expect(charging(c), payments.Approved)
		header, body := s.notify(acquirer.Hint{Reference: c.Reference, ID: c.ID})
		_, other := s.notify(acquirer.Hint{Reference: c.Reference, ID: uuid.NewString()})
		for name, forged := range map[string]struct {
			header textproto.MIMEHeader
			body   []byte
		}{"without a header": {textproto.MIMEHeader{}, body}, "with another body": {header, other}, "empty": {header, nil}} {
			if hints, err := s.First.Notice(forged.header, forged.body); !errors.Is(err, acquirer.ErrBadNotice) {
				s.Fatalf("%s: got hints %+v, error %v, want ErrBadNotice", name, hints, err)
			}
		}
	}},
	{"Hints_LateOutcomes", []string{
		"Acquirer.Hints: Hints walks hints about all outcomes that changed without a call of ours at the time since or " +
			"later.",
		"Acquirer.Hints: It may repeat hints, and yield hints about unchanged outcomes.",
		"Charge.Reference: our reference, which the acquirer's notices repeat",
	}, testHints},
}

// notify returns the notice that the acquirer sends about the hint.
func (s *subject) notify(h acquirer.Hint) (textproto.MIMEHeader, []byte) {
	s.Helper()
	header, body, err := s.Notify(h)
	if err != nil {
		s.Fatalf("got error %v of the acquirer's notice, want none", err)
	}
	return header, body
}

// testHints changes outcomes late, in each way that the acquirer has. The hints since then must name each outcome.
func testHints(s *subject) {
	want := map[acquirer.Hint]bool{}
	since := s.Clock.Now()
	s.Clock.Advance(time.Second)
	for _, r := range []Result{Redirect, Code, Wait} {
		if _, ok := s.NewCharge(r); !ok {
			continue
		}
		c := s.newCharge(r)
		want[acquirer.Hint{Reference: c.Reference, ID: c.ID}] = true
		var err error
		switch r {
		case Redirect:
			s.challenge(c, true)
		case Code:
			s.expect(charging(c), payments.Voucher)
			err = s.Pay(s.Context(), c.ID)
		default:
			s.expectPending(charging(c))
			err = s.Settle(s.Context(), c.ID)
		}
		if err != nil {
			s.Fatalf("got error %v when the outcome to %s changed, want none", err, r)
		}
	}
	if _, _, ok := s.NewRefund(Wait); ok {
		c, r := s.newRefund(Wait)
		want[acquirer.Hint{Reference: c.Reference, ID: r.ID, IsRefund: true}] = true
		s.expectPending(refunding(r))
		if err := s.Settle(s.Context(), r.ID); err != nil {
			s.Fatalf("got error %v when the refund was settled, want none", err)
		}
	}
	s.Clock.Advance(time.Second)
	for _, a := range s.processes() {
		got := map[acquirer.Hint]bool{}
		for h, err := range a.Hints(s.Context(), since) {
			if err != nil {
				s.Fatalf("got error %v of the hints, want none", err)
			}
			got[h] = true
		}
		for h := range want {
			if !got[h] {
				s.Fatalf("got hints %v, want %+v too", got, h)
			}
		}
	}
}
