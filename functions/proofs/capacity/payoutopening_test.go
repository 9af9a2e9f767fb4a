package capacity_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/record"
	sqsengine "github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/inprocess"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// merchantsVariable sets the number of merchants in TestPayouts_OpenInTime.
	merchantsVariable = "CASHWRAP_PAYOUT_MERCHANTS"
	fewMerchants      = 1000
	// merchantsPerFunction is the number of merchants for each function that runs at a time: 10⁶ merchants for 100
	// functions.
	merchantsPerFunction = 10_000
	opensWithin          = 15 * time.Minute
	// maxRun is the maximum number of merchants whose payouts are also run.
	maxRun = 20_000
)

// TestPayouts_OpenInTime checks that after a midnight that all merchants share, the payouts of 10⁶ merchants are open
// within 15 minutes if 100 functions run at a time. Half of the functions open payouts and half run payouts, as with
// prod's setting `workers`.
//
// Time is virtual, so this machine's speed does not matter. Each call takes as long as infra/cost assumes, and queues
// are read as Lambda reads them. The handlers, the SDK and the engines are the real ones.
//
// A function opens four merchants at a time, independently of the other functions. So n merchants at n/10⁴ functions
// take the same time, and fewer merchants per function take proportionally less. The test therefore uses few merchants
// unless CASHWRAP_PAYOUT_MERCHANTS sets their number. .ci/run sets it to 40,000. All 10⁶ take half an hour of one
// processor and 12 GB of memory.
func TestPayouts_OpenInTime(t *testing.T) {
	enginetest.InMemory(t)
	t.Parallel()
	n := fewMerchants
	if text := os.Getenv(merchantsVariable); text == "" {
		record.Note(t, record.Test{Left: true})
	} else if many, err := strconv.Atoi(text); err != nil {
		t.Fatal(err)
	} else {
		n = many
	}
	atOnce := max(n/merchantsPerFunction, 2)
	within := opensWithin * time.Duration(n) / time.Duration(atOnce*merchantsPerFunction)
	sample := makePayoutSample(t)
	if n > maxRun {
		delete(sample, store.KindTransaction)
	}
	synctest.Test(t, func(t *testing.T) {
		o := newOpening(t)
		o.storeMerchants(sample, n)
		o.simulate(n, atOnce/2)
		t.Logf("%d merchants, %d functions at a time: the last payout opened after %s (want %s), in %.1f calls each",
			n, atOnce, o.opened.last, within, float64(o.calls)/float64(n))
		if o.opened.count != n || o.opened.last > within {
			t.Errorf("got %d payouts open after %s, want %d after %s", o.opened.count, o.opened.last, n, within)
		}
		if o.sent != n {
			t.Errorf("got %d payouts queued, want each of %d once", o.sent, n)
		}
		if n <= maxRun {
			t.Logf("the last transfer was ordered after %s", o.ordered.last)
			if o.ordered.count != n {
				t.Errorf("got %d transfers ordered, want %d", o.ordered.count, n)
			}
		}
	})
}

