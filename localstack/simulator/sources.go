package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

// AWS makes a call to an engine as AWS itself would. No fault reaches the call.
func (w *World) AWS(engine http.RoundTripper, target string, in, out any) {
	body, err := json.Marshal(in)
	w.Must(err)
	r, err := http.NewRequest(http.MethodPost, "http://engine.test/", bytes.NewReader(body))
	w.Must(err)
	r.Header.Set("X-Amz-Target", target)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	response, err := engine.RoundTrip(r)
	w.Must(err)
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		w.Panicf("%s %s: %s", target, body, text)
	}
	if out != nil {
		w.Must(json.Unmarshal(text, out))
	}
}

const (
	tables  = "DynamoDB_20120810."
	streams = "DynamoDBStreams_20120810."
	queues  = "AmazonSQS."
)

const mostInvocations = 12 // limits the concurrent calls by event sources, so that clients get a turn

// Interfere starts events that no client asks for: calls of event sources, and jumps of clocks.
func (w *World) Interfere() {
	if w.RNG.Float64() < w.FaultProfile.Jumps {
		w.Jump(w.Jumps[w.RNG.IntN(len(w.Jumps))])
	}
	if w.RNG.Float64() >= w.FaultProfile.Sources || w.countActive(Sources) >= mostInvocations {
		return
	}
	switch w.RNG.IntN(4) {
	case 0, 1:
		w.Relay()
	case 2:
		w.Consume()
	default:
		if w.Now().Sub(w.LastTick) >= time.Minute || w.RNG.IntN(8) == 0 {
			w.Tick()
		}
	}
}

// Jumps pass a poll, a tick, an attempt's recovery, a challenge's deadline, a valid_until, or a message's visibility.
var Jumps = []time.Duration{5 * time.Second, 16 * time.Second, 61 * time.Second, 61 * time.Second, 5 * time.Minute,
	31 * time.Minute, 3 * time.Hour}

// Jump moves every clock of the platform. Running time limits do not change.
func (w *World) Jump(d time.Duration) {
	w.ReadStream()
	w.Advance(d)
	w.seek("LATEST") // the old iterator may have expired, and nothing was written since
	w.Notef("clocks", "jump %v", d)
}

// Advance moves every clock of the platform. It does not renew the stream's iterator.
func (w *World) Advance(d time.Duration) { w.Record(func() { w.offset += d }) }

// Tick invokes the sweep.
func (w *World) Tick() {
	w.LastTick = w.Now()
	w.InvokeScheduled("sweep")
}

// InvokeScheduled starts a schedule's call of a function.
func (w *World) InvokeScheduled(function string) {
	w.ticks++
	actor, roll := fmt.Sprintf("tick-%d", w.ticks), w.RNG.Uint64()
	w.Go(Sources, func() {
		w.Park(move, nil, actor, "ticks")
		_, _, err := Invoke[any](w, actor, function, "", roll, events.EventBridgeEvent{})
		w.Notef(actor, "ended: %v", err)
	})
}

// Change is one record of the table's stream.
type Change struct {
	events.DynamoDBEventRecord
	read calls.Item // cache of the decoded image
}

// ReadStream copies the stream's records into Changes, before a jump can make the stream forget them.
func (w *World) ReadStream() {
	w.streamMutex.Lock()
	defer w.streamMutex.Unlock()
	for {
		var out struct {
			Records           []events.DynamoDBEventRecord
			NextShardIterator string
		}
		w.AWS(w.table, streams+"GetRecords", map[string]any{"ShardIterator": w.iterator, "Limit": 1000}, &out)
		for _, record := range out.Records {
			w.Changes = append(w.Changes, &Change{DynamoDBEventRecord: record})
		}
		w.iterator = out.NextShardIterator
		if len(out.Records) == 0 {
			return
		}
	}
}

// openStream finds the stream's only shard, and reads which of its records relay gets.
func (w *World) openStream() {
	var err error
	w.filter, err = filter.New(w.Function("relay").Stream.Filter)
	w.Must(err)
	var list struct{ Streams []struct{ StreamArn string } }
	w.AWS(w.table, streams+"ListStreams", map[string]any{}, &list)
	w.streamARN = list.Streams[0].StreamArn
	var described struct {
		StreamDescription struct{ Shards []struct{ ShardId string } }
	}
	w.AWS(w.table, streams+"DescribeStream", map[string]any{"StreamArn": w.streamARN}, &described)
	w.shard = described.StreamDescription.Shards[0].ShardId
	w.seek("TRIM_HORIZON")
}

