package sandbox_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// hintOf returns the hint about a charge of the fixture.
func hintOf(id string) acquirer.Hint {
	return acquirer.Hint{Reference: acquirer.Reference{Tenant: "T#MC1", CheckoutID: "checkout of " + id}, ID: id}
}

// refundHint returns the hint about a refund of a charge of the fixture.
func refundHint(chargeID, id string) acquirer.Hint {
	h := hintOf(chargeID)
	h.ID, h.IsRefund = id, true
	return h
}

func (w *fixture) mustNotice(t *testing.T, hints ...acquirer.Hint) (textproto.MIMEHeader, []byte) {
	t.Helper()
	header, body, err := w.NewNotice(hints...)
	if err != nil {
		t.Fatal(err)
	}
	return header, body
}

// sign returns the header of a notice with the body, made by the description of SignatureHeader.
func (w *fixture) sign(secret, body string) textproto.MIMEHeader {
	at := fmt.Sprint(w.Now().Unix())
	mac := hmac.New(sha256.New, []byte(strings.Repeat(secret, 32)))
	mac.Write([]byte("notice\x00" + at + "." + body))
	return textproto.MIMEHeader{sandbox.SignatureHeader: {
		"t=" + at + ",v1=" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))}}
}

func TestNotice_Valid(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, want := range [][]acquirer.Hint{
		{hintOf("c")},
		{hintOf("c"), refundHint("c", "r")},
		slices.Repeat([]acquirer.Hint{hintOf("c")}, 100),
	} {
		header, body := w.mustNotice(t, want...)
		for _, age := range []time.Duration{0, 5 * time.Minute, -10 * time.Minute} { // now, later, and earlier than sent
			w.Advance(age)
			got, err := w.restart().Notice(header, body)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("after %s: got error %v, (-want +got):\n%s", age, err, diff)
			}
		}
		w.Advance(5 * time.Minute)
	}
	const body = `{"hints":[{"id":"c","tenant":"T#MC1","checkout_id":"checkout of c"}]}`
	got, err := w.Notice(w.sign("s", body), []byte(body))
	if diff := cmp.Diff([]acquirer.Hint{hintOf("c")}, got); err != nil || diff != "" {
		t.Errorf("signed by hand: got error %v, (-want +got):\n%s", err, diff)
	}
}

func TestNotice_Refused(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	header, body := w.mustNotice(t, hintOf("c"))
	value := header.Get(sandbox.SignatureHeader)
	_, other := w.mustNotice(t, hintOf("d"))
	type message struct {
		header textproto.MIMEHeader
		body   string
	}
	withValue := func(values ...string) message {
		return message{textproto.MIMEHeader{sandbox.SignatureHeader: values}, string(body)}
	}
	signed := func(body string) message { return message{w.sign("s", body), body} }
	one := `{"id":"c","tenant":"T#MC1","checkout_id":"co"}`
	messages := map[string]message{
		"no header":              {nil, string(body)},
		"no signature":           withValue(""),
		"two signatures":         withValue(value, value),
		"only a time":            withValue(value[:strings.Index(value, ",")]),
		"no time":                withValue(strings.TrimPrefix(value, "t=")),
		"another time":           withValue("t=1" + strings.TrimPrefix(value, "t=")),
		"a shorter signature":    withValue(value[:len(value)-1]),
		"a longer signature":     withValue(value + "A"),
		"a forged signature":     withValue(value[:strings.Index(value, "v1=")] + "v1=" + strings.Repeat("A", 43)),
		"a changed body":         {header, string(body) + " "},
		"another notice's body":  {header, string(other)},
		"another secret":         {w.sign("x", string(body)), string(body)},
		"too large":              signed(`{"hints":[` + one + `]}` + strings.Repeat(" ", 64<<10)),
		"too many hints":         signed(`{"hints":[` + one + strings.Repeat(","+one, 100) + `]}`),
		"no hints":               signed(`{"hints":[]}`),
		"no body":                signed(""),
		"no object":              signed(`[]`),
		"an unknown field":       signed(`{"hints":[` + one + `],"status":"PAID"}`),
		"a second object":        signed(`{"hints":[` + one + `]}{}`),
		"a hint without id":      signed(`{"hints":[{"tenant":"T#MC1","checkout_id":"co"}]}`),
		"a hint without tenant":  signed(`{"hints":[{"id":"c","checkout_id":"co"}]}`),
		"a hint without payment": signed(`{"hints":[{"id":"c","tenant":"T#MC1"}]}`),
	}
	for name, m := range messages {
		if hints, err := w.Notice(m.header, []byte(m.body)); !errors.Is(err, acquirer.ErrBadNotice) || hints != nil {
			t.Errorf("%s: got %+v, %v, want ErrBadNotice", name, hints, err)
		}
	}
	for _, age := range []time.Duration{5*time.Minute + time.Second, -10*time.Minute - 2*time.Second} {
		w.Advance(age)
		if _, err := w.Notice(header, body); !errors.Is(err, acquirer.ErrBadNotice) {
			t.Errorf("moved by %s: got %v, want ErrBadNotice", age, err)
		}
	}
}

