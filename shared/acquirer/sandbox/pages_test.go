package sandbox_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// answerChallenge charges a card that is challenged, and gives the payer's answer on the issuer's page.
func (w *fixture) answerChallenge(t *testing.T, c acquirer.Charge, a sandbox.Answer) (paRes string) {
	t.Helper()
	o := w.mustCharge(t, c)
	if o.Step == nil {
		t.Fatalf("got %+v, want a challenge", o)
	}
	paRes, err := w.Decide(t.Context(), o.Step.Payload["PaReq"], a)
	if err != nil {
		t.Fatal(err)
	}
	return paRes
}

func TestComplete_EachAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	codes := map[string]bool{}
	for answer, want := range map[sandbox.Answer]payments.Decision{
		sandbox.Approve: payments.Approved, sandbox.Reject: payments.Declined, sandbox.Break: payments.Declined,
	} {
		id := string(answer)
		paRes := w.answerChallenge(t, cardCharge(id, askingCard, "10"), answer)
		if o := must(t)(w.LookUp(t.Context(), id)); o.Decision != payments.Challenge {
			t.Errorf("%s: got %s by the page alone, want a challenge", id, o.Decision)
		}
		first := must(t)(w.Complete(t.Context(), id, paRes))
		again := must(t)(w.restart().Complete(t.Context(), id, paRes))
		if first.Decision != want || again.Decision != want || again.AuthCode != first.AuthCode {
			t.Errorf("%s: got %+v, then %+v, want %s with one auth code", id, first, again, want)
		}
		if captured := w.countCaptures(t, id); (captured == 1) != (want == payments.Approved) {
			t.Errorf("%s: got %d captures of a charge that is %s, want 1 only if approved", id, captured, want)
		}
		codes[first.ReturnCode] = true
	}
	if len(codes) != 3 {
		t.Errorf("got return codes %v, want 3 that differ by reason", codes)
	}
}

func TestComplete_FirstAnswerCounts(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	rejected := w.answerChallenge(t, cardCharge("c", askingCard, "10"), sandbox.Reject)
	approved := w.answerChallenge(t, cardCharge("c", askingCard, "10"), sandbox.Approve)
	must(t)(w.Complete(t.Context(), "c", rejected))
	if o := must(t)(w.Complete(t.Context(), "c", approved)); o.Decision != payments.Declined ||
		w.countCaptures(t, "c") != 0 {
		t.Errorf("got %+v and %d captures, want declined and none", o, w.countCaptures(t, "c"))
	}
}

func TestComplete_ForgedAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	other := w.answerChallenge(t, cardCharge("other", askingCard, "10"), sandbox.Approve)
	o := w.mustCharge(t, cardCharge("c", askingCard, "10"))
	for _, forged := range []string{"approve", other, other[:len(other)-1], o.Step.Payload["PaReq"]} {
		if _, err := w.Complete(t.Context(), "c", forged); !errors.Is(err, acquirer.ErrBadAnswer) {
			t.Errorf("answer %q: got error %v, want ErrBadAnswer", forged, err)
		}
	}
	if o = must(t)(w.Complete(t.Context(), "c", "")); o.Decision != payments.Challenge {
		t.Errorf("got %s for the answer \"\", want a challenge", o.Decision)
	}
	if o = must(t)(w.LookUp(t.Context(), "c")); o.Decision != payments.Challenge {
		t.Errorf("got %s after a forged answer, want a challenge", o.Decision)
	}
	if _, err := w.Complete(t.Context(), "unknown", other); !errors.Is(err, acquirer.ErrUnknownCharge) {
		t.Errorf("got error %v, want ErrUnknownCharge", err)
	}
	if _, err := w.Complete(t.Context(), "unknown", ""); !errors.Is(err, acquirer.ErrUnknownCharge) {
		t.Errorf("no answer: got error %v, want ErrUnknownCharge", err)
	}
	if _, err := w.Decide(t.Context(), o.Step.Payload["PaReq"], "perhaps"); !errors.Is(err, acquirer.ErrBadAnswer) {
		t.Errorf("got error %v, want ErrBadAnswer", err)
	}
}

// TestComplete_WithoutAnswer checks that a payer who has come back by a link gets the outcome of the answer.
func TestComplete_WithoutAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	approved := w.answerChallenge(t, cardCharge("c", askingCard, "10"), sandbox.Approve)
	must(t)(w.Complete(t.Context(), "c", approved))
	if o := must(t)(w.Complete(t.Context(), "c", "")); o.Decision != payments.Approved || w.countCaptures(t, "c") != 1 {
		t.Errorf("got %+v and %d captures, want it approved once", o, w.countCaptures(t, "c"))
	}
}

