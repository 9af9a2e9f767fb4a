// Package processing takes a checkout through the acquirer: it claims an
// attempt, has it charged, and records the outcome. Whoever is cut off is
// finished by whoever comes next (a retry, the payer's browser, the sweep):
// they all ask about the same attempt, and only Start begins one.
package processing

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Config is what a Processor works with.
type Config struct {
	Store      *store.Store
	Acquirers  map[identity.Mode]acquirer.Acquirer
	BaseURL    string                    // of the API, for the 3DS return
	SessionKey func(at time.Time) []byte // derives the payer session tokens of attempts that began then
	TokenKey   []byte                    // derives saved cards' tokens
	Refunds    payments.RefundRules      // the operator's
	Log        *slog.Logger
}

// Processor is safe for concurrent use.
type Processor struct{ Config }

// New returns a Processor.
func New(c Config) *Processor { return &Processor{c} }

const (
	// chargeTime bounds one call to the acquirer, of two at most. With the
	// writes around them they end before the sweep takes an attempt over.
	chargeTime = 8 * time.Second
	// recordTime bounds the recording of an outcome, which goes on even when
	// the client has hung up.
	recordTime = 10 * time.Second
)

func (p *Processor) acquirer(t identity.Tenant) acquirer.Acquirer {
	if a := p.Acquirers[t.Mode]; a != nil {
		return a
	}
	return acquirer.None{}
}

// settle records an outcome. An outcome that comes late changes nothing.
func (p *Processor) settle(ctx context.Context, t identity.Tenant, c payments.Checkout, attemptID string,
	o payments.Outcome) (payments.Checkout, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	return p.change(ctx, t, c, func(c payments.Checkout) (payments.CheckoutChange, bool, error) {
		change, ok := c.Settle(attemptID, o, messageID(), p.session(c, attemptID), p.Store.Now())
		if !ok && o.Decision == payments.Approved {
			p.reportStray(ctx, t, c, attemptID)
		}
		return change, ok, nil
	})
}

// session lets the payer come back to the attempt, if it is still the latest.
func (p *Processor) session(c payments.Checkout, attemptID string) payments.Session {
	if c.Attempt == nil || c.Attempt.ID != attemptID {
		return payments.Session{}
	}
	return payments.Session{TokenHash: identity.Hash(p.SessionToken(*c.Attempt))}
}

// reportStray tells people of an approved charge that its checkout does not
// show as paid. The acquirer's cancellations make it impossible; if it
// happens all the same, somebody's money must be looked after.
func (p *Processor) reportStray(ctx context.Context, t identity.Tenant, c payments.Checkout, attemptID string) {
	if final, ok := c.SuccessfulTransaction(); ok && final.ID == attemptID {
		return
	}
	p.Log.ErrorContext(ctx, "approved charge on a closed attempt", "tenant", t.String(), "checkout",
		c.ID, "attempt", attemptID)
}

// change applies a rule to a checkout and writes what follows, again on the
// fresh state whenever somebody else was faster. A rule answering false
// leaves the checkout as it is.
func (p *Processor) change(ctx context.Context, t identity.Tenant, c payments.Checkout,
	rule func(payments.Checkout) (payments.CheckoutChange, bool, error)) (payments.Checkout, error) {
	return store.Retry(func(again bool) (payments.Checkout, error) {
		if again {
			var err error
			if c, err = p.Store.Checkout(ctx, t, c.ID); err != nil {
				return c, err
			}
		}
		change, ok, err := rule(c)
		if err != nil || !ok {
			return c, err
		}
		return p.Store.Apply(ctx, t, change)
	})
}

// SessionToken names an attempt where a payer needs no credential: as the MD
// of its challenge, and in the links to its payment code. It is unguessable, and the same for every retry of the attempt and
// every look at it, whatever secret has come into use since it began.
func (p *Processor) SessionToken(a payments.Attempt) string {
	mac := hmac.New(sha256.New, p.SessionKey(a.StartedAt))
	mac.Write([]byte("payer session " + a.ID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// cardToken is our token for a card: the same card of the same customer has
// the same one (contract §4.6). It is a keyed fingerprint, so it cannot be
// turned back into a number.
func (p *Processor) cardToken(t identity.Tenant, customer string, number payments.Secret) string {
	mac := hmac.New(sha256.New, p.TokenKey)
	mac.Write([]byte("card token\x00" + t.String() + "\x00" + customer + "\x00" + number.Reveal()))
	return payments.FormatUUIDv4(mac.Sum(nil))
}

func messageID() string { return "msg_" + uuid.NewString() }
