package rules_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

const eventsFolder = "../../../events"

// rehearsals check what each function does with its event in events/, unless it
// serves endpoints.
var rehearsals = map[string]func(*rehearsal){
	"relay":      (*rehearsal).relay,
	"callbacks":  (*rehearsal).callback,
	"mails":      (*rehearsal).mail,
	"polls":      (*rehearsal).question,
	"payoutrun":  (*rehearsal).payout,
	"payoutplan": (*rehearsal).tick,
	"payoutopen": (*rehearsal).consumed,
	"sweep":      (*rehearsal).tick,
	"reconcile":  (*rehearsal).reconcile,
	"provision":  (*rehearsal).provision,
}

// rehearsal is one event in a world of its own.
type rehearsal struct {
	*world.World
	of     functions.Function
	filler map[string]string // of what the event leaves open
}

// TestEveryEventIsHandled: each file is handed to its function as Lambda does.
func TestEveryEventIsHandled(t *testing.T) {
	t.Parallel()
	for _, f := range functions.All {
		rehearse := rehearsals[f.Name]
		if f.HTTP != nil {
			rehearse = (*rehearsal).endpoint
		}
		if rehearse == nil {
			t.Errorf("%s: got no rehearsal of its event, want one", f.Name)
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			rehearse(&rehearsal{w, f, map[string]string{"API_KEY": w.Merchant.Key.Plaintext, "MERCHANT_CODE": w.Merchant.Code}})
		})
	}
}

// TestEveryEventHasItsFunction, of its name.
func TestEveryEventHasItsFunction(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(eventFile("*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d events, error %v; want at least 1", len(files), err)
	}
	for _, file := range files {
		if !slices.ContainsFunc(functions.All, func(f functions.Function) bool { return eventFile(f.Name) == file }) {
			t.Errorf("got event %s, want only those of functions of the list", file)
		}
	}
}

// eventFile is the function's event.
func eventFile(function string) string { return filepath.Join(eventsFolder, function+".json") }

// named is a function of the list.
func named(tb testing.TB, name string) functions.Function {
	tb.Helper()
	at := slices.IndexFunc(functions.All, func(f functions.Function) bool { return f.Name == name })
	if at < 0 {
		tb.Fatalf("got no function %q, want it in the list", name)
	}
	return functions.All[at]
}

// event is the file, filled in. It has the members of AWS's event and no others.
func (r *rehearsal) event() []byte {
	r.Helper()
	event, err := os.ReadFile(eventFile(r.of.Name))
	if err != nil {
		r.Fatal(err)
	}
	for name, value := range r.filler {
		event = bytes.ReplaceAll(event, []byte("${"+name+"}"), []byte(value))
	}
	if bytes.Contains(event, []byte("${")) {
		r.Errorf("got event %s, want no ${ left in it", event)
	}
	var into any
	switch f := r.of; {
	case f.HTTP != nil:
		into = &events.APIGatewayV2HTTPRequest{}
	case f.Queue != nil:
		into = &events.SQSEvent{}
	case f.Stream != nil:
		into = &events.DynamoDBEvent{}
	case f.Tick != nil:
		into = &events.EventBridgeEvent{}
	default:
		into = &map[string]any{}
	}
	strict := json.NewDecoder(bytes.NewReader(event))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		r.Errorf("event of %s: got error %v, want only members of AWS's event", r.of.Name, err)
	}
	return event
}

// invoke hands the event to its function and reads the reply into a value, if there is one.
func (r *rehearsal) invoke(into any) {
	r.Helper()
	reply, err := r.Main().Invoke(r.Context(), r.of.Name, r.event())
	if err == nil && into != nil {
		err = json.Unmarshal(reply, into)
	}
	if err != nil {
		r.Fatalf("%s: got reply %s, error %v; want a reply of JSON", r.of.Name, reply, err)
	}
}

