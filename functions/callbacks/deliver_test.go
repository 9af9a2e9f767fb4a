package callbacks_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions/callbacks"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// retryTimes lists the times of the retries that contract §11.3 publishes, counted from the first failed try.
var retryTimes = []time.Duration{
	time.Minute, 5 * time.Minute, 20 * time.Minute, 2 * time.Hour,
	12 * time.Hour, 24 * time.Hour, 36 * time.Hour, 48 * time.Hour, 60 * time.Hour, 72 * time.Hour,
}

func TestDeliver_TimesOfTries(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Receiver.Answer(http.StatusInternalServerError)
	s.createCallback()
	s.RunUntilIdle()
	s.RunUntilIdle()
	s.wantTries(1, "at once")
	first := s.Clock.Now()
	for i, offset := range retryTimes {
		s.RunUntilIdle() // relay reads the failed try's record at once
		s.Clock.Advance(first.Add(offset - 10*time.Second).Sub(s.Clock.Now()))
		s.RunUntilIdle()
		s.RunUntilIdle()
		s.wantTries(i+1, "10 s before "+offset.String())
		s.Clock.Advance(10 * time.Second)
		s.RunUntilIdle()
		s.wantTries(i+2, "at "+offset.String())
	}
	for _, try := range s.Receiver.Tries() {
		if got := try.Header.Get("webhook-id"); got != s.id() {
			t.Errorf("got webhook-id %s, want that of the first try, %s", got, s.id())
		}
	}
	if c := callback(s.World, s.id()); c.State != outbox.Dead || c.Tries != 11 || c.LastError != "status 500" {
		t.Errorf("after three days: got %+v, want %s after 11 tries, the last with status 500", c, outbox.Dead)
	}
	s.Clock.Advance(24 * time.Hour)
	s.RunUntilIdle()
	s.RunUntilIdle()
	s.wantTries(11, "after it was given up")
}

func TestDeliver_RepeatedAfterDelivery(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	checkout := s.createCallback()
	s.relayStream()
	s.DrainQueues()
	s.wantTries(1, "at once")
	try := s.Receiver.Tries()[0]
	s.wantBody(try, checkout, "EXPIRED")
	if got := try.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("got content type %q, want application/json", got)
	}
	for range 3 { // the queue delivers a message at least once
		s.repeatMessage(s.id())
	}
	if messages := s.DrainQueues(); messages != 3 {
		t.Fatalf("got %d messages, want 3", messages)
	}
	s.PassMinute()
	s.wantTries(1, "after repeated messages")
	if c := callback(s.World, s.id()); c.State != outbox.Delivered || c.Tries != 1 {
		t.Errorf("got %+v, want it %s after 1 try", c, outbox.Delivered)
	}
}

// TestDeliver_StatusOfRetry checks that a retry sends the status that the checkout had directly after the change, even
// if the checkout has changed again since (contract §11.1).
func TestDeliver_StatusOfRetry(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Receiver.Answer(http.StatusInternalServerError)
	checkout := s.Create("42.01", nil) // the sandbox declines this amount
	s.Pay(checkout, s.Card(world.Frictionless))
	s.RunUntilIdle()
	s.Receiver.Answer(http.StatusNoContent)
	s.Deactivate(checkout)
	s.Clock.Advance(time.Minute)
	s.RunUntilIdle()
	s.RunUntilIdle()
	s.wantTries(3, "a failed try, and one of each")
	for _, try := range s.Receiver.Tries() {
		want := "EXPIRED"
		if try.Header.Get("webhook-id") == s.id() {
			want = "FAILED"
		}
		if got := callbackStatus(t, try); got != want {
			t.Errorf("%s: got status %q, want %s", try.Header.Get("webhook-id"), got, want)
		}
	}
}

// TestDeliver_BodyWithoutStatus checks a callback that was stored when bodies had no status. Its body still has no
// status.
func TestDeliver_BodyWithoutStatus(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.createCallback()
	_, table := s.App.Store.Raw()
	var all []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	if err := table.Scan().Filter("event_type = ?", "CHECKOUT_STATUS_CHANGED").All(s.Context(), &all); err != nil ||
		len(all) != 1 {
		t.Fatalf("got callbacks %v (%v), want one", all, err)
	}
	if err := table.Update("pk", all[0].PK).Range("sk", all[0].SK).Remove("shows_status").Run(s.Context()); err != nil {
		t.Fatal(err)
	}
	s.RunUntilIdle()
	s.wantTries(1, "at once")
	if got := callbackStatus(t, s.Receiver.Tries()[0]); got != "" {
		t.Errorf("got status %q, want none", got)
	}
}

func callbackStatus(t *testing.T, try world.Try) string {
	t.Helper()
	var body struct{ Status string }
	if err := json.Unmarshal([]byte(try.Body), &body); err != nil {
		t.Fatal(err)
	}
	return body.Status
}

func TestDeliver_RepeatedInBatch(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.createCallback()
	s.relayStream()
	for range 9 { // all messages are visible at once, as after an outage
		s.Clock.Advance(10 * time.Minute)
		s.Tick("sweep")
	}
	if messages := s.DrainQueues(); messages < 2 || messages > 10 {
		t.Fatalf("got %d messages, want one batch of 2 to 10", messages)
	}
	s.wantTries(1, "after a batch of repeated messages")
}

