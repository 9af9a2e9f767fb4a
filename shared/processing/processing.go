// Package processing charges checkouts and makes refunds at the acquirer. It claims an attempt, has the acquirer charge
// the attempt, and records the outcome. Start begins attempts online, and Driver.Begin of reader/run begins attempts at
// readers. Refund begins a refund. If an attempt or a refund is cut off, a retry, the payer's browser, a poll or the
// sweep finishes the same attempt or refund.
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
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reader/run"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Config holds a Processor's dependencies.
type Config struct {
	Store      *store.Store
	Acquirers  map[identity.Mode]acquirer.Acquirer
	Terminals  map[identity.Mode]terminal.Terminals
	BaseURL    string                    // base URL of the API, for the 3DS return
	SessionKey func(at time.Time) []byte // key for the payer session tokens of attempts that began at that time
	TokenKey   func() []byte             // key for the tokens of saved cards
	Refunds    payments.RefundRules      // the operator's rules
	Log        *slog.Logger
	Metrics    metric.Log

	AcquirerHosts payments.AcquirerHosts // where the challenges of live acquirers may lead
}

// Processor is safe for concurrent use.
type Processor struct {
	Config
	Readers *run.Driver // payments that wait at a card reader
}

// New returns a Processor.
func New(c Config) *Processor {
	p := &Processor{Config: c}
	p.Readers = run.New(run.Config{Store: c.Store, Terminals: c.Terminals, Payments: p, Log: c.Log,
		Acquirer: func(t identity.Tenant) acquirer.Acquirer { return p.acquirer(t.Mode) }})
	return p
}

const (
	// chargeTime bounds one call to the acquirer. Two such calls, with the writes before and after them, end before the
	// sweep takes over the attempt.
	chargeTime = 8 * time.Second
	// recordTime bounds the recording of an outcome, which goes on even if the client has disconnected.
	recordTime = 10 * time.Second
)

func (p *Processor) acquirer(mode identity.Mode) acquirer.Acquirer {
	if a := p.Acquirers[mode]; a != nil {
		return a
	}
	return acquirer.None{}
}

// Settle records and counts an outcome of the checkout's open attempt. If the outcome changes nothing, Settle writes
// nothing, so that answers about a waiting payment stay cheap. It does not measure the time of the charge.
func (p *Processor) Settle(ctx context.Context, t identity.Tenant, c payments.Checkout,
	o payments.Outcome) (payments.Checkout, error) {
	if !c.Changes(o, p.Store.Now()) {
		return c, nil
	}
	return p.record(ctx, t, c, c.Attempt.ID, o)
}

// PollLater schedules the next poll of the checkout's open attempt, which still waits for the payer.
func (p *Processor) PollLater(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	return p.record(ctx, t, c, c.Attempt.ID, payments.Outcome{Decision: payments.Challenge})
}

// CloseNotTaken closes the checkout's open attempt, which neither the acquirer nor the terminal has taken.
func (p *Processor) CloseNotTaken(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout,
	error) {
	attempt := c.Attempt.ID
	return p.change(ctx, t, c, func(c payments.Checkout) (payments.CheckoutChange, bool, error) {
		change, ok := c.CloseNotTaken(attempt)
		return change, ok, nil
	})
}

// record writes an outcome, unless the attempt is closed. No other function writes the outcome of a charge, so each
// outcome is counted once. The caller's measurements are logged in the same line.
func (p *Processor) record(ctx context.Context, t identity.Tenant, c payments.Checkout, attemptID string,
	o payments.Outcome, measured ...metric.Value) (payments.Checkout, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	if err := p.refuseCard(ctx, t, c, attemptID, o); err != nil {
		return c, err
	}
	var settled bool
	after, err := p.change(ctx, t, c, func(c payments.Checkout) (payments.CheckoutChange, bool, error) {
		var change payments.CheckoutChange
		change, settled = c.Settle(attemptID, o, newMessageID(), p.session(c, attemptID), p.Store.Now())
		if !settled && o.Decision == payments.Approved {
			p.logUnexpectedApproval(ctx, t, c, attemptID)
		}
		return change, settled, nil
	})
	if settled && err == nil {
		measured = append(measured, p.outcomeMetrics(after, o)...)
	}
	p.measure(ctx, t, measured...)
	return after, err
}

// refuseCard deactivates the saved card that the outcome refuses for good. record calls it before it writes the
// outcome. So the process that records the outcome after an interruption also deactivates the card.
func (p *Processor) refuseCard(ctx context.Context, t identity.Tenant, c payments.Checkout, attemptID string,
	o payments.Outcome) error {
	card, refused := c.RefusedCard(attemptID, o)
	if !refused {
		return nil
	}
	return p.Store.RefuseCard(ctx, t, card)
}

// session returns the payer's session for the attempt. The session is empty if the attempt is closed.
func (p *Processor) session(c payments.Checkout, attemptID string) payments.Session {
	if !c.AttemptOpen() || c.Attempt.ID != attemptID {
		return payments.Session{}
	}
	return payments.Session{TokenHash: identity.Hash(p.SessionToken(*c.Attempt))}
}

