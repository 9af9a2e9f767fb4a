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

// rehearsals check the effects of each function's event in events/, except for functions with endpoints.
var rehearsals = map[string]func(*rehearsal){
	"relay":      (*rehearsal).rehearseRelay,
	"callbacks":  (*rehearsal).rehearseCallback,
	"mails":      (*rehearsal).rehearseMail,
	"polls":      (*rehearsal).rehearsePoll,
	"payoutrun":  (*rehearsal).rehearsePayout,
	"payoutplan": (*rehearsal).rehearseTick,
	"payoutopen": (*rehearsal).checkConsumed,
	"sweep":      (*rehearsal).rehearseTick,
	"reconcile":  (*rehearsal).rehearseReconcile,
	"prove":      (*rehearsal).rehearseProof,
	"provision":  (*rehearsal).rehearseProvision,
}

// rehearsal is one event in a separate world.
type rehearsal struct {
	*world.World
	of     functions.Function
	filler map[string]string // values for the event's placeholders
}

// TestEvents_Handled hands each event to its function as Lambda does.
func TestEvents_Handled(t *testing.T) {
	t.Parallel()
	for _, f := range functions.All {
		rehearse := rehearsals[f.Name]
		if f.HTTP != nil {
			rehearse = (*rehearsal).rehearseEndpoint
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

// TestEvents_HaveFunctions checks that each event has the name of a function.
func TestEvents_HaveFunctions(t *testing.T) {
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

// eventFile returns the name of the function's event file.
func eventFile(function string) string { return filepath.Join(eventsFolder, function+".json") }

// findFunction returns a function by its name in functions.All.
func findFunction(tb testing.TB, name string) functions.Function {
	tb.Helper()
	at := slices.IndexFunc(functions.All, func(f functions.Function) bool { return f.Name == name })
	if at < 0 {
		tb.Fatalf("got no function %q, want it in the list", name)
	}
	return functions.All[at]
}

// readEvent reads and fills in the event. It checks that the event has only members of AWS's event.
func (r *rehearsal) readEvent() []byte {
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

// invoke hands the event to its function and reads the reply into a value, unless that is nil.
func (r *rehearsal) invoke(into any) {
	r.Helper()
	reply, err := r.Main().Invoke(r.Context(), r.of.Name, r.readEvent())
	if err == nil && into != nil {
		err = json.Unmarshal(reply, into)
	}
	if err != nil {
		r.Fatalf("%s: got reply %s, error %v; want a reply of JSON", r.of.Name, reply, err)
	}
}

// checkConsumed invokes the function with a batch and checks that no message failed.
func (r *rehearsal) checkConsumed() {
	r.Helper()
	var reply struct{ BatchItemFailures []any }
	r.invoke(&reply)
	if reply.BatchItemFailures == nil || len(reply.BatchItemFailures) > 0 {
		r.Errorf("got failures %#v, want an empty list", reply.BatchItemFailures)
	}
}

// rehearseRelay checks that the record's callback is in the queue.
func (r *rehearsal) rehearseRelay() {
	var event events.DynamoDBEvent
	if err := json.Unmarshal(r.readEvent(), &event); err != nil {
		r.Fatal(err)
	}
	r.moveClockTo(event)
	r.checkConsumed()
	if n := r.DrainQueues(); n != 1 {
		r.Errorf("got %d messages, want 1", n)
	}
	r.checkLogged("message of an unknown callback dropped")
}

// rehearseCallback stores the callback of relay's sample record. It checks that the event's message delivers this
// callback.
func (r *rehearsal) rehearseCallback() {
	receiver := r.Receive()
	stream := &rehearsal{r.World, findFunction(r, "relay"), r.filler}
	var event events.DynamoDBEvent
	if err := json.Unmarshal(stream.readEvent(), &event); err != nil {
		r.Fatal(err)
	}
	item := map[string]types.AttributeValue{}
	for name, value := range event.Records[0].Change.NewImage {
		item[name] = &types.AttributeValueMemberS{Value: attributeText(value)}
	}
	item["url"] = &types.AttributeValueMemberS{Value: receiver.URL}
	item["tries"] = &types.AttributeValueMemberN{Value: "0"}
	_, table := r.App.Store.Raw()
	if err := table.Put(item).Run(r.Context()); err != nil {
		r.Fatal(err)
	}
	r.moveClockTo(event)
	r.checkConsumed()
	if got, want := receiver.Deliveries(), event.Records[0].Change.NewImage["checkout_id"].String(); len(got) != 1 ||
		got[0].Checkout != want {
		r.Errorf("got deliveries %v, want one of %s", got, want)
	}
}

// moveClockTo moves the clock to the time when the event's record was written.
func (r *rehearsal) moveClockTo(event events.DynamoDBEvent) {
	r.Clock.Advance(event.Records[0].Change.ApproximateCreationDateTime.Sub(r.Clock.Now()))
}

func attributeText(v events.DynamoDBAttributeValue) string {
	if v.DataType() == events.DataTypeNumber {
		return v.Number()
	}
	return v.String()
}

// rehearseMail handles a message that names a missing mail.
func (r *rehearsal) rehearseMail() {
	r.checkConsumed()
	r.checkLogged("message of an unknown mail dropped")
}

// rehearsePoll handles a message that names a missing checkout.
func (r *rehearsal) rehearsePoll() {
	r.checkConsumed()
	r.checkLogged("message of an unknown payment dropped")
}

// rehearsePayout handles a message that names a missing payout.
func (r *rehearsal) rehearsePayout() {
	r.checkConsumed()
	r.checkLogged("message of an unknown payout dropped")
}

// rehearseProof handles a message that names a missing proof.
func (r *rehearsal) rehearseProof() {
	r.checkConsumed()
	r.checkLogged("message of an unknown proof dropped")
}

func (r *rehearsal) rehearseTick() { r.invoke(nil) }

func (r *rehearsal) rehearseReconcile() {
	r.Shop().Sell("10.10")
	r.invoke(nil)
	r.DrainQueues()
	r.checkLogged(`"msg":"reconciled","breaks":0,"tenants":0,"transactions":1`)
}

func (r *rehearsal) rehearseProvision() {
	var first, again world.Merchant
	r.invoke(&first)
	r.Secret("API key", first.Key.Plaintext)
	r.invoke(&again)
	if first.Code == "" || first.Key.Plaintext == "" || again.Code != first.Code || again.Key.Plaintext != "" {
		r.Errorf("got merchant %q with key %t, then %q with key %t; want a merchant with a key, then the same without",
			first.Code, first.Key.Plaintext != "", again.Code, again.Key.Plaintext != "")
	}
}

func (r *rehearsal) checkLogged(what string) {
	r.Helper()
	if !strings.Contains(r.Logs.String(), what) {
		r.Errorf("got log\n%s, want %q in it", r.Logs, what)
	}
}