// TestNotice_WrongMode checks that live mode without an acquirer refuses a notice of test mode's acquirer.
func TestNotice_WrongMode(t *testing.T) {
	t.Parallel()
	header, body := newFixture(t).mustNotice(t, hintOf("c"))
	if hints, err := (acquirer.None{}).Notice(header, body); !errors.Is(err, acquirer.ErrBadNotice) || hints != nil {
		t.Errorf("got %+v, %v, want ErrBadNotice", hints, err)
	}
}

func TestNewNotice_NumberOfHints(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, n := range []int{0, 101} {
		if _, body, err := w.NewNotice(make([]acquirer.Hint, n)...); err == nil {
			t.Errorf("%d hints: got %s, want an error", n, body)
		}
	}
}

// hintsSince returns the hints since the time with the number of their repetitions.
func (w *fixture) hintsSince(t *testing.T, since time.Time) map[acquirer.Hint]int {
	t.Helper()
	found := map[acquirer.Hint]int{}
	for h, err := range w.Hints(t.Context(), since) {
		if err != nil {
			t.Fatal(err)
		}
		found[h]++
	}
	return found
}

// TestHints_EachLateOutcome checks that only an outcome that changes without a call has a hint, and only at its first
// change.
func TestHints_EachLateOutcome(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("paid", plainCard, "100"))
	w.mustCharge(t, cardCharge("declined", plainCard, "11.00"))
	must(t)(w.Complete(t.Context(), "asked", w.answerChallenge(t, cardCharge("asked", askingCard, "10"), sandbox.Approve)))
	w.mustRefund(t, refundOf("paid", "refunded", "1"))
	for id, answer := range map[string]sandbox.BankAnswer{"bank": sandbox.Pay, "refused": sandbox.Fail,
		"left": sandbox.Leave} {
		session := sessionOf(w.mustCharge(t, methodCharge(id, payments.IDEAL, "10", "EUR")))
		for _, a := range []sandbox.BankAnswer{answer, sandbox.Leave, answer} {
			if _, err := w.DecideSession(t.Context(), session, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.mustCharge(t, methodCharge("boleto", payments.Boleto, "10", "BRL"))
	for range 2 {
		if _, err := w.PayVoucher(t.Context(), "boleto"); err != nil {
			t.Fatal(err)
		}
	}
	wantUnknown(t)(w.Charge(t.Context(), cardCharge("silent", plainCard, "42.25")))
	wantUnknown(t)(w.Refund(t.Context(), refundOf("paid", "silent refund", "42.25")))
	want := map[acquirer.Hint]int{hintOf("bank"): 1, hintOf("refused"): 1, hintOf("boleto"): 1, hintOf("silent"): 1,
		refundHint("paid", "silent refund"): 1}
	if got := w.hintsSince(t, clock.Start); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	w.Advance(time.Minute)
	must(t)(w.LookUp(t.Context(), "silent"))
	w.mustRefund(t, refundOf("paid", "silent refund", "42.25"))
	if got := w.hintsSince(t, clock.Start); !maps.Equal(got, want) {
		t.Errorf("after all is decided: got %v, want %v", got, want)
	}
	since := map[acquirer.Hint]int{hintOf("silent"): 1, refundHint("paid", "silent refund"): 1}
	if got := w.hintsSince(t, clock.Start.Add(30*time.Second)); !maps.Equal(got, since) {
		t.Errorf("since the pending outcomes were known: got %v, want %v", got, since)
	}
	if got := w.hintsSince(t, clock.Start.Add(31*time.Second)); len(got) != 0 {
		t.Errorf("since later: got %v, want no hints", got)
	}
}

// TestHints_LostReply checks that a decision whose reply was lost has one hint.
func TestHints_LostReply(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	session := sessionOf(w.mustCharge(t, methodCharge("c", payments.IDEAL, "10", "EUR")))
	w.Wire.Inject(faults.Times(1, "TransactWriteItems", faults.LoseReply))
	if _, err := w.DecideSession(t.Context(), session, sandbox.Pay); err != nil {
		t.Fatal(err)
	}
	if got, want := w.hintsSince(t, clock.Start), (map[acquirer.Hint]int{hintOf("c"): 1}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