func (w *World) seek(where string) {
	var out struct{ ShardIterator string }
	w.AWS(w.table, streams+"GetShardIterator",
		map[string]any{"StreamArn": w.streamARN, "ShardId": w.shard, "ShardIteratorType": where}, &out)
	w.iterator = out.ShardIterator
}

const relayAttempts = 5 // the source skips a record after so many failures

// Relay gives the function relay the records of the stream, one batch at a time.
func (w *World) Relay() {
	if w.relaying || w.Without == calls.Stream || w.FaultsOn && w.FaultProfile.StreamDies {
		return
	}
	w.ReadStream()
	if w.relayed == len(w.Changes) {
		return
	}
	to := min(len(w.Changes), w.relayed+1+w.RNG.IntN(100))
	batch := w.Changes[w.relayed:to]
	w.relaying = true
	w.batches++
	actor, roll := fmt.Sprintf("stream-%d", w.batches), w.RNG.Uint64()
	w.Go(Sources, func() {
		defer func() { w.relaying = false }()
		w.Park(move, nil, actor, "delivers")
		handled := w.deliver(actor, roll, batch)
		if w.relayFailures++; handled == 0 && w.relayFailures == relayAttempts {
			handled = 1
		}
		if handled > 0 {
			w.relayFailures = 0
		}
		w.relayed += handled
		w.Notef(actor, "%d of %d records handled", handled, len(batch))
	})
}

func (w *World) deliver(actor string, roll uint64, batch []*Change) (handled int) {
	event := events.DynamoDBEvent{}
	for _, c := range batch {
		if w.filter.Match(c.DynamoDBEventRecord) {
			event.Records = append(event.Records, c.DynamoDBEventRecord)
		}
	}
	if len(event.Records) == 0 {
		return len(batch)
	}
	reply, _, err := Invoke[events.DynamoDBEventResponse](w, actor, "relay", "", roll, event)
	if err != nil {
		return 0
	}
	if len(reply.BatchItemFailures) == 0 {
		return len(batch)
	}
	first := reply.BatchItemFailures[0].ItemIdentifier
	return max(0, slices.IndexFunc(batch, func(c *Change) bool { return c.Change.SequenceNumber == first }))
}

// Consume gives each function a batch from its queue.
func (w *World) Consume() {
	if w.Now().Before(w.queueWakes) && w.FaultsOn {
		return
	}
	if w.FaultsOn && w.FaultProfile.queueSleeps && w.RNG.IntN(4) == 0 {
		w.queueWakes = w.Now().Add(time.Duration(w.RNG.IntN(300)) * time.Minute)
	}
	for _, function := range w.Consumers {
		many := w.Function(function).Queue.Batch
		if function != "mails" {
			many = 1 + w.RNG.IntN(many)
		}
		w.Poll(function, many)
	}
}

// Poll gives a function a batch from its queue. It returns false if the queue has no message.
func (w *World) Poll(function string, most int) bool {
	url := w.urls[w.Function(function).Queue.From.Name]
	var out struct {
		Messages []struct{ MessageId, ReceiptHandle, Body string }
	}
	w.AWS(w.queues, queues+"ReceiveMessage", map[string]any{"QueueUrl": url, "MaxNumberOfMessages": most}, &out)
	if len(out.Messages) == 0 {
		return false
	}
	var event events.SQSEvent
	for _, m := range out.Messages {
		event.Records = append(event.Records, events.SQSMessage{MessageId: m.MessageId,
			ReceiptHandle: m.ReceiptHandle, Body: m.Body})
	}
	w.polls++
	actor, roll := fmt.Sprintf("queue-%d", w.polls), w.RNG.Uint64()
	w.Consuming.Add(1)
	w.Go(Sources, func() {
		defer w.Consuming.Add(-1)
		w.Park(move, nil, actor, "delivers")
		reply, _, err := Invoke[events.SQSEventResponse](w, actor, function, "", roll, event)
		w.Notef(actor, "%d messages, %d failed, %v", len(event.Records), len(reply.BatchItemFailures), err)
		if err == nil {
			w.acknowledge(url, event, reply)
		}
	})
	return true
}

func (w *World) acknowledge(url string, event events.SQSEvent, reply events.SQSEventResponse) {
	for _, m := range event.Records {
		if !slices.Contains(reply.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId}) {
			w.AWS(w.queues, queues+"DeleteMessage", map[string]any{"QueueUrl": url, "ReceiptHandle": m.ReceiptHandle}, nil)
		}
	}
}