// consumed invokes the function with a batch, of which nothing may fail.
func (r *rehearsal) consumed() {
	r.Helper()
	var reply struct{ BatchItemFailures []any }
	r.invoke(&reply)
	if reply.BatchItemFailures == nil || len(reply.BatchItemFailures) > 0 {
		r.Errorf("got failures %#v, want an empty list", reply.BatchItemFailures)
	}
}

// relay: the record's callback is in the queue.
func (r *rehearsal) relay() {
	var event events.DynamoDBEvent
	if err := json.Unmarshal(r.event(), &event); err != nil {
		r.Fatal(err)
	}
	r.moveClockTo(event)
	r.consumed()
	if n := r.DrainQueues(); n != 1 {
		r.Errorf("got %d messages, want 1", n)
	}
	r.logged("message of an unknown callback dropped")
}

// callback: what relay's record shows becomes true; then the message has it sent.
func (r *rehearsal) callback() {
	receiver := r.Receive()
	stream := &rehearsal{r.World, named(r, "relay"), r.filler}
	var event events.DynamoDBEvent
	if err := json.Unmarshal(stream.event(), &event); err != nil {
		r.Fatal(err)
	}
	item := map[string]types.AttributeValue{}
	for name, value := range event.Records[0].Change.NewImage {
		item[name] = &types.AttributeValueMemberS{Value: text(value)}
	}
	item["url"] = &types.AttributeValueMemberS{Value: receiver.URL}
	item["tries"] = &types.AttributeValueMemberN{Value: "0"}
	_, table := r.App.Store.Raw()
	if err := table.Put(item).Run(r.Context()); err != nil {
		r.Fatal(err)
	}
	r.moveClockTo(event)
	r.consumed()
	if got, want := receiver.Deliveries(), event.Records[0].Change.NewImage["checkout_id"].String(); len(got) != 1 ||
		got[0].Checkout != want {
		r.Errorf("got deliveries %v, want one of %s", got, want)
	}
}

// moveClockTo moves the clock to when the event's record was written.
func (r *rehearsal) moveClockTo(event events.DynamoDBEvent) {
	r.Clock.Advance(event.Records[0].Change.ApproximateCreationDateTime.Sub(r.Clock.Now()))
}

func text(v events.DynamoDBAttributeValue) string {
	if v.DataType() == events.DataTypeNumber {
		return v.Number()
	}
	return v.String()
}

// mail: the message names one that does not exist.
func (r *rehearsal) mail() {
	r.consumed()
	r.logged("message of an unknown mail dropped")
}

// question: the message names a checkout that does not exist.
func (r *rehearsal) question() {
	r.consumed()
	r.logged("message of an unknown payment dropped")
}

// payout: the message names one that does not exist.
func (r *rehearsal) payout() {
	r.consumed()
	r.logged("message of an unknown payout dropped")
}

func (r *rehearsal) tick() { r.invoke(nil) }

func (r *rehearsal) reconcile() {
	r.Shop().Sell("10.10")
	var report struct{ Transactions, Found int }
	r.invoke(&report)
	if report.Transactions != 1 || report.Found != 0 {
		r.Errorf("got report %+v, want 1 transaction and no breaks", report)
	}
}

func (r *rehearsal) provision() {
	var first, again world.Merchant
	r.invoke(&first)
	r.Secret("API key", first.Key.Plaintext)
	r.invoke(&again)
	if first.Code == "" || first.Key.Plaintext == "" || again.Code != first.Code || again.Key.Plaintext != "" {
		r.Errorf("got merchant %q with key %t, then %q with key %t; want a merchant with a key, then the same without",
			first.Code, first.Key.Plaintext != "", again.Code, again.Key.Plaintext != "")
	}
}

func (r *rehearsal) logged(what string) {
	r.Helper()
	if !strings.Contains(r.Logs.String(), what) {
		r.Errorf("got log\n%s, want %q in it", r.Logs, what)
	}
}