// makePayoutSample returns the items of a merchant with one payment that is ready to be paid out.
func makePayoutSample(t *testing.T) map[store.Kind]dynamo.Item {
	t.Helper()
	shop := world.NewShop(t)
	shop.SetPayout(map[string]any{"holder": "Laden", "iban": sandbox.PaidIBAN})
	shop.Sell("10.10")
	_, table := shop.App.Store.Raw()
	var all []dynamo.Item
	if err := table.Scan().All(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	sample := map[store.Kind]dynamo.Item{}
	for _, item := range all {
		pk := item["pk"].(*types.AttributeValueMemberS).Value
		if !strings.Contains(pk, shop.Merchant.Code) {
			continue
		}
		p, _ := store.ParsePartition(pk)
		switch p.Kind {
		case store.KindMerchant, store.KindTransaction, store.KindPayable:
			sample[p.Kind] = withNames(item, strings.NewReplacer(shop.Merchant.Code, sampleCode))
		}
	}
	if len(sample) != 3 {
		t.Fatalf("got %v, want a merchant, a transaction and a payable", sample)
	}
	return sample
}

const sampleCode = "MC-SAMPLE-"

// opening is a platform that only pays out, in virtual time.
type opening struct {
	*testing.T
	table  *dynamodb.Engine
	queues *sqsengine.Engine
	config app.Config
	sqs    *sqs.Client
	urls   map[string]string // of queues

	mu      sync.Mutex
	began   time.Time
	opened  progress
	ordered progress
	calls   int // of payoutopen
	sent    int // messages to run payouts
}

// progress counts events and has the time of the last one.
type progress struct {
	count int
	last  time.Duration
}

// now returns the bubble's time, shifted to the day before the sample's first payout.
func now() time.Time { return time.Now().Add(world.Start.AddDate(0, 0, 1).Sub(bubbleStart)) }

var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newOpening(t *testing.T) *opening {
	t.Helper()
	o := &opening{T: t, table: dynamodb.New(dynamodb.Config{Now: now}), queues: sqsengine.New(sqsengine.Config{Now: now}),
		urls: map[string]string{}}
	environment := map[string]string{"TABLE": "cashwrap", "AWS_REGION": "eu-central-1", "BASE_URL": "http://cashwrap.test",
		"DYNAMODB_ENDPOINT": "http://dynamodb.test", "SQS_ENDPOINT": "http://sqs.test",
		"PLATFORM_SECRET": strings.Repeat("MDEy", 16), "PLATFORM_SECRET_SINCE": "2000-01-01T00:00:00Z"}
	o.configure(environment)
	a := o.newApp(o.engines())
	o.sqs = sqs.NewFromConfig(a.AWS(a.SQSEndpoint))
	for _, q := range functions.Queues {
		made, err := o.sqs.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(q.Name),
			Attributes: map[string]string{"VisibilityTimeout": strconv.Itoa(int(q.Visibility.Seconds()))}})
		if err != nil {
			t.Fatal(err)
		}
		environment[q.Variable], o.urls[q.Name] = aws.ToString(made.QueueUrl), aws.ToString(made.QueueUrl)
	}
	o.configure(environment)
	if err := a.Store.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	recreateWithoutStream(t, a.Store)
	return o
}

func (o *opening) configure(environment map[string]string) {
	o.Helper()
	var err error
	if o.config, err = app.FromEnvironment(func(name string) string { return environment[name] },
		app.Secrets...); err != nil {
		o.Fatal(err)
	}
}

func (o *opening) newApp(network http.RoundTripper) *app.App {
	return app.New(o.config, app.Overrides{Now: now, HTTP: &http.Client{Transport: network},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "none"}, nil
		}), Log: slog.New(slog.NewTextHandler(o.Output(), &slog.HandlerOptions{Level: slog.LevelError}))})
}

func (o *opening) engines() http.RoundTripper {
	return faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.") {
			return o.queues.RoundTrip(r)
		}
		return o.table.RoundTrip(r)
	})
}

// storeMerchants stores n merchants with one payable each and the same midnight.
func (o *opening) storeMerchants(sample map[store.Kind]dynamo.Item, n int) {
	o.Helper()
	a := o.newApp(o.engines())
	_, table := a.Store.Raw()
	const merchantsOfBatch = 8
	schedule := merchant.PayoutSchedule{NextAt: midnight, To: merchant.BankAccount{Holder: "Laden",
		IBAN: sandbox.PaidIBAN, Status: merchant.BankAccountVerified}}
	for first := 0; first < n; first += merchantsOfBatch {
		var batch []any
		for i := first; i < min(n, first+merchantsOfBatch); i++ {
			code := fmt.Sprintf("MC%08d", i)
			for _, item := range sample {
				batch = append(batch, withNames(item, strings.NewReplacer(sampleCode, code)))
			}
			if err := a.Store.OpenPayout(o.Context(), identity.Tenant{Mode: identity.Test, Merchant: code}, schedule,
				nil); err != nil {
				o.Fatal(err)
			}
		}
		if _, err := table.Batch(store.PartitionKey, store.SortKey).Write().Put(batch...).Run(o.Context()); err != nil {
			o.Fatal(err)
		}
	}
}

// midnight is Berlin's midnight after the day when the sample's payment becomes payable.
var midnight = world.Start.Truncate(24 * time.Hour).Add(47 * time.Hour)

// simulate ticks the schedule at midnight. Then workers of each queue work until all n payouts are open. The payouts
// are also ordered, unless they are too many.
func (o *opening) simulate(n, workers int) {
	o.Helper()
	plan := o.newFunction("payoutplan", o.engines())
	time.Sleep(midnight.Add(-time.Minute).Sub(now()))
	time.Sleep(plan.Tick.Next(now()).Sub(now()))
	if !now().Equal(midnight) {
		o.Errorf("got a tick at %s, want it at %s", now(), midnight)
	}
	o.began = now()
	ctx, cancel := context.WithCancel(o.Context())
	var consumers sync.WaitGroup
	o.consume(ctx, &consumers, o.newFunction("payoutopen", o.observe(o.noteOpening)), workers)
	if n <= maxRun {
		o.consume(ctx, &consumers, o.newFunction("payoutrun", o.observe(o.noteOrder)), workers)
	}
	if _, err := inprocess.Call[any](ctx, plan, events.EventBridgeEvent{}); err != nil {
		o.Error(err)
	}
	for range 4 * time.Hour / time.Second {
		if o.isDone(n) {
			break
		}
		time.Sleep(time.Second)
	}
	cancel()
	consumers.Wait()
}

