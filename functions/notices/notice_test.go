package notices_test

import (
	"net/http"
	"net/textproto"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// request returns the request with a notice.
func request(mode identity.Mode, header textproto.MIMEHeader, body []byte) world.Request {
	r := world.Request{Method: "POST", Path: "/acquirer/notices/" + mode.Name(), APIKey: world.NoKey, Body: string(body),
		Header: map[string]string{}}
	for name := range header {
		r.Header[name] = header.Get(name)
	}
	return r
}

// hintAt returns the hint about the open attempt of a checkout in the mode.
func hintAt(s world.Shop, mode identity.Mode, checkout string) acquirer.Hint {
	s.Helper()
	tenant := identity.Tenant{Mode: mode, Merchant: s.Merchant.Code}
	c, err := s.App.Store.AnyCheckout(s.Context(), tenant, checkout)
	if err != nil || c.Attempt == nil {
		s.Fatalf("got %+v, error %v; want a checkout with an attempt", c, err)
	}
	return acquirer.Hint{Reference: acquirer.Reference{Tenant: tenant.String(), CheckoutID: checkout}, ID: c.Attempt.ID}
}

// onlyRefund returns the refund of a live payment, which has no other.
func onlyRefund(s world.Shop, sold world.Payment) payments.Event {
	s.Helper()
	tenant := identity.Tenant{Mode: identity.Live, Merchant: s.Merchant.Code}
	record, err := s.App.Store.Transaction(s.Context(), tenant, sold.ID)
	if err != nil || len(record.Events) != 1 {
		s.Fatalf("got %+v, error %v; want one refund", record, err)
	}
	return record.Events[0]
}

// refundHint returns the hint about the only refund of a live payment.
func refundHint(s world.Shop, sold world.Payment) acquirer.Hint {
	s.Helper()
	h := hintAt(s, identity.Live, sold.Checkout)
	h.ID, h.IsRefund = onlyRefund(s, sold).ID, true
	return h
}

// payByIDEAL begins a payment, and returns the session of the bank's page.
func payByIDEAL(s *examples.Scenario) string {
	s.Helper()
	s.Open(nil)
	r := s.Do(s.ByIDEAL())
	if r.Status != http.StatusOK {
		s.Fatalf("got %d %s, want 200", r.Status, r.Body)
	}
	return path.Base(r.Text("next_step.url"))
}

// wantStatus checks the status of a checkout.
func wantStatus(s world.Shop, checkout, when, want string) {
	s.Helper()
	if read := s.Send("GET", "/v0.1/checkouts/"+checkout, nil); read.Text("status") != want {
		s.Errorf("%s: got %s, want %s", when, read.Body, want)
	}
}

// TestReceiveNotice_Stripe checks that notices of Stripe record the outcomes of a payment and of a refund, and that a
// repeated notice changes nothing. The signature of the notices has commas, at which Lambda's adapter divides headers.
func TestReceiveNotice_Stripe(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	api := stripetest.New(w.Clock)
	w.GoLiveWith(stripetest.Start(t, api))
	s := w.Shop().NewLiveShop().WithCallbacks()
	notify := func(h acquirer.Hint) {
		t.Helper()
		for range 2 {
			header, body, err := api.Notify(h)
			if err != nil {
				t.Fatal(err)
			}
			if r := s.Do(request(identity.Live, header, body)); r.Status != http.StatusOK || string(r.Body) != "{}" {
				t.Errorf("got %d %s, want 200 {}", r.Status, r.Body)
			}
		}
	}
	checkout := s.Create(world.Unanswered, nil)
	s.Pay(checkout, s.Card(world.Frictionless))
	hint := hintAt(s, identity.Live, checkout)
	notify(hint)
	wantStatus(s, checkout, "before the outcome", "PENDING")
	api.SettleAll()
	notify(hint)
	wantStatus(s, checkout, "after the outcome", "PAID")
	if records := s.CheckoutRecords(checkout); records.Transactions["SUCCESSFUL"] != 1 {
		t.Errorf("got %+v, want one transaction", records)
	}
	sold := s.Sell("100")
	s.Refund(sold, world.Unanswered)
	if got := onlyRefund(s, sold).Status; got != payments.EventPending {
		t.Errorf("got refund %s, want it %s", got, payments.EventPending)
	}
	api.SettleAll()
	w.Clock.Advance(time.Minute) // the refund's own request has surely ended
	notify(refundHint(s, sold))
	if got := onlyRefund(s, sold).Status; got != payments.EventRefunded {
		t.Errorf("got refund %s, want %s", got, payments.EventRefunded)
	}
}

// TestReceiveNotice_Refused checks that only the acquirer of the mode in the path is believed, and only about the body
// as it was sent. A notice that is refused changes nothing.
func TestReceiveNotice_Refused(t *testing.T) {
	t.Parallel()
	s := &examples.Scenario{Shop: world.NewShop(t).WithCallbacks()}
	api := stripetest.New(s.Clock)
	s.GoLiveWith(stripetest.Start(t, api))
	session := payByIDEAL(s)
	hint := hintAt(s.Shop, identity.Test, s.CheckoutID)
	if _, err := s.App.Sandbox.DecideSession(t.Context(), session, sandbox.Pay); err != nil {
		t.Fatal(err)
	}
	sign := func() (string, []byte) {
		header, body, err := s.App.Sandbox.NewNotice(hint)
		if err != nil {
			t.Fatal(err)
		}
		return header.Get(sandbox.SignatureHeader), body
	}
	signature, body := sign()
	signed := func(signature string) textproto.MIMEHeader {
		return textproto.MIMEHeader{sandbox.SignatureHeader: {signature}}
	}
	byStripe, ofStripe, err := api.Notify(hint)
	if err != nil {
		t.Fatal(err)
	}
	other := request(identity.Test, signed(signature), body)
	other.Path = "/acquirer/notices/sandbox"
	keyed := request(identity.Test, nil, body)
	keyed.APIKey = s.Merchant.Key.Plaintext
	for name, c := range map[string]struct {
		request world.Request
		status  int
	}{
		"other mode":        {request(identity.Live, signed(signature), body), 400},
		"Stripe's, in test": {request(identity.Test, byStripe, ofStripe), 400},
		"no such mode":      {other, 404},
		"no signature":      {request(identity.Test, nil, body), 400},
		"a merchant's key":  {keyed, 400},
		"wrong signature":   {request(identity.Test, signed(signature[:len(signature)-1]+"!"), body), 400},
		"two signatures":    {request(identity.Test, signed(signature+","+signature), body), 400},
		"Stripe's header":   {request(identity.Test, textproto.MIMEHeader{stripe.SignatureHeader: {signature}}, body), 400},
		"other body":        {request(identity.Test, signed(signature), append(body, ' ')), 400},
		"byte order mark":   {request(identity.Test, signed(signature), append([]byte("\ufeff"), body...)), 400},
		"no body":           {request(identity.Test, signed(signature), nil), 400},
		"a very large body": {request(identity.Test, signed(signature), []byte(strings.Repeat(" ", 1<<20+1))), 413},
		"not in UTF-8":      {request(identity.Test, signed(signature), []byte("\xff")), 400},
	} {
		if r := s.Main().DoUnchecked(c.request); r.Status != c.status || strings.Contains(string(r.Body), signature) {
			t.Errorf("%s: got %d %s, want %d", name, r.Status, r.Body, c.status)
		}
	}
	s.Clock.Advance(5*time.Minute + time.Second)
	if r := s.Do(request(identity.Test, signed(signature), body)); r.Status != http.StatusBadRequest {
		t.Errorf("too old: got %d %s, want 400", r.Status, r.Body)
	}
	records := s.CheckoutRecords(s.CheckoutID)
	if len(records.Transactions) != 1 || records.Transactions["PENDING"] != 1 {
		t.Errorf("after refused notices: got %+v, want one pending transaction", records)
	}
	signature, body = sign()
	if r := s.Do(request(identity.Test, signed(signature), body)); r.Status != http.StatusOK {
		t.Errorf("signed: got %d %s, want 200", r.Status, r.Body)
	}
	wantStatus(s.Shop, s.CheckoutID, "signed", "PAID")
}

// TestReceiveNotice_TableFails checks that a notice whose outcome was not recorded is answered with an error, so that
// the acquirer repeats the notice.
func TestReceiveNotice_TableFails(t *testing.T) {
	t.Parallel()
	s := &examples.Scenario{Shop: world.NewShop(t).WithCallbacks()}
	session := payByIDEAL(s)
	header, body, err := s.App.Sandbox.NewNotice(hintAt(s.Shop, identity.Test, s.CheckoutID))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.App.Sandbox.DecideSession(t.Context(), session, sandbox.Pay); err != nil {
		t.Fatal(err)
	}
	notice := request(identity.Test, header, body)
	failing := s.Process()
	failing.Steps.Inject(faults.Always("TransactWriteItems", faults.FailBefore))
	if r := failing.Do(notice); r.Status != http.StatusInternalServerError {
		t.Errorf("got %d %s, want 500", r.Status, r.Body)
	}
	if r := s.Do(notice); r.Status != http.StatusOK {
		t.Errorf("repeated: got %d %s, want 200", r.Status, r.Body)
	}
	wantStatus(s.Shop, s.CheckoutID, "repeated", "PAID")
}

// TestReceiveNotice_NoAnswer checks that a notice about an open payment or refund is answered with an error while the
// acquirer does not answer, so that the acquirer repeats the notice. Once the outcome is recorded, it is not asked.
func TestReceiveNotice_NoAnswer(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	api := stripetest.New(w.Clock)
	var refused atomic.Int64 // status of Stripe's answers; 0: Stripe works
	w.GoLiveWith(stripetest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := refused.Load(); status != 0 {
			w.WriteHeader(int(status))
			return
		}
		api.ServeHTTP(w, r)
	})))
	s := w.Shop().NewLiveShop().WithCallbacks()
	checkout := s.Create(world.Unanswered, nil)
	s.Pay(checkout, s.Card(world.Frictionless))
	sold := s.Sell("100")
	s.Refund(sold, world.Unanswered)
	w.Clock.Advance(time.Minute) // the refund's own request has surely ended
	api.SettleAll()
	for name, h := range map[string]acquirer.Hint{
		"payment": hintAt(s, identity.Live, checkout), "refund": refundHint(s, sold),
	} {
		for _, try := range []struct {
			when    string
			refused int64
			want    int
		}{{"no answer", 503, 424}, {"a wrong key", 401, 424}, {"an answer", 0, 200},
			{"outcome recorded, no answer", 503, 200}} {
			refused.Store(try.refused)
			header, body, err := api.Notify(h)
			if err != nil {
				t.Fatal(err)
			}
			if r := s.Do(request(identity.Live, header, body)); r.Status != try.want {
				t.Errorf("%s, %s: got %d %s, want %d", name, try.when, r.Status, r.Body, try.want)
			}
		}
	}
	wantStatus(s, checkout, "in the end", "PAID")
	if got := onlyRefund(s, sold).Status; got != payments.EventRefunded {
		t.Errorf("got refund %s, want %s", got, payments.EventRefunded)
	}
}