// logUnexpectedApproval logs an approved charge that did not pay its checkout. The acquirer cancels an attempt before
// it is closed, so this should be impossible. If it happens, an operator must return the money.
func (p *Processor) logUnexpectedApproval(ctx context.Context, t identity.Tenant, c payments.Checkout,
	attemptID string) {
	if final, ok := c.SuccessfulTransaction(); ok && final.ID == attemptID {
		return
	}
	p.Log.ErrorContext(ctx, "approved charge on a closed attempt", "tenant", t.String(), "checkout",
		c.ID, "attempt", attemptID)
}

// change applies a rule to a checkout and writes the change. If another writer was faster, it tries again on the new
// state. If the rule returns false, it writes nothing.
func (p *Processor) change(ctx context.Context, t identity.Tenant, c payments.Checkout,
	rule func(payments.Checkout) (payments.CheckoutChange, bool, error)) (payments.Checkout, error) {
	return store.Retry(func(again bool) (payments.Checkout, error) {
		if again {
			var err error
			if c, err = p.Store.AnyCheckout(ctx, t, c.ID); err != nil {
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

// SessionToken returns the token that identifies an attempt to the payer's browser, which has no credential. The token
// is the MD of the challenge, and part of links to the payment code. The token cannot be guessed. Each retry and poll
// of the attempt gets the same token, even after the secret was rotated.
func (p *Processor) SessionToken(a payments.Attempt) string {
	mac := hmac.New(sha256.New, p.SessionKey(a.StartedAt))
	mac.Write([]byte("payer session " + a.ID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// cardToken returns our token for a customer's card. The same card always gets the same token (contract §4.6). The
// token is a keyed hash, so the card number cannot be recovered from the token.
func (p *Processor) cardToken(t identity.Tenant, customer string, number secret.Text) string {
	mac := hmac.New(sha256.New, p.TokenKey())
	mac.Write([]byte("card token\x00" + t.String() + "\x00" + customer + "\x00" + number.Reveal()))
	return payments.FormatUUIDv4(mac.Sum(nil))
}

// Source returns the source of an attempt to pay the checkout. Source replaces the names, such as a payer's network
// address, with keyed hashes, because a checkout is stored for years.
func (p *Processor) Source(checkoutID string, payer bool, names ...string) payments.Source {
	by := payments.Source{Payer: payer}
	for _, name := range names {
		mac := hmac.New(sha256.New, p.TokenKey())
		mac.Write([]byte("attempt by\x00" + checkoutID + "\x00" + name))
		by.Names = append(by.Names, base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:6]))
	}
	return by
}

func newMessageID() string { return "msg_" + uuid.NewString() }

// chargeMetrics returns the metrics of an attempt's first charge. They count the attempt and an unknown outcome, and
// measure the time that the acquirer took.
func chargeMetrics(o payments.Outcome, took time.Duration) []metric.Value {
	measured := []metric.Value{metric.PaymentsAttempted.Once(), metric.AcquirerLatency.Took(took)}
	if o.Decision == payments.OutcomeUnknown {
		measured = append(measured, metric.PaymentsUnknown.Once())
	}
	return measured
}

// outcomeMetrics returns the metrics of an outcome once the outcome is written. The approval rate counts only decisions
// of issuers, so an attempt that the payer gave up counts as neither approved nor declined.
func (p *Processor) outcomeMetrics(after payments.Checkout, o payments.Outcome) []metric.Value {
	switch o.Decision {
	case payments.Approved:
		return []metric.Value{metric.PaymentsApproved.Of(1)}
	case payments.Declined:
		return []metric.Value{metric.PaymentsApproved.Of(0)}
	case payments.OutcomeUnknown:
		if age := p.Store.Now().Sub(after.Attempt.UnknownSince); age > 0 {
			return []metric.Value{metric.UnknownPaymentAge.Took(age)}
		}
	}
	return nil
}

func (p *Processor) measure(ctx context.Context, t identity.Tenant, values ...metric.Value) {
	p.Metrics.Write(ctx, p.Store.Now(), t.Mode.Name(), values...)
}

// Voucher is a payment code with its checkout and tenant.
type Voucher struct {
	identity.Tenant
	payments.Checkout
	Code payments.PaymentCode
}

// Code returns the payment code (boleto, Pix) for the token of a payer's link. Failure: NotFound.
func (p *Processor) Code(ctx context.Context, token string) (Voucher, error) {
	t, session, err := p.Store.Session(ctx, identity.Hash(token))
	if err != nil {
		return Voucher{}, err
	}
	c, err := p.Store.Checkout(ctx, t, session.CheckoutID)
	if err != nil {
		return Voucher{}, err
	}
	if c.Attempt == nil || c.Attempt.ID != session.AttemptID || c.Attempt.Code == nil {
		return Voucher{}, failure.NotFound("There is no such code.")
	}
	return Voucher{t, c, *c.Attempt.Code}, nil
}