func TestDeliver_RepeatedAfterFailure(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Receiver.Answer(http.StatusFound) // the sender of callbacks follows no redirect
	s.createCallback()
	s.relayStream()
	s.DrainQueues()
	s.repeatMessage(s.id())
	s.DrainQueues()
	s.wantTries(1, "after a repeated message")
	c := callback(s.World, s.id())
	if c.LastError != "redirected 302" || !c.NextAt.Equal(c.FirstFailedAt.Add(time.Minute)) {
		t.Errorf("got %+v, want error redirected 302 and another try a minute after the first failure", c)
	}
}

func TestDeliver_SlightlyEarly(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Receiver.Answer(http.StatusServiceUnavailable)
	s.createCallback()
	s.relayStream()
	s.DrainQueues()
	failed := *callback(s.World, s.id()).FirstFailedAt
	s.Clock.Advance(58 * time.Second)
	s.repeatMessage(s.id())
	s.DrainQueues()
	s.wantTries(2, "2 s early")
	if c := callback(s.World, s.id()); !c.NextAt.Equal(failed.Add(5 * time.Minute)) {
		t.Errorf("got the next try %v after the first failure, want 5m", c.NextAt.Sub(failed))
	}
}

func TestDeliver_RotatedSecrets(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	keys, err := s.App.SigningKeys()
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	signedBy := func(when string, secrets ...webhook.Secret) (by []bool) {
		t.Helper()
		s.createCallback()
		s.relayStream()
		s.DrainQueues()
		sent++
		s.wantTries(sent, when)
		try := s.Receiver.Tries()[sent-1]
		if err := webhook.Verify(try.Header, []byte(try.Body), try.At, nil, []webhook.PublicKey{
			keys[0].PublicKey()}); err != nil {
			t.Errorf("%s: got platform signature with error %v, want a valid one", when, err)
		}
		for _, secret := range secrets {
			by = append(by, try.Verifies(secret))
		}
		return by
	}
	signedBy("without a secret")
	if n := len(strings.Fields(s.Receiver.Tries()[0].Header.Get("webhook-signature"))); n != 1 {
		t.Errorf("got %d signatures without a secret, want 1", n)
	}
	first := s.RotateSecret()
	if by := signedBy("one secret", first); !by[0] {
		t.Errorf("got signatures by the first secret: %v, want [true]", by)
	}
	second := s.RotateSecret()
	s.Clock.Advance(24*time.Hour - time.Second)
	if by := signedBy("within the day", first, second); !by[0] || !by[1] {
		t.Errorf("within a day of the rotation: got signatures by the old and new secret %v, want both", by)
	}
	s.Clock.Advance(time.Second)
	if by := signedBy("after the day", first, second); by[0] || !by[1] {
		t.Errorf("a day after the rotation: got signatures by the old and new secret %v, want only the new", by)
	}
}

func TestDeliver_InvalidMessage(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	deliver := callbacks.Deliver(s.App)
	for _, body := range []string{"", "{", `{}`, `[1]`, `{"callback":7}`, `{"callback":"msg_gone"}`} {
		if err := deliver(t.Context(), body); err != nil {
			t.Errorf("%s: got error %v, want none", body, err)
		}
	}
	log := s.Logs.String()
	if n := strings.Count(log, "malformed message dropped"); n != 5 {
		t.Errorf("got %d malformed messages in the log, want 5", n)
	}
	if !strings.Contains(log, "msg_gone") {
		t.Errorf("got log %s, want msg_gone in it", log)
	}
}

func TestDeliver_StoreDown(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	cut := app.New(s.App.Config, app.Overrides{Now: s.Clock.Now, HTTP: faults.Down{}, MaxAttempts: 1})
	if err := callbacks.Deliver(cut)(t.Context(), `{"callback":"msg_1"}`); err == nil {
		t.Error("got no error, want one that leaves the message in the queue")
	}
}

func TestDeliver_NoTime(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.createCallback()
	s.relayStream()
	s.DrainQueues()
	id := s.id()
	s.Operate(map[string]any{"command": "replay_callbacks", "id": id}, nil)
	// All of this time is reserved for recording an outcome.
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(2*time.Second))
	defer cancel()
	if err := callbacks.Deliver(s.App)(ctx, `{"callback":"`+id+`"}`); err == nil {
		t.Error("got no error, want one that leaves the message in the queue")
	}
	if c := callback(s.World, id); c.Tries != 1 || c.State != outbox.Pending {
		t.Errorf("got %+v, want it %s after 1 try", c, outbox.Pending)
	}
}

func TestDeliver_Log(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Receiver.Answer(http.StatusTeapot)
	checkout := s.createCallback()
	s.relayStream()
	s.DrainQueues()
	log := s.Logs.String()
	for _, want := range []string{s.id(), checkout, `"try":1`, "status 418"} {
		if !strings.Contains(log, want) {
			t.Errorf("got log %s, want %s in it", log, want)
		}
	}
	if strings.Contains(log, "shibboleth") {
		t.Errorf("got log %s, want no query of the return_url (shibboleth) in it", log)
	}
}
