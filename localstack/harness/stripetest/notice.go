package stripetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/textproto"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
)

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
	return s.noticeOf(Object{"id": "evt_1", "object": "event", "type": "payment_intent.succeeded",
		"data": Object{"object": about}})
}

// NotifyAgain returns the notice of one of the events, which roll chooses. It returns false if nothing has happened.
func (s *StandIn) NotifyAgain(roll uint64) (header textproto.MIMEHeader, body []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.events) == 0 {
		return nil, nil, false
	}
	header, body, err := s.noticeOf(s.events[roll%uint64(len(s.events))])
	return header, body, err == nil
}

func (s *StandIn) noticeOf(event Object) (textproto.MIMEHeader, []byte, error) {
	body, err := json.Marshal(event)
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
