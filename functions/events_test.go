package functions_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/world"
)

const eventsFolder = "../events"

// rehearsals are what is to become of each event of events/.
var rehearsals = map[string]func(*rehearsal){
	"checkouts-create":     answers(201, `"status":"PENDING"`),
	"customers-create":     answers(201, `"customer_id":"event-customers-create"`),
	"transactions-history": (*rehearsal).history,
	"receipts-retrieve":    (*rehearsal).receipt,
	"payouts-list":         answers(200, `[]`),
	"pages-webhook-keys":   answers(200, `"whpk_`),
	"sandbox-redirect":     (*rehearsal).bankPage,
	"relay":                (*rehearsal).relay,
	"callbacks":            (*rehearsal).callback,
	"polls":                (*rehearsal).question,
	"payoutrun":            (*rehearsal).payout,
	"payoutplan":           (*rehearsal).tick,
	"sweep":                (*rehearsal).tick,
	"reconcile":            (*rehearsal).reconcile,
	"provision":            (*rehearsal).provision,
}

// rehearsal is one event in a world of its own.
type rehearsal struct {
	*world.World
	file   string
	filler map[string]string // of what the event leaves open
}

// TestEveryEventOfTheFolderIsPlayed hands each file to its function as Lambda does.
func TestEveryEventOfTheFolderIsPlayed(t *testing.T) {
	t.Parallel()
	for _, file := range eventFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		play, known := rehearsals[name]
		if !known {
			t.Errorf("nobody says what is to become of %s", file)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			play(&rehearsal{w, file, map[string]string{"API_KEY": w.Merchant.Key.Plaintext, "MERCHANT_CODE": w.Merchant.Code}})
		})
	}
}

