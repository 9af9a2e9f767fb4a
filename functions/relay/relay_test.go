package relay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/functions/relay"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
)

type image = map[string]events.DynamoDBAttributeValue

// callbackImage returns the image of a callback whose next try is due at a time.
func callbackImage(id string, next time.Time) image {
	return image{
		"pk": events.NewStringAttribute("CALLBACK#" + id), "sk": events.NewStringAttribute("CALLBACK"),
		"mode": events.NewStringAttribute("T"), "merchant_code": events.NewStringAttribute("MC1"),
		"id": events.NewStringAttribute(id), "state": events.NewStringAttribute("owed"),
		"tries": events.NewNumberAttribute("1"), "next_at": events.NewStringAttribute(next.Format(time.RFC3339Nano)),
	}
}

func record(event string, of image) events.DynamoDBEventRecord {
	return events.DynamoDBEventRecord{EventName: event,
		Change: events.DynamoDBStreamRecord{NewImage: of, SequenceNumber: "1", StreamViewType: "NEW_IMAGE"}}
}

// TestRecord_DueCallback checks that a callback's message arrives when the callback is due. The callbacks of this test
// are not in the table, so their messages are dropped.
func TestRecord_DueCallback(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	handle := relay.Record(w.App)
	for _, event := range []string{"INSERT", "MODIFY"} {
		at := w.Clock.Now().Add(5*time.Minute - 300*time.Millisecond)
		if err := handle(t.Context(), record(event, callbackImage("msg_1", at))); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(5*time.Minute - time.Second)
		if n := w.DrainQueues(); n != 0 {
			t.Errorf("%s: got %d messages too early, want none", event, n)
		}
		w.Clock.Advance(time.Second)
		if n := w.DrainQueues(); n != 1 {
			t.Errorf("%s: got %d messages, want 1", event, n)
		}
	}
}

// TestRecord_MessageGroup checks that the group of a message is the tenant. SQS divides consumers fairly between the
// message groups of a standard queue.
func TestRecord_MessageGroup(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	if err := relay.Record(w.App)(t.Context(), record("INSERT", callbackImage("msg_1", w.Clock.Now()))); err != nil {
		t.Fatal(err)
	}
	var saved strings.Builder
	if err := w.Queues.Dump(&saved); err != nil {
		t.Fatal(err)
	}
	if want := `"group":"T#MC1"`; !strings.Contains(saved.String(), want) {
		t.Errorf("got queue %s, want %s in it", saved.String(), want)
	}
}

// TestRecord_Mail checks that a mail goes to its own queue.
func TestRecord_Mail(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	i := callbackImage("mail_1", w.Clock.Now())
	i["pk"], i["sk"] = events.NewStringAttribute("MAIL#mail_1"), events.NewStringAttribute("MAIL")
	if err := relay.Record(w.App)(t.Context(), record("INSERT", i)); err != nil {
		t.Fatal(err)
	}
	if n := w.DrainQueues(); n != 1 {
		t.Errorf("got %d messages, want 1", n)
	}
	if log := w.Logs.String(); !strings.Contains(log, "message of an unknown mail dropped") {
		t.Errorf("got log %s, want the message in the queue of mails", log)
	}
}

func TestRecord_OverdueCallback(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	if err := relay.Record(w.App)(t.Context(), record(
		"INSERT", callbackImage("msg_1", w.Clock.Now().Add(-time.Hour)))); err != nil {
		t.Fatal(err)
	}
	if n := w.DrainQueues(); n != 1 {
		t.Errorf("got %d messages, want 1", n)
	}
}

func TestRecord_OtherRecords(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	handle, now := relay.Record(w.App), w.Clock.Now()
	but := func(name string, value events.DynamoDBAttributeValue) image {
		i := callbackImage("msg_1", now)
		i[name] = value
		return i
	}
	for name, r := range map[string]events.DynamoDBEventRecord{
		"removed":               record("REMOVE", nil),
		"removed, with image":   record("REMOVE", callbackImage("msg_1", now)),
		"without an image":      record("MODIFY", nil),
		"delivered":             record("MODIFY", but("state", events.NewStringAttribute("delivered"))),
		"dead":                  record("MODIFY", but("state", events.NewStringAttribute("dead"))),
		"sent by the sweep":     record("MODIFY", but("sweeps", events.NewNumberAttribute("1"))),
		"beyond a queue's wait": record("MODIFY", callbackImage("msg_1", now.Add(15*time.Minute+time.Second))),
		"a checkout":            record("INSERT", but("pk", events.NewStringAttribute("CHECKOUT#T#MC1#1"))),
		"unreadable":            record("INSERT", but("tries", events.NewStringAttribute("many"))),
	} {
		if err := handle(t.Context(), r); err != nil {
			t.Errorf("%s: got error %v, want none", name, err)
		}
		w.Clock.Advance(15 * time.Minute)
		if n := w.DrainQueues(); n != 0 {
			t.Errorf("%s: got %d messages, want none", name, n)
		}
		w.Clock.Advance(-15 * time.Minute)
	}
	if n := strings.Count(w.Logs.String(), "unreadable item"); n != 1 {
		t.Errorf("got %d unreadable items in the log, want 1", n)
	}
}

// countRelayed lets relay read the whole stream, advances the clock, and returns the number of messages due by then.
// Sweep does not run.
func countRelayed(w *world.World, by time.Duration) int {
	w.Helper()
	w.ReadStream()
	w.Clock.Advance(by)
	return w.DrainQueues()
}

// TestRecord_NoMessage checks that an ordinary payment, refund or deactivation sends no message. A payment that
// waits for an action of the payer sends none either.
func TestRecord_NoMessage(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Shop()
	shop.Refund(shop.Sell("100"), "10")
	shop.Pay(shop.Create("10", nil), shop.Card(world.Challenged))
	shop.Deactivate(shop.Create("10", nil))
	if n := countRelayed(w, time.Hour); n != 0 {
		t.Errorf("got %d messages, want none", n)
	}
}

// TestRecord_UnknownOutcome checks that a payment and a refund of unknown outcome are polled when their polls are due.
func TestRecord_UnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(world.Shop){
		"payment": func(s world.Shop) { s.Pay(s.Create(world.Unanswered, nil), s.Card(world.Frictionless)) },
		"refund":  func(s world.Shop) { s.Refund(s.Sell("100"), world.Unanswered) },
	} {
		w := world.New(t)
		act(w.Shop())
		for i, gap := range []time.Duration{6, 10, 20} { // each poll is a second later than planned, because clocks differ
			if n := countRelayed(w, (gap-1)*time.Second); n != 0 {
				t.Errorf("%s: got %d messages before poll %d is due, want none", name, n, i+1)
			}
			if n := countRelayed(w, time.Second); n != 1 {
				t.Errorf("%s: got %d messages for poll %d, want 1", name, n, i+1)
			}
		}
		if n := countRelayed(w, time.Hour); n != 0 {
			t.Errorf("%s: got %d messages once it is settled, want none", name, n)
		}
	}
}

func TestRecord_QueueDown(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	cut := app.New(w.App.Config, app.Overrides{Now: w.Clock.Now, HTTP: faults.Down{}, MaxAttempts: 1})
	if err := relay.Record(cut)(t.Context(), record("INSERT", callbackImage("msg_1", w.Clock.Now()))); err == nil {
		t.Error("got no error, want one that repeats the record")
	}
}
