// Package callbacks sends callbacks to merchants' return_urls. Each message of the queue is one try (contract §11).
// Deliver handles one message. The stored callback decides what to do, so repeated, late and lost messages do no harm.
package callbacks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// saveTime is reserved at the end of the function's time for recording the outcome of a try.
const saveTime = 3 * time.Second

// Deliver makes the try that a message of the callback queue requests. An error leaves the message in the queue: either
// the store failed, or the function's time ended before the receiver had its ten seconds to answer. A failure of the
// receiver is no error. It is an outcome, which sets the time of the next try.
func Deliver(a *app.App) func(ctx context.Context, body string) error {
	sender, err := a.CallbackSender()
	if err != nil { // derived keys always have the right size
		panic(err)
	}
	return app.Consume(a, (&deliverer{App: a, sender: sender}).tryIfDue)
}

type deliverer struct {
	*app.App
	sender *webhook.Sender // shared by the whole App, because it limits the tries per host
}

func (d *deliverer) tryIfDue(ctx context.Context, _ identity.Tenant, m app.CallbackMessage) error {
	tenant, callback, err := d.Store.Callback(ctx, m.ID)
	if failure.Is(err, failure.KindNotFound) { // the callback finished so long ago that its item expired
		d.Log.WarnContext(ctx, "message of an unknown callback dropped", "callback", m.ID)
		return nil
	}
	if err != nil {
		return err
	}
	if !callback.IsDue(d.Now()) {
		return nil
	}
	return d.try(ctx, tenant, callback)
}

// try makes the try. If the breaker is open or the host has no free slot, it postpones the try instead, so that no
// worker has to wait.
func (d *deliverer) try(ctx context.Context, t identity.Tenant, callback payments.Callback) error {
	to, err := d.findDestination(ctx, t, callback)
	if err != nil {
		return err
	}
	if to.openUntil.After(d.Now()) {
		return d.postpone(ctx, t, callback, to.openUntil, "breaker")
	}
	payee, err := d.Store.Merchant(ctx, t.Merchant)
	if err != nil {
		return err
	}
	failed, err := d.send(ctx, t, callback, d.CallbackSecrets(t.Merchant, payee.Callbacks, d.Now()))
	if errors.Is(err, webhook.ErrBusy) {
		return d.postpone(ctx, t, callback, d.Now(), "busy")
	}
	if err != nil {
		return fmt.Errorf("callback %s: %w", callback.ID, err)
	}
	after := callback.Delivered()
	if failed != "" {
		after = callback.Undelivered(failed, d.Now())
	}
	d.logOutcome(ctx, after)
	err = d.record(ctx, t, after, callback.Tries)
	d.updateBreaker(ctx, to, failed == string(webhook.ReasonTimeout))
	return err
}

var errOutOfTime = errors.New("the function's time was up before the receiver's")

// send posts the callback. failed is the reason why the receiver did not accept it. An error means that the host has no
// free slot, or that the function's time ended before the receiver had its ten seconds to answer.
func (d *deliverer) send(ctx context.Context, t identity.Tenant, callback payments.Callback,
	secrets []webhook.Secret) (failed string, err error) {
	content, err := body(t, callback)
	if err != nil {
		return "", err
	}
	ctx, cancel := deadline.Early(ctx, saveTime)
	defer cancel()
	message := webhook.Message{ID: callback.ID, Timestamp: d.WallNow(), Body: content}
	err = d.sender.Send(ctx, t.String(), callback.URL, message, secrets)
	var delivery *webhook.DeliveryError
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "", errOutOfTime
	case errors.As(err, &delivery):
		return reason(delivery), nil
	default:
		return "", err
	}
}

func reason(e *webhook.DeliveryError) string {
	if e.Status == 0 {
		return string(e.Reason)
	}
	return string(e.Reason) + " " + strconv.Itoa(e.Status)
}

// postpone sets a later time for the callback. The message is deleted, and relay sends another for that time, as after
// a failed try.
func (d *deliverer) postpone(ctx context.Context, t identity.Tenant, callback payments.Callback,
	earliest time.Time, why string) error {
	after := callback.Postponed(earliest, d.Now())
	d.Log.InfoContext(ctx, "callback postponed", "callback", after.ID, "merchant", t.Merchant, "reason", why,
		"postponements", after.Postponements, "next_try", after.NextAt)
	return d.record(ctx, t, after, callback.Tries)
}

// record saves the callback after a try or a postponement. It saves even if ctx has ended, because after a try the
// receiver may already have the callback. If tries overlap, the first saved outcome counts.
func (d *deliverer) record(ctx context.Context, t identity.Tenant, after payments.Callback, triesBefore int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	err := d.Store.SaveCallback(ctx, t, after, triesBefore)
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	if err == nil && after.State == outbox.Dead {
		d.Metrics.Write(ctx, d.Now(), t.Mode.Name(), metric.DeadCallbacks.Once())
	}
	return err
}

// logOutcome never logs the URL, because its query may hold a token.
func (d *deliverer) logOutcome(ctx context.Context, after payments.Callback) {
	log := d.Log.With("callback", after.ID, "checkout", after.CheckoutID, "try", after.Tries)
	switch after.State {
	case outbox.Delivered:
		log.InfoContext(ctx, "callback delivered")
	case outbox.Dead:
		log.ErrorContext(ctx, "callback given up", "reason", after.LastError)
	default:
		log.WarnContext(ctx, "callback not delivered", "reason", after.LastError, "next_try", after.NextAt)
	}
}

// checkoutChanged is the body of an online checkout's callback (contract §11.1).
type checkoutChanged struct {
	EventType string                  `json:"event_type"`
	ID        string                  `json:"id"`
	Status    payments.CheckoutStatus `json:"status,omitempty"` // the status directly after the change
}

// readerTransaction is the body of the callback of a checkout at a reader (contract §11.4).
type readerTransaction struct {
	ID        string         `json:"id"`
	EventType string         `json:"event_type"`
	Payload   readerPayload  `json:"payload"`
	Timestamp rest.Timestamp `json:"timestamp"`
}

type readerPayload struct {
	ClientTransactionID string       `json:"client_transaction_id"`
	MerchantCode        string       `json:"merchant_code"`
	Status              readerStatus `json:"status"`
	TransactionID       string       `json:"transaction_id"`
	FailureReason       string       `json:"failure_reason,omitempty"`
}

type readerStatus string

const (
	successful readerStatus = "successful"
	failed     readerStatus = "failed"
)

// body returns the callback's body, which is the same at each try.
func body(t identity.Tenant, c payments.Callback) ([]byte, error) {
	if c.EventType != payments.EventReaderTransaction {
		changed := checkoutChanged{EventType: c.EventType, ID: c.CheckoutID}
		if c.ShowsStatus {
			changed.Status = c.Status
		}
		return json.Marshal(changed)
	}
	status := failed
	if c.Status == payments.CheckoutPaid {
		status = successful
	}
	return json.Marshal(readerTransaction{ID: strings.TrimPrefix(c.ID, "msg_"), EventType: c.EventType,
		Timestamp: rest.Timestamp(c.CreatedAt),
		Payload: readerPayload{ClientTransactionID: payments.ClientTransactionID(c.TransactionID),
			MerchantCode: t.Merchant, Status: status, TransactionID: c.TransactionID, FailureReason: c.Reason}})
}
