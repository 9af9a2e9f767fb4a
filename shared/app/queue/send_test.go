package queue_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// fixture is a queue whose service refuses the messages that the test chooses.
type fixture struct {
	*testing.T
	engine *sqs.Engine
	url    string
	calls  []int                         // the number of messages in each call
	refuse func(call int, id string) any // the error for a message; nil: it is accepted
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, engine: sqs.New(sqs.Config{}), refuse: func(int, string) any { return nil }}
	var made struct{ QueueUrl string }
	f.call("CreateQueue", map[string]any{"QueueName": "payouts"}, &made)
	f.url = made.QueueUrl
	return f
}

func (f *fixture) app() *app.App {
	f.Helper()
	secret := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32))
	config, err := app.FromEnvironment(func(name string) string {
		return map[string]string{"TABLE": "cashwrap", "AWS_REGION": "eu-central-1", "BASE_URL": "http://cashwrap.test",
			"SQS_ENDPOINT": "http://sqs.test", "PLATFORM_SECRET": secret, "PLATFORM_SECRET_SINCE": "2026-01-01T00:00:00Z",
			"PAYOUT_QUEUE_URL": f.url}[name]
	})
	if err != nil {
		f.Fatal(err)
	}
	return app.New(config, app.Overrides{HTTP: &http.Client{Transport: faults.RoundTrip(f.roundTrip)},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "none"}, nil
		})})
}

// roundTrip removes the refused messages from a batch, and adds their errors to the answer.
func (f *fixture) roundTrip(r *http.Request) (*http.Response, error) {
	var batch struct {
		QueueUrl string
		Entries  []map[string]any
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &batch)
	}
	if err != nil {
		return nil, err
	}
	f.calls = append(f.calls, len(batch.Entries))
	failed := []any{}
	batch.Entries = slices.DeleteFunc(batch.Entries, func(e map[string]any) bool {
		said := f.refuse(len(f.calls), e["Id"].(string))
		if said != nil {
			failed = append(failed, said)
		}
		return said != nil
	})
	var out struct{ Successful, Failed []any }
	if len(batch.Entries) > 0 {
		f.call("SendMessageBatch", batch, &out)
	}
	out.Failed = failed
	answer, err := json.Marshal(out)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(bytes.NewReader(answer)), Request: r}, err
}

func (f *fixture) call(operation string, in, out any) {
	f.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		f.Fatal(err)
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://sqs.test/", bytes.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	response, err := f.engine.RoundTrip(r)
	if err != nil {
		f.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		f.Fatalf("%s: got %s, want 200", operation, response.Status)
	}
	defer response.Body.Close()
	if err = json.NewDecoder(response.Body).Decode(out); err != nil {
		f.Fatal(err)
	}
}

// receiveAll returns the bodies and groups of the messages in the queue, sorted.
func (f *fixture) receiveAll() []string {
	f.Helper()
	var all []string
	for {
		var out struct {
			Messages []struct {
				Body       string
				Attributes map[string]string
			}
		}
		f.call("ReceiveMessage", map[string]any{"QueueUrl": f.url, "MaxNumberOfMessages": 10,
			"MessageSystemAttributeNames": []string{"MessageGroupId"}}, &out)
		if len(out.Messages) == 0 {
			slices.Sort(all)
			return all
		}
		for _, m := range out.Messages {
			all = append(all, m.Body+" "+m.Attributes["MessageGroupId"])
		}
	}
}

// payoutMessages returns n messages, and the lines that receiveAll returns for them.
func payoutMessages(n int) (messages []app.PayoutMessage, received []string) {
	for i := range n {
		m := app.PayoutMessage{Tenant: fmt.Sprint("T#MC", i%3), ID: fmt.Sprintf("p%02d", i)}
		messages = append(messages, m)
		received = append(received, fmt.Sprintf(`{"tenant":"%s","payout":"%s"} %s`, m.Tenant, m.ID, m.Tenant))
	}
	slices.Sort(received)
	return messages, received
}

// TestSend_Batches checks the number of messages in each call. Each message must be in its tenant's group, and Send
// without messages must make no call.
func TestSend_Batches(t *testing.T) {
	t.Parallel()
	for n, calls := range map[int][]int{0: nil, 1: {1}, 10: {10}, 25: {10, 10, 5}} {
		f := newFixture(t)
		messages, want := payoutMessages(n)
		if err := queue.OpenPayouts(f.app()).Send(t.Context(), messages...); err != nil {
			t.Errorf("%d messages: got error %v, want none", n, err)
		}
		if got := f.receiveAll(); !slices.Equal(got, want) || !slices.Equal(f.calls, calls) {
			t.Errorf("%d messages: got %v in calls of %v, want %v in %v", n, got, f.calls, want, calls)
		}
	}
}

// TestSend_RetriesFailedMessages checks that only failed messages are sent again, after a pause.
func TestSend_RetriesFailedMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.refuse = func(call int, id string) any {
			if call < 3 && (id == "2" || id == "7" && call == 1) {
				return map[string]any{"Id": id, "Code": "InternalError", "SenderFault": false}
			}
			return nil
		}
		messages, want := payoutMessages(10)
		began := time.Now()
		if err := queue.OpenPayouts(f.app()).Send(t.Context(), messages...); err != nil {
			t.Errorf("got error %v, want none", err)
		}
		if got, calls := f.receiveAll(), []int{10, 2, 1}; !slices.Equal(got, want) || !slices.Equal(f.calls, calls) {
			t.Errorf("got %v in calls of %v, want %v in %v", got, f.calls, want, calls)
		}
		if time.Since(began) == 0 {
			t.Error("got no time between the calls, want some")
		}
	})
}

// TestSend_GivesUp checks the error for a message that SQS refuses each time. Send gives up after the SDK's number of
// attempts. If the fault is the sender's, Send gives up at once.
func TestSend_GivesUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ours  bool
		calls []int
	}{"the service's": {false, []int{10, 1, 1}}, "the sender's": {true, []int{10}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				f.refuse = func(_ int, id string) any {
					if id != "4" {
						return nil
					}
					return map[string]any{"Id": id, "Code": "Refused", "Message": "it says", "SenderFault": c.ours}
				}
				messages, all := payoutMessages(10)
				err := queue.OpenPayouts(f.app()).Send(t.Context(), messages...)
				if err == nil || !strings.Contains(err.Error(), "1 messages not sent: Refused: it says") {
					t.Errorf("got error %v, want what was said of one message", err)
				}
				want := slices.DeleteFunc(all, func(m string) bool { return strings.Contains(m, "p04") })
				if got := f.receiveAll(); !slices.Equal(got, want) || !slices.Equal(f.calls, c.calls) {
					t.Errorf("got %v in calls of %v, want %v in %v", got, f.calls, want, c.calls)
				}
			})
		})
	}
}

// TestSend_NoURL checks a queue whose variable is not set.
func TestSend_NoURL(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.app()
	shard := 1
	if err := queue.OpenPayoutShards(a).Send(t.Context(), app.PayoutShardMessage{Shard: &shard}); err == nil {
		t.Error("got no error, want one")
	}
	callback := app.CallbackMessage{ID: "msg_1"}
	if err := queue.OpenCallbacks(a).SendLater(t.Context(), identity.Tenant{}, callback, 0); err == nil {
		t.Error("got no error, want one")
	}
}