func TestChallenge_View(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	o := w.mustCharge(t, cardCharge("c", askingCard, "10.10"))
	if o.Step.URL != baseURL+"/3ds/challenge" {
		t.Errorf("got url %s, want %s", o.Step.URL, baseURL+"/3ds/challenge")
	}
	view, err := w.Challenge(t.Context(), o.Step.Payload["PaReq"])
	if err != nil {
		t.Fatal(err)
	}
	if view.Amount.String() != "10.10" || view.Merchant != "Corner Shop" || view.Card.LastFour != "0042" ||
		view.Reference != (acquirer.Reference{Tenant: "T#MC1", CheckoutID: "checkout of c"}) {
		t.Errorf("got view %+v, card %+v, want 10.10 at Corner Shop by card 0042 with the reference of c", view, view.Card)
	}
	paRes, err := w.Decide(t.Context(), o.Step.Payload["PaReq"], sandbox.Approve)
	if err != nil || !view.Waits() {
		t.Fatalf("got error %v, waits %t; want none, true", err, view.Waits())
	}
	must(t)(w.Complete(t.Context(), "c", paRes))
	view, err = w.Challenge(t.Context(), o.Step.Payload["PaReq"])
	if err != nil || view.Waits() || view.Decision != payments.Approved {
		t.Errorf("after the answer: got %+v, error %v; want it approved", view, err)
	}
}

func TestPageTokens_OpenOnlyTheirPage(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	paReq := w.mustCharge(t, cardCharge("card", askingCard, "10")).Step.Payload["PaReq"]
	session := sessionOf(w.mustCharge(t, methodCharge("bank", payments.IDEAL, "10", "EUR")))
	for name, open := range map[string]func() error{
		"PaReq as session": func() error { _, err := w.Session(t.Context(), paReq); return err },
		"session as PaReq": func() error { _, err := w.Challenge(t.Context(), session); return err },
		"charge as PaReq":  func() error { _, err := w.Challenge(t.Context(), "card"); return err },
		"empty PaReq":      func() error { _, err := w.Challenge(t.Context(), ""); return err },
	} {
		if err := open(); !errors.Is(err, acquirer.ErrUnknownCharge) {
			t.Errorf("%s: got error %v, want ErrUnknownCharge", name, err)
		}
	}
	for _, item := range w.scan(t) {
		if pk := item["pk"].(string); strings.Contains(pk, paReq) || strings.Contains(pk, session) {
			t.Errorf("got %s in the records, want no token in it", pk)
		}
	}
}

func sessionOf(o payments.Outcome) string {
	return strings.TrimPrefix(o.Step.URL, baseURL+"/apm/")
}

func TestDecideSession_EachAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for answer, want := range map[sandbox.BankAnswer]payments.Decision{
		sandbox.Pay: payments.Approved, sandbox.Fail: payments.Declined, sandbox.Leave: payments.Challenge,
	} {
		id := string(answer)
		o := w.mustCharge(t, methodCharge(id, payments.IDEAL, "10", "EUR"))
		session := sessionOf(o)
		if o.Decision != payments.Challenge || len(session) < 22 { // 128 bits in base64
			t.Fatalf("%s: got %s, session %q, want a challenge, at least 22 characters", id, o.Decision, session)
		}
		for range 2 {
			view, err := w.DecideSession(t.Context(), session, answer)
			if err != nil || view.ReturnURL != "https://shop.example/done" || view.Hint() != hintOf(id) ||
				view.Decision != want {
				t.Errorf("%s: got %+v, %v, want it %s, https://shop.example/done, %+v", id, view, err, want, hintOf(id))
			}
		}
		if o := must(t)(w.LookUp(t.Context(), id)); o.Decision != want {
			t.Errorf("%s: got %s, want %s", id, o.Decision, want)
		}
		if captured := w.countCaptures(t, id); (captured == 1) != (want == payments.Approved) {
			t.Errorf("%s: got %d captures of a charge that is %s, want 1 only if approved", id, captured, want)
		}
	}
}

func TestDecideSession_PayAfterLeave(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	session := sessionOf(w.mustCharge(t, methodCharge("c", payments.Twint, "10", "CHF")))
	for _, answer := range []sandbox.BankAnswer{sandbox.Leave, sandbox.Pay, sandbox.Fail} {
		if _, err := w.DecideSession(t.Context(), session, answer); err != nil {
			t.Fatal(err)
		}
	}
	if o := must(t)(w.LookUp(t.Context(), "c")); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved", o)
	}
}

func TestDecideSession_Cancelled(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	session := sessionOf(w.mustCharge(t, methodCharge("c", payments.Blik, "10", "PLN")))
	must(t)(w.Cancel(t.Context(), "c"))
	if _, err := w.DecideSession(t.Context(), session, sandbox.Pay); err != nil {
		t.Fatal(err)
	}
	if o := must(t)(w.LookUp(t.Context(), "c")); o.Decision != payments.Cancelled || w.countCaptures(t, "c") != 0 {
		t.Errorf("got %+v and %d captures, want cancelled and none", o, w.countCaptures(t, "c"))
	}
	if _, err := w.DecideSession(t.Context(), session, "refund"); !errors.Is(err, acquirer.ErrBadAnswer) {
		t.Errorf("got error %v, want ErrBadAnswer", err)
	}
	if _, err := w.DecideSession(t.Context(), "unknown", sandbox.Pay); !errors.Is(err, acquirer.ErrUnknownCharge) {
		t.Errorf("got error %v, want ErrUnknownCharge", err)
	}
}
