package stripe_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"path"
	"strings"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

var errNotPayable = errors.New("stand-in: it cannot be paid")

// find returns the intent ("attempt") or refund ("refund") with our id and the status, or nil.
func (s *standIn) find(name, id, status string) object {
	for _, o := range s.objects {
		of, _ := o["metadata"].(object)
		kind := map[any]string{"payment_intent": "attempt", "setup_intent": "attempt", "refund": "refund"}[o["object"]]
		if kind == name && of[name] == id && o["status"] == status {
			return o
		}
	}
	return nil
}

// answer acts as the payer on the page of a challenge or method. The payer comes back by a link, without an answer.
func (s *standIn) answer(_ context.Context, _ string, o payments.Outcome, pays bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	intent := s.objects[path.Base(o.Step.URL)]
	switch {
	case intent["status"] != "requires_action":
		return "", errNotPayable
	case pays:
		s.succeed(intent, object{"electronic_commerce_indicator": "05", "result": "authenticated"})
	default:
		s.decline(intent, object{"type": "invalid_request_error", "code": "payment_intent_authentication_failure"})
	}
	return "", nil
}

// pay acts as the payer who pays the code of a voucher.
func (s *standIn) pay(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.find("attempt", id, "requires_action")
	if o == nil {
		return errNotPayable
	}
	s.succeed(o, nil)
	return nil
}

// settle approves the pending charge or refund with our id.
func (s *standIn) settle(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.find("attempt", id, "processing"); o != nil {
		s.succeed(o, nil)
		return nil
	}
	o := s.find("refund", id, "pending")
	if o == nil {
		return errNotPayable
	}
	o["status"] = "succeeded"
	s.book("refund", o, -o["amount"].(int64))
	s.emit("refund.updated", o)
	return nil
}

// chargeBack acts as the issuer who takes money of our charge back.
func (s *standIn) chargeBack(_ context.Context, chargeID, id string, amount money.Amount) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	charge := s.objects[s.find("attempt", chargeID, "succeeded")["latest_charge"].(string)]
	s.dispute(id, charge, amount.Minor(), -amount.Minor())
	return nil
}

// dispute books a dispute of the charge.
func (s *standIn) dispute(id string, charge object, units, booked int64) {
	s.objects[id] = object{"id": id, "object": "dispute", "amount": units, "currency": charge["currency"],
		"charge": charge["id"], "metadata": object{}}
	s.book("adjustment", s.objects[id], booked)
}

// moved returns the sums of a charge's lines.
func (s *standIn) moved(_ context.Context, chargeID string) (map[acquirer.Kind]money.Amount, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	units := map[acquirer.Kind]int64{}
	sums := map[acquirer.Kind]money.Amount{}
	for _, line := range s.lines {
		source := s.objects[line["source"].(string)]
		charge := source
		if name, ok := source["charge"].(string); ok {
			charge = s.objects[name]
		}
		if charge["metadata"].(object)["attempt"] != chargeID {
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
	currentSecret = "whsec_current"
	formerSecret  = "whsec_former"
)

// notify returns the notice that Stripe sends about the hint.
func (s *standIn) notify(h acquirer.Hint) (textproto.MIMEHeader, []byte, error) {
	about := object{"object": "payment_intent", "metadata": object{"attempt": h.ID, "tenant": h.Tenant,
		"checkout": h.CheckoutID}}
	if h.IsRefund {
		about = object{"object": "refund", "metadata": object{"refund": h.ID, "attempt": "c", "tenant": h.Tenant,
			"checkout": h.CheckoutID}}
	}
	body, err := json.Marshal(object{"id": "evt_1", "object": "event", "type": "payment_intent.succeeded",
		"data": object{"object": about}})
	at := fmt.Sprint(s.Now().Unix())
	return signed("t=" + at + ",v1=" + signature(currentSecret, at, body)), body, err
}

func signed(value string) textproto.MIMEHeader {
	return textproto.MIMEHeader{stripe.SignatureHeader: {value}}
}

// signature returns a signature as Stripe documents it (docs.stripe.com/webhooks, "Verify manually").
func signature(secret, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(at + "." + string(body)))
	return hex.EncodeToString(mac.Sum(nil))
}

// count returns the number of requests of the operation.
func (s *standIn) count(method, suffix string) int {
	return len(s.requests(method, suffix))
}

// requests returns the forms of the requests whose paths end with the suffix.
func (s *standIn) requests(method, suffix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var forms []string
	for _, request := range s.taken {
		parts := strings.SplitN(request, " ", 3)
		if parts[0] == method && strings.HasSuffix(parts[1], suffix) {
			forms = append(forms, parts[2])
		}
	}
	return forms
}

// instead has the stand-in answer the next request of the operation with the status and error.
func (s *standIn) instead(operation string, status int, kind, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, body := refuse(status, kind, code)
	s.next[operation] = reply{status: status, body: body}
}

// statuses returns the statuses of all intents.
func (s *standIn) statuses() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for id, o := range s.objects {
		if strings.HasPrefix(id, "pi_") || strings.HasPrefix(id, "seti_") {
			all = append(all, o["status"].(string))
		}
	}
	return all
}

var _ http.RoundTripper = (*standIn)(nil)