// TestEveryFunctionHasAnEvent, and every event a function and a line that explains it.
func TestEveryFunctionHasAnEvent(t *testing.T) {
	t.Parallel()
	files := eventFiles(t)
	if len(files) != len(rehearsals) {
		t.Errorf("%d events, %d of them are to be played", len(files), len(rehearsals))
	}
	readme, err := os.ReadFile(filepath.Join(eventsFolder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var served []string
	for _, file := range files {
		if !bytes.Contains(readme, []byte("`"+filepath.Base(file)+"`")) {
			t.Errorf("the README does not name %s", filepath.Base(file))
		}
		served = append(served, calledBy(t, file).Name)
	}
	for _, f := range functions.All {
		if !slices.Contains(served, f.Name) {
			t.Errorf("%s has no event in %s", f.Name, eventsFolder)
		}
	}
}

func eventFiles(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(os.DirFS(eventsFolder), "*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d events, %v", len(files), err)
	}
	for i := range files {
		files[i] = filepath.Join(eventsFolder, files[i])
	}
	return files
}

// calledBy is the function that a file's name says.
func calledBy(tb testing.TB, file string) functions.Function {
	tb.Helper()
	name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
	at := slices.IndexFunc(functions.All, func(f functions.Function) bool { return f.Name == name })
	if at < 0 {
		tb.Fatalf("%s is of no function", file)
	}
	return functions.All[at]
}

// event is the file, filled in. It has the members of AWS's event and no others.
func (r *rehearsal) event() []byte {
	r.Helper()
	event, err := os.ReadFile(r.file)
	if err != nil {
		r.Fatal(err)
	}
	for name, value := range r.filler {
		event = bytes.ReplaceAll(event, []byte("${"+name+"}"), []byte(value))
	}
	if bytes.Contains(event, []byte("${")) {
		r.Errorf("something is left open in %s", event)
	}
	var into any
	switch f := calledBy(r, r.file); {
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
		r.Error(err)
	}
	return event
}

// play hands the event to its function and reads the reply into a value, if there is one.
func (r *rehearsal) play(into any) {
	r.Helper()
	reply, err := r.Main().Invoke(r.Context(), calledBy(r, r.file).Name, r.event())
	if err == nil && into != nil {
		err = json.Unmarshal(reply, into)
	}
	if err != nil {
		r.Fatalf("reply %s, error %v", reply, err)
	}
}

// answers plays a request of the API.
func answers(status int, body string) func(*rehearsal) {
	return func(r *rehearsal) {
		r.Helper()
		var request events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(r.event(), &request); err != nil {
			r.Fatal(err)
		}
		if keys := calledBy(r, r.file).RouteKeys(r.App); !slices.Contains(keys, request.RouteKey) || request.RequestContext.RouteKey != request.RouteKey {
			r.Errorf("the API has no route %s: its routes are %q", request.RouteKey, keys)
		}
		var reply events.APIGatewayV2HTTPResponse
		r.play(&reply)
		if reply.StatusCode != status || !strings.Contains(reply.Body, body) {
			r.Errorf("reply %d %s, want %d with %s", reply.StatusCode, reply.Body, status, body)
		}
	}
}

// pay makes a payment, and is its code.
func (r *rehearsal) pay() string {
	r.Helper()
	return r.Shop().Sell("10.10").Code
}

func (r *rehearsal) history() {
	answers(200, `"transaction_code":"`+r.pay()+`"`)(r)
}

func (r *rehearsal) receipt() {
	r.filler["TRANSACTION_CODE"] = r.pay()
	answers(200, `"transaction_code":"`+r.filler["TRANSACTION_CODE"]+`"`)(r)
}

// bankPage: a payer is sent to the page, whose address ends in the session.
func (r *rehearsal) bankPage() {
	t := &tale{Shop: r.Shop(), receiver: r.Receive()}
	t.open(nil)
	r.filler["SESSION_ID"] = path.Base(t.Do(t.byIDEAL()).Text("next_step.url"))
	answers(200, `value="leave"`)(r)
}

// consumed plays a batch, of which nothing may fail.
func (r *rehearsal) consumed() {
	r.Helper()
	var reply struct{ BatchItemFailures []any }
	r.play(&reply)
	if reply.BatchItemFailures == nil || len(reply.BatchItemFailures) > 0 {
		r.Errorf("failures %v", reply.BatchItemFailures)
	}
}

// relay: the record's callback is in the queue.
func (r *rehearsal) relay() {
	var event events.DynamoDBEvent
	if err := json.Unmarshal(r.event(), &event); err != nil {
		r.Fatal(err)
	}
	r.happened(event)
	r.consumed()
	if n, err := r.Main().DrainQueues(r.Context()); n != 1 || err != nil {
		r.Errorf("%d messages, error %v", n, err)
	}
	r.logged("message of an unknown callback dropped")
}

// callback: what relay's record shows becomes true; then the message has it sent.
func (r *rehearsal) callback() {
	receiver := r.Receive()
	stream := &rehearsal{r.World, filepath.Join(eventsFolder, "relay.json"), r.filler}
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
	r.happened(event)
	r.consumed()
	if got, want := receiver.Deliveries(), event.Records[0].Change.NewImage["checkout_id"].String(); len(got) != 1 || got[0].Checkout != want {
		r.Errorf("deliveries %v, want one of %s", got, want)
	}
}

// happened moves the clock to when the event's record was written.
func (r *rehearsal) happened(event events.DynamoDBEvent) {
	r.Clock.Advance(event.Records[0].Change.ApproximateCreationDateTime.Sub(r.Clock.Now()))
}

func text(v events.DynamoDBAttributeValue) string {
	if v.DataType() == events.DataTypeNumber {
		return v.Number()
	}
	return v.String()
}

// question: the message names a checkout that nobody made.
func (r *rehearsal) question() {
	r.consumed()
	r.logged("message of an unknown payment dropped")
}

// payout: the message names one that nobody planned.
func (r *rehearsal) payout() {
	r.consumed()
	r.logged("message of an unknown payout dropped")
}

func (r *rehearsal) tick() { r.play(nil) }

func (r *rehearsal) reconcile() {
	r.pay()
	var report struct{ Transactions, Found int }
	r.play(&report)
	if report.Transactions != 1 || report.Found != 0 {
		r.Errorf("report %+v", report)
	}
}

func (r *rehearsal) provision() {
	var first, again world.Merchant
	r.play(&first)
	r.Secret("API key", first.Key.Plaintext)
	r.play(&again)
	if first.Code == "" || first.Key.Plaintext == "" || again.Code != first.Code || again.Key.Plaintext != "" {
		r.Errorf("merchant %s with key %t, then %s with key %t", first.Code, first.Key.Plaintext != "", again.Code, again.Key.Plaintext != "")
	}
}

func (r *rehearsal) logged(what string) {
	r.Helper()
	if !strings.Contains(r.Logs.String(), what) {
		r.Errorf("the log has no %q:\n%s", what, r.Logs)
	}
}
