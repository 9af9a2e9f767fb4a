package stripe

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
)

// SignatureHeader is the header of a notice that contains the time in Unix seconds and one or more signatures, as in
// "t=1700000000,v1=5257a8,v1=6ffbb5". A signature is a keyed hash of the time, a dot and the body, in hex.
const SignatureHeader = "Stripe-Signature"

const (
	// maxNotice is the maximum size of a notice's body in bytes.
	maxNotice = 256 << 10
	// maxSignatures is the maximum number of fields in the header. Stripe signs with two secrets at most.
	maxSignatures = 16
	// noticeTime is the maximum difference between a notice's time and the system's.
	noticeTime = 5 * time.Minute
)

// event is a change at Stripe. Notices and the list of events have the same objects.
type event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Data struct {
		Object struct {
			Object   string            `json:"object"`
			Metadata map[string]string `json:"metadata"`
		} `json:"object"`
	} `json:"data"`
}

func (e event) stripeID() string { return e.ID }

// hintedTypes lists the types of events that change the outcome of a charge or refund.
var hintedTypes = []string{
	"payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.canceled",
	"payment_intent.amount_capturable_updated", "setup_intent.succeeded", "setup_intent.setup_failed",
	"setup_intent.canceled", "refund.created", "refund.updated", "refund.failed",
}

// hint returns the hint of an event about an intent or a refund. It returns false for any other event, and for an
// object that the platform has not made.
func (e event) hint() (acquirer.Hint, bool) {
	o := e.Data.Object
	h := acquirer.Hint{Reference: acquirer.Reference{Tenant: o.Metadata[metaTenant], CheckoutID: o.Metadata[metaCheckout]}}
	switch o.Object {
	case "payment_intent", "setup_intent":
		h.ID = o.Metadata[metaCharge]
	case "refund":
		h.ID, h.IsRefund = o.Metadata[metaRefund], true
	}
	return h, h.ID != "" && h.Tenant != "" && h.CheckoutID != ""
}

// Notice returns the hint of an event, if Stripe signed the event in the last minutes. An event about anything else has
// no hint. Errors: ErrBadNotice.
func (a *Acquirer) Notice(header textproto.MIMEHeader, body []byte) ([]acquirer.Hint, error) {
	if len(body) > maxNotice {
		return nil, badNotice("it has more than %d bytes", maxNotice)
	}
	if err := a.checkSignature(header[SignatureHeader], body); err != nil {
		return nil, err
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, badNotice("its body of %d bytes cannot be read", len(body))
	}
	if h, ok := e.hint(); ok {
		return []acquirer.Hint{h}, nil
	}
	return nil, nil
}

// checkSignature refuses a notice without a signature by one of the secrets, or with an old time.
func (a *Acquirer) checkSignature(values []string, body []byte) error {
	if len(values) != 1 {
		return badNotice("it has %d headers with signatures", len(values))
	}
	fields := strings.SplitN(values[0], ",", maxSignatures)
	at, found := strings.CutPrefix(fields[0], "t=")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if !found || err != nil {
		return badNotice("its header has no time")
	}
	if a.noticeNow().Sub(time.Unix(seconds, 0)).Abs() > noticeTime {
		return badNotice("its time is not now")
	}
	signed := false
	for _, secret := range a.noticeSecrets() {
		want := sign(secret, at, body)
		for _, field := range fields[1:] {
			signature, current := strings.CutPrefix(strings.TrimSpace(field), "v1=")
			signed = current && secret != "" && hmac.Equal([]byte(signature), []byte(want)) || signed
		}
	}
	if !signed {
		return badNotice("its signature is wrong")
	}
	return nil
}

// sign returns the signature of a body at a time in Unix seconds.
func sign(secret, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func badNotice(format string, values ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{acquirer.ErrBadNotice}, values...)...)
}

// Hints walks the hints of the events at the time since or later. Stripe keeps events for 30 days. An error ends the
// walk.
func (a *Acquirer) Hints(ctx context.Context, since time.Time) iter.Seq2[acquirer.Hint, error] {
	form := createdSince(since)
	form["types[]"] = hintedTypes
	return func(yield func(acquirer.Hint, error) bool) {
		for e, err := range listAll[event](ctx, a.api, "/v1/events", form) {
			h, ok := e.hint()
			if err != nil {
				h = acquirer.Hint{}
			}
			if (ok || err != nil) && !yield(h, err) {
				return
			}
		}
	}
}
