// Package callbacks delivers what merchants' return_urls are owed: one
// message of the queue is one try (contract §11). The message only names the
// callback; its item decides, so repeated, late and lost messages are
// harmless.
package callbacks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// saveTime is kept free at the end of the function's time, to record what
// became of a try.
const saveTime = 3 * time.Second

// Deliver makes the try that a message of the callback queue asks for. An
// error leaves the message in the queue: the store failed, or the function's
// time was up before the receiver had its ten seconds. A receiver that fails
// is no error but an outcome, which sets the time of the next try.
func Deliver(a *app.App) func(ctx context.Context, body string) error {
	sender, err := a.CallbackSender()
	if err != nil { // the key is derived with the right size; without one nothing may be sent
		panic(err)
	}
	return app.Consume(a, (&courier{App: a, sender: sender}).tryIfDue)
}

type courier struct {
	*app.App
	sender *webhook.Sender // one for the whole App: it holds the limit per host
}

func (c *courier) tryIfDue(ctx context.Context, _ identity.Tenant, m app.CallbackMessage) error {
	tenant, callback, err := c.Store.Callback(ctx, m.ID)
	if failure.Is(err, failure.KindNotFound) { // delivered or dead so long ago that its item expired
		c.Log.WarnContext(ctx, "message of an unknown callback dropped", "callback", m.ID)
		return nil
	}
	if err != nil {
		return err
	}
	if !callback.IsDue(c.Now()) {
		return nil
	}
	return c.try(ctx, tenant, callback)
}

// try makes the try, unless it has to be postponed: its breaker is open, or its
// host has no slot free. While it is postponed it takes no consumer's time.
func (c *courier) try(ctx context.Context, t identity.Tenant, callback payments.Callback) error {
	to, err := c.destination(ctx, t, callback)
	if err != nil {
		return err
	}
	if to.openUntil.After(c.Now()) {
		return c.postpone(ctx, t, callback, to.openUntil, "breaker")
	}
	payee, err := c.Store.Merchant(ctx, t.Merchant)
	if err != nil {
		return err
	}
	failed, err := c.send(ctx, t, callback, c.CallbackSecrets(t.Merchant, payee.Callbacks, c.Now()))
	if errors.Is(err, webhook.ErrBusy) {
		return c.postpone(ctx, t, callback, c.Now(), "busy")
	}
	if err != nil {
		return fmt.Errorf("callback %s: %w", callback.ID, err)
	}
	after := callback.Delivered()
	if failed != "" {
		after = callback.Undelivered(failed, c.Now())
	}
	c.report(ctx, after)
	err = c.save(ctx, t, after, callback.Tries)
	c.learn(ctx, to, failed == string(webhook.ReasonTimeout))
	return err
}

// notice is the body, exactly (contract §11.1).
type notice struct {
	EventType string `json:"event_type"`
	ID        string `json:"id"`
}

var errOutOfTime = errors.New("the function's time was up before the receiver's")

// send posts the notice. failed says why the receiver did not take it; an
// error, that it had no fair chance to, or that it was busy.
func (c *courier) send(ctx context.Context, t identity.Tenant, callback payments.Callback,
	secrets []webhook.Secret) (failed string, err error) {
	body, err := json.Marshal(notice{EventType: callback.EventType, ID: callback.CheckoutID})
	if err != nil {
		return "", err
	}
	ctx, cancel := deadline.Early(ctx, saveTime)
	defer cancel()
	message := webhook.Message{ID: callback.ID, Timestamp: c.Now(), Body: body}
	err = c.sender.Send(ctx, t.String(), callback.URL, message, secrets)
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

// postpone gives the callback a later time: the message is done with, and the
// table's stream brings another at that time, as after a failed try.
func (c *courier) postpone(ctx context.Context, t identity.Tenant, callback payments.Callback,
	earliest time.Time, why string) error {
	after := callback.Postponed(earliest, c.Now())
	c.Log.InfoContext(ctx, "callback postponed", "callback", after.ID, "merchant", t.Merchant, "reason", why,
		"postponements", after.Postponements, "next_try", after.NextAt)
	return c.save(ctx, t, after, callback.Tries)
}

// save records the outcome, even when the caller has hung up: the receiver
// has heard of it. Of tries that overlapped, the first to be saved counts.
func (c *courier) save(ctx context.Context, t identity.Tenant, after payments.Callback, triesBefore int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	err := c.Store.SaveCallback(ctx, t, after, triesBefore)
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	return err
}

// report logs the outcome, never the URL: its query may hold a token.
func (c *courier) report(ctx context.Context, after payments.Callback) {
	log := c.Log.With("callback", after.ID, "checkout", after.CheckoutID, "try", after.Tries)
	switch after.State {
	case payments.CallbackDelivered:
		log.InfoContext(ctx, "callback delivered")
	case payments.CallbackDead:
		log.ErrorContext(ctx, "callback given up", "reason", after.LastError)
	default:
		log.WarnContext(ctx, "callback not delivered", "reason", after.LastError, "next_try", after.NextAt)
	}
}
