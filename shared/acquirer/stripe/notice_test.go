package stripe_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

var someHint = acquirer.Hint{Reference: acquirer.Reference{Tenant: "T#MC1", CheckoutID: "k"}, ID: "c"}

func TestNotice_Signatures(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	_, body, err := w.api.Notify(someHint)
	if err != nil {
		t.Fatal(err)
	}
	at := func(d time.Duration) string { return fmt.Sprint(w.Now().Add(d).Unix()) }
	now := at(0)
	by := func(secret, at string) string { return ",v1=" + signature(secret, at, body) }
	for name, c := range map[string]struct {
		header textproto.MIMEHeader
		good   bool
	}{
		"current":               {signed("t=" + now + by(currentSecret, now)), true},
		"former":                {signed("t=" + now + by(stripetest.FormerSecret, now)), true},
		"second of two":         {signed("t=" + now + by("whsec_other", now) + by(currentSecret, now)), true},
		"with a test signature": {signed("t=" + now + ",v0=6ffbb59b" + by(currentSecret, now)), true},
		"five minutes ago":      {signed("t=" + at(-5*time.Minute) + by(currentSecret, at(-5*time.Minute))), true},
		"longer ago":            {signed("t=" + at(-301*time.Second) + by(currentSecret, at(-301*time.Second))), false},
		"in the future":         {signed("t=" + at(301*time.Second) + by(currentSecret, at(301*time.Second))), false},
		"another secret":        {signed("t=" + now + by("whsec_other", now)), false},
		"no secret":             {signed("t=" + now + by("", now)), false},
		"only a test signature": {signed("t=" + now + strings.Replace(by(currentSecret, now), "v1", "v0", 1)), false},
		"another time":          {signed("t=" + now + by(currentSecret, at(time.Second))), false},
		"no time":               {signed("v1=" + signature(currentSecret, now, body)), false},
		"no signature":          {signed("t=" + now), false},
		"empty":                 {signed(""), false},
		"two headers": {textproto.MIMEHeader{stripe.SignatureHeader: {"t=" + now + by(currentSecret, now), "x"}},
			false},
		"too many signatures": {signed("t=" + now + strings.Repeat(by("whsec_other", now), 16) + by(currentSecret, now)),
			false},
		"signature in capitals":   {signed("t=" + now + strings.ToUpper(by(currentSecret, now))), false},
		"header of another party": {textproto.MIMEHeader{"Sandbox-Signature": {"t=" + now + by(currentSecret, now)}}, false},
	} {
		hints, err := w.Notice(c.header, body)
		if c.good && (err != nil || !slices.Equal(hints, []acquirer.Hint{someHint})) {
			t.Errorf("%s: got %+v, %v, want the hint", name, hints, err)
		}
		if !c.good && !errors.Is(err, acquirer.ErrBadNotice) {
			t.Errorf("%s: got %+v, %v, want %v", name, hints, err, acquirer.ErrBadNotice)
		}
	}
}

func TestNotice_Bodies(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	ours := `"metadata":{"attempt":"c","tenant":"T#MC1","checkout":"k"}`
	refund := acquirer.Hint{Reference: someHint.Reference, ID: "r", IsRefund: true}
	for name, c := range map[string]struct {
		body  string
		hints []acquirer.Hint
		bad   bool
	}{
		"a charge": {`{"data":{"object":{"object":"payment_intent",` + ours + `}}}`, []acquirer.Hint{someHint},
			false},
		"a verification": {`{"data":{"object":{"object":"setup_intent",` + ours + `}}}`, []acquirer.Hint{someHint},
			false},
		"a refund": {`{"data":{"object":{"object":"refund","metadata":{"refund":"r","attempt":"c","tenant":"T#MC1",` +
			`"checkout":"k"}}}}`, []acquirer.Hint{refund}, false},
		"not a hint":         {`{"data":{"object":{"object":"customer",` + ours + `}}}`, nil, false},
		"not ours":           {`{"data":{"object":{"object":"payment_intent","metadata":{}}}}`, nil, false},
		"without a tenant":   {`{"data":{"object":{"object":"payment_intent","metadata":{"attempt":"c"}}}}`, nil, false},
		"a dashboard refund": {`{"data":{"object":{"object":"refund",` + ours + `}}}`, nil, false},
		"no JSON":            {`{"data":`, nil, true},
		"too large":          {`{"data":"` + strings.Repeat("x", 256<<10) + `"}`, nil, true},
	} {
		at := fmt.Sprint(w.Now().Unix())
		hints, err := w.Notice(signed("t="+at+",v1="+signature(currentSecret, at, []byte(c.body))), []byte(c.body))
		if errors.Is(err, acquirer.ErrBadNotice) != c.bad || !c.bad && err != nil || !slices.Equal(hints, c.hints) {
			t.Errorf("%s: got %+v, %v, want %+v and bad %t", name, hints, err, c.hints, c.bad)
		}
	}
}

func TestHints_SeveralPages(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		w.mustCharge(t, cardCharge(id, plainCard, "10"))
	}
	w.api.Page = 2
	hints := counterpartytest.WalkPages(t, w.Wire, "GET events", 5, func() iter.Seq2[acquirer.Hint, error] {
		return w.Hints(t.Context(), w.Now())
	})
	if h := hints[0]; h.ID != "e" || h.Tenant != "T#MC1" || h.CheckoutID != "checkout of e" {
		t.Errorf("got the newest hint %+v, want that of charge e", h)
	}
}

// receiveNotice checks the notice that localstripe signs after a payer has passed a challenge, and a forged one.
// Notices of earlier charges may arrive, too.
func receiveNotice(t *testing.T, peer *stripetest.LocalStripe) {
	t.Helper()
	h := newHistory(t, peer, 0)
	notices := make(chan error, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			notices <- err
			return
		}
		hints, err := h.Notice(textproto.MIMEHeader(r.Header), body)
		if err == nil && (len(hints) != 1 || hints[0].ID != "c") {
			return
		}
		want := acquirer.Hint{Reference: cardCharge("c", "", "10").Reference, ID: "c"}
		if err == nil && hints[0] != want {
			err = fmt.Errorf("got %+v, want %+v", hints, want)
		}
		_, forged := h.Notice(textproto.MIMEHeader(r.Header), append(body, ' '))
		if !errors.Is(forged, acquirer.ErrBadNotice) {
			err = fmt.Errorf("a forged notice: %w", forged)
		}
		notices <- err
	}))
	defer server.Close()
	if err := peer.SendNotices(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	c := cardCharge("c", stripetest.AskingCard, "10")
	c.Card.CVV = secret.New("731")
	o := h.mustCharge(t, c)
	if o.Decision != payments.Challenge {
		t.Fatalf("got %+v, want a challenge", o)
	}
	if err := peer.Authenticate(t.Context(), path.Base(o.Step.URL), true); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-notices:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("got no notice, want one")
	}
	if o, err := h.LookUp(t.Context(), "c"); err != nil || o.Decision != payments.Approved {
		t.Errorf("got %+v, %v, want approved", o, err)
	}
}