func (o *opening) isDone(n int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.opened.count >= n && o.sent >= n && (n > maxRun || o.ordered.count >= n)
}

func (o *opening) newFunction(name string, network http.RoundTripper) *inprocess.Function {
	o.Helper()
	at := slices.IndexFunc(functions.All, func(f functions.Function) bool { return f.Name == name })
	f, err := inprocess.New(functions.All[at], o.newApp(faults.Assumed.Over(network)))
	if err != nil {
		o.Fatal(err)
	}
	return f
}

// observe returns a transport that calls note with each successful call to a service.
func (o *opening) observe(note func(operation, body string)) http.RoundTripper {
	return faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		response, err := o.engines().RoundTrip(r)
		if err == nil && response.StatusCode == http.StatusOK {
			o.mu.Lock()
			defer o.mu.Unlock()
			note(path.Ext(r.Header.Get("X-Amz-Target"))[1:], string(body))
		}
		return response, err
	})
}

func (o *opening) noteOpening(operation, body string) {
	o.calls++
	switch operation {
	case "TransactWriteItems":
		o.opened.note(o.began)
	case "SendMessageBatch":
		o.sent += strings.Count(body, `\"payout\"`)
	}
}

// noteOrder counts the transfers that the sandbox's bank records for the first time.
func (o *opening) noteOrder(_, body string) {
	if strings.Contains(body, "SANDBOX#TRANSFER#") && strings.Contains(body, "attribute_not_exists(pk)") {
		o.ordered.note(o.began)
	}
}

func (p *progress) note(began time.Time) { *p = progress{p.count + 1, now().Sub(began)} }

const (
	// A queue's consumer begins with firstCalls parallel calls. While messages wait, it adds another parallel call after
	// each rampUp, up to its maximum (AWS: "Configuring scaling behavior for SQS event source mappings": 300 a minute).
	firstCalls = 5
	rampUp     = time.Minute / 300
)

// consume starts workers that read the function's queue.
func (o *opening) consume(ctx context.Context, group *sync.WaitGroup, f *inprocess.Function, workers int) {
	client := sqs.NewFromConfig(o.newApp(faults.Assumed.Over(o.engines())).AWS(o.config.SQSEndpoint))
	for worker := range workers {
		group.Go(func() {
			time.Sleep(time.Duration(max(worker+1-firstCalls, 0)) * rampUp)
			for ctx.Err() == nil {
				o.handleBatch(ctx, client, f)
			}
		})
	}
}

// handleBatch lets the function handle one batch.
func (o *opening) handleBatch(ctx context.Context, client *sqs.Client, f *inprocess.Function) {
	url := aws.String(o.urls[f.Queue.From.Name])
	out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: url,
		MaxNumberOfMessages: int32(f.Queue.Batch), WaitTimeSeconds: 20}) //nolint:gosec // at most 10
	if err != nil || len(out.Messages) == 0 {
		return
	}
	var event events.SQSEvent
	var handled []sqstypes.DeleteMessageBatchRequestEntry
	for i, m := range out.Messages {
		event.Records = append(event.Records, events.SQSMessage{MessageId: aws.ToString(m.MessageId),
			Body: aws.ToString(m.Body)})
		handled = append(handled, sqstypes.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)),
			ReceiptHandle: m.ReceiptHandle})
	}
	call, cancel := f.Context(context.WithoutCancel(ctx), "call")
	defer cancel()
	time.Sleep(faults.Assumed.Function)
	reply, err := inprocess.Call[events.SQSEventResponse](call, f, event)
	if err != nil || len(reply.BatchItemFailures) > 0 {
		o.Errorf("%s: got failures %v, error %v; want none", f.Name, reply.BatchItemFailures, err)
		return
	}
	deleted := &sqs.DeleteMessageBatchInput{QueueUrl: url, Entries: handled}
	if _, err = client.DeleteMessageBatch(call, deleted); err != nil {
		o.Error(err)
	}
}
