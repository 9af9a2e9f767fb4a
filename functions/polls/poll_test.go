package polls_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// shop has a payment and a refund whose outcomes are unknown, and a message for each of them.
type shop struct {
	world.Shop
	checkout string
	messages [2]string
}

func open(t *testing.T) *shop {
	t.Helper()
	s := &shop{Shop: world.New(t).Shop()}
	s.checkout = s.Create(world.Unanswered, nil)
	s.Pay(s.checkout, s.Card(world.Frictionless))
	s.messages[0] = fmt.Sprintf(`{"tenant":"%s","checkout":%q}`, s.Tenant(), s.checkout)
	sold := s.Sell("100")
	s.Refund(sold, world.Unanswered)
	record, err := s.App.Store.Transaction(t.Context(), s.Tenant(), sold.ID)
	if err != nil || len(record.Events) != 1 {
		t.Fatalf("got %d refunds, error %v; want 1", len(record.Events), err)
	}
	s.messages[1] = fmt.Sprintf(`{"tenant":"%s","refund":%q}`, s.Tenant(), record.Events[0].ID)
	return s
}

// handle gives a batch of messages to the function. It returns the number of messages that failed.
func (s *shop) handle(p *world.Process, bodies ...string) int {
	s.Helper()
	var batch events.SQSEvent
	for i, body := range bodies {
		batch.Records = append(batch.Records, events.SQSMessage{MessageId: fmt.Sprint(i), Body: body})
	}
	var reply events.SQSEventResponse
	event, err := json.Marshal(batch)
	if err != nil {
		s.Fatal(err)
	}
	answer, err := p.Invoke(s.Context(), "polls", event)
	if err == nil {
		err = json.Unmarshal(answer, &reply)
	}
	if err != nil {
		s.Fatal(err)
	}
	return len(reply.BatchItemFailures)
}

// countPolls handles a batch, and returns the number of polls that the acquirer received.
func (s *shop) countPolls(bodies ...string) (n int) {
	s.Helper()
	p := s.Main()
	p.Steps.Plan(0, faults.None)
	if failed := s.handle(p, bodies...); failed > 0 {
		s.Errorf("got %d failed messages, want none", failed)
	}
	for _, step := range p.Steps.Taken() {
		if step == "LookUp" || step == "Refund" {
			n++
		}
	}
	return n
}

func (s *shop) want(polls int, when string, bodies ...string) {
	s.Helper()
	if got := s.countPolls(bodies...); got != polls {
		s.Errorf("%s: got %d polls, want %d", when, got, polls)
	}
}

// TestPoll_ItemDecides checks that an early, late or repeated message causes no extra poll.
func TestPoll_ItemDecides(t *testing.T) {
	t.Parallel()
	s := open(t)
	both := s.messages[:]
	s.want(0, "at once", both...)
	s.Clock.Advance(5*time.Second - 100*time.Millisecond)
	s.want(0, "a moment early", both...)
	s.Clock.Advance(100 * time.Millisecond)
	s.want(2, "in time, in a batch that repeats them", append(both, both...)...)
	s.want(0, "once more", both...)
	s.Clock.Advance(30 * time.Second) // the next poll is due
	s.want(2, "late", both...)
	s.Clock.Advance(time.Hour)
	s.want(0, "of what is settled", both...)
	if records := s.CheckoutRecords(s.checkout); records.Captured != 1 || records.Transactions["SUCCESSFUL"] != 1 {
		t.Errorf("got %+v, want one capture and one successful transaction", records)
	}
}

// TestPoll_InvalidMessage checks that an invalid message is dropped, since after an error it would come again forever.
func TestPoll_InvalidMessage(t *testing.T) {
	t.Parallel()
	s := &shop{Shop: world.New(t).Shop()}
	for _, body := range []string{"", "[]", "{}", `{"tenant":"X#MC1","checkout":"c"}`,
		`{"tenant":"T#MC1"}`, `{"tenant":1}`,
		`{"tenant":"T#MC1","checkout":"c","refund":"r"}`, `{"tenant":"T#MC1","checkout":"unknown"}`,
		`{"tenant":"T#MC1","refund":"unknown"}`} {
		before := len(s.Logs.String())
		if failed := s.handle(s.Main(), body); failed > 0 {
			t.Errorf("%s: got %d failed messages, want none", body, failed)
		}
		if said := s.Logs.String()[before:]; !strings.Contains(said, "dropped") {
			t.Errorf(`%s: got log %q, want "dropped" in it`, body, said)
		}
	}
}

// TestPoll_Failure checks that the messages of a failed call stay in the queue for another process.
func TestPoll_Failure(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Relay()
	s.Clock.Advance(31 * time.Second)
	dying := s.Process()
	dying.Steps.Plan(1, faults.DieAfter) // dies after reading the first item
	if _, err := dying.DrainQueues(t.Context()); err == nil && !dying.Steps.Gone() {
		t.Errorf("got no error, after steps %v; want an error or a dead process", dying.Steps.Taken())
	}
	s.Clock.Advance(functions.Polls.Visibility)
	if n := s.DrainQueues(); n != 2 {
		t.Errorf("got %d messages, want 2", n)
	}
	if read := s.Send("GET", "/v0.1/checkouts/"+s.checkout, nil); read.Text("status") != "PAID" {
		t.Errorf("got checkout %s, want it PAID", read.Body)
	}
}
