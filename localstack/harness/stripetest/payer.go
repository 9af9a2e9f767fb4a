package stripetest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"path"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var errNotPayable = errors.New("stand-in: it cannot be paid")

// Find returns the intent ("attempt") or refund ("refund") with our id and the status, or nil.
func (s *StandIn) Find(name, id, status string) Object {
	for _, o := range s.Objects {
		of, _ := o["metadata"].(Object)
		kind := map[any]string{"payment_intent": "attempt", "setup_intent": "attempt", "refund": "refund"}[o["object"]]
		if kind == name && of[name] == id && o["status"] == status {
			return o
		}
	}
	return nil
}

// Answer acts as the payer on the page of a challenge or method. The payer comes back by a link, without an answer.
func (s *StandIn) Answer(_ context.Context, _ string, o payments.Outcome, pays bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	intent := s.Objects[path.Base(o.Step.URL)]
	switch {
	case intent["status"] != "requires_action":
		return "", errNotPayable
	case pays:
		s.succeed(intent, Object{"electronic_commerce_indicator": "05", "result": "authenticated"})
	default:
		s.decline(intent, Object{"type": "invalid_request_error", "code": "payment_intent_authentication_failure"})
	}
	return "", nil
}

// Pay acts as the payer who pays the code of a voucher.
func (s *StandIn) Pay(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.Find("attempt", id, "requires_action")
	if o == nil {
		return errNotPayable
	}
	s.succeed(o, nil)
	return nil
}

// Settle approves the pending charge or refund with our id.
func (s *StandIn) Settle(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.Find("attempt", id, "processing"); o != nil {
		s.succeed(o, nil)
		return nil
	}
	o := s.Find("refund", id, "pending")
	if o == nil {
		return errNotPayable
	}
	s.settleRefund(o)
	return nil
}

func (s *StandIn) settleRefund(o Object) {
	o["status"] = "succeeded"
	s.Book("refund", o, -o["amount"].(int64))
	s.emit("refund.updated", o)
}

// SettleAll approves all pending charges and refunds.
func (s *StandIn) SettleAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.Objects)) {
		switch o := s.Objects[id]; o["status"] {
		case "processing":
			s.succeed(o, nil)
		case "pending":
			s.settleRefund(o)
		}
	}
}

// ChargeBack acts as the issuer who takes money of our charge back.
func (s *StandIn) ChargeBack(_ context.Context, chargeID, id string, amount money.Amount) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	charge := s.Objects[s.Find("attempt", chargeID, "succeeded")["latest_charge"].(string)]
	s.Dispute(id, charge, amount.Minor(), -amount.Minor())
	return nil
}

// Dispute books a dispute of the charge.
func (s *StandIn) Dispute(id string, charge Object, units, booked int64) {
	s.Objects[id] = Object{"id": id, "object": "dispute", "amount": units, "currency": charge["currency"],
		"charge": charge["id"], "metadata": Object{}}
	s.Book("adjustment", s.Objects[id], booked)
}

// Moved returns the sums of a charge's lines.
func (s *StandIn) Moved(_ context.Context, chargeID string) (map[acquirer.Kind]money.Amount, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	units := map[acquirer.Kind]int64{}
	sums := map[acquirer.Kind]money.Amount{}
	for _, line := range s.Lines {
		id, _ := line["source"].(string)
		source := s.Objects[id]
		charge := source
		if name, ok := source["charge"].(string); ok {
			charge = s.Objects[name]
		}
		if of, _ := charge["metadata"].(Object); of["attempt"] != chargeID {
			continue
		}
		kind := map[any]acquirer.Kind{"charge": acquirer.CaptureMovement, "refund": acquirer.RefundMovement,
			"dispute": acquirer.ChargebackMovement}[source["object"]]
		units[kind] += source["amount"].(int64)
		sums[kind] = money.FromMinor(units[kind], money.Currency(strings.ToUpper(source["currency"].(string))))
	}
	return sums, nil
}

// Secrets of the webhook endpoint.
const (
	CurrentSecret = "whsec_current"
	FormerSecret  = "whsec_former"
)

// Notify returns the notice that Stripe sends about the hint.
func (s *StandIn) Notify(h acquirer.Hint) (textproto.MIMEHeader, []byte, error) {
	about := Object{"object": "payment_intent", "metadata": Object{"attempt": h.ID, "tenant": h.Tenant,
		"checkout": h.CheckoutID}}
	if h.IsRefund {
		about = Object{"object": "refund", "metadata": Object{"refund": h.ID, "attempt": "c", "tenant": h.Tenant,
			"checkout": h.CheckoutID}}
	}
	body, err := json.Marshal(Object{"id": "evt_1", "object": "event", "type": "payment_intent.succeeded",
		"data": Object{"object": about}})
	at := fmt.Sprint(s.Now().Unix())
	return Signed("t=" + at + ",v1=" + Signature(CurrentSecret, at, body)), body, err
}

// Signed returns the header of a notice.
func Signed(value string) textproto.MIMEHeader {
	return textproto.MIMEHeader{stripe.SignatureHeader: {value}}
}

// Signature returns a signature as Stripe documents it (docs.stripe.com/webhooks, "Verify manually").
func Signature(secret, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(at + "." + string(body)))
	return hex.EncodeToString(mac.Sum(nil))
}

// Count returns the number of requests of the operation.
func (s *StandIn) Count(method, suffix string) int {
	return len(s.Requests(method, suffix))
}

// Requests returns the forms of the requests whose paths end with the suffix.
func (s *StandIn) Requests(method, suffix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var forms []string
	for _, request := range s.Taken {
		parts := strings.SplitN(request, " ", 3)
		if parts[0] == method && strings.HasSuffix(parts[1], suffix) {
			forms = append(forms, parts[2])
		}
	}
	return forms
}

// Instead has the stand-in answer the next request of the operation with the status and error.
func (s *StandIn) Instead(operation string, status int, kind, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, body := refuse(status, kind, code)
	s.Next[operation] = Reply{Status: status, Body: body}
}

// Statuses returns the statuses of all intents.
func (s *StandIn) Statuses() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for id, o := range s.Objects {
		if strings.HasPrefix(id, "pi_") || strings.HasPrefix(id, "seti_") {
			all = append(all, o["status"].(string))
		}
	}
	return all
}

var _ http.RoundTripper = (*StandIn)(nil)
