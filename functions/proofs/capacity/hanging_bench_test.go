package capacity_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

const (
	hangingCallbacks = 1000
	fastCallbacks    = 200
	fastInterval     = 50 * time.Millisecond
)

// BenchmarkHangingReceivers measures how long callbacks to a receiver that
// answers take while 1,000 others hang, in the local run: from the reply to the
// request that caused them until they arrive, over sockets, in real time. The
// 1,000 begin at once, the others follow over the ten seconds in which those
// hang. Nobody else calls: "alone" is the same without them.
//
// This is no figure of prod's default: the local run makes up to 1,250 calls of
// callbacks at a time, prod's 40 pollers 400 (infra/README.md, Receivers that
// hang). Prod comes near it with pollers=110.
//
// The engines are in memory, and stream and queue are polled as Lambda does. So
// half of what "alone" takes is the poll of the stream, four times a second.
func BenchmarkHangingReceivers(b *testing.B) {
	for _, shape := range []struct {
		name             string
		hanging          int
		merchants, hosts int
		fast             string // host of the receiver that answers
	}{
		{"alone", 0, 1, 1, "fast.example.com"},
		{"of one host", hangingCallbacks, 1, 1, "fast.example.com"},
		{"of the same host", hangingCallbacks, 1, 1, "hanging-0.example.com:8443"},
		{"of one merchant", hangingCallbacks, 1, hangingCallbacks, "fast.example.com"},
		{"of as many merchants", hangingCallbacks, hangingCallbacks, hangingCallbacks, "fast.example.com"},
	} {
		b.Run(shape.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				p := newPost(b)
				var owners []world.Merchant
				for range shape.merchants {
					owners = append(owners, p.merchant())
				}
				fast := p.merchant()
				b.StartTimer()
				for i := range shape.hanging {
					p.addCallback(owners[i%shape.merchants], fmt.Sprintf("hanging-%d.example.com", i%shape.hosts), "/never")
				}
				for range fastCallbacks {
					p.addCallback(fast, shape.fast, "/hook")
					time.Sleep(fastInterval)
				}
				waits := p.waits()
				b.ReportMetric(float64(waits[len(waits)/2].Milliseconds()), "p50-ms")
				b.ReportMetric(float64(waits[len(waits)*99/100].Milliseconds()), "p99-ms")
				p.stop()
			}
		})
	}
}

// post is a running platform and all its merchants' receivers.
type post struct {
	*testing.B
	*runner.Runner
	stop func()

	mu      sync.Mutex
	owed    map[string]time.Time // by checkout, of fast receivers
	arrived map[string]time.Time
	all     chan struct{} // gets one for each arrival
}

func newPost(b *testing.B) *post {
	b.Helper()
	p := &post{B: b, owed: map[string]time.Time{}, arrived: map[string]time.Time{},
		all: make(chan struct{}, fastCallbacks)}
	receivers := httptest.NewServer(p)
	to := receivers.Listener.Addr().String()
	network := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _,
		_ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", to)
	}}
	table, queues := dynamodb.New(dynamodb.Config{}), sqs.New(sqs.Config{})
	engines := &http.Client{Transport: faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.") {
			return queues.RoundTrip(r)
		}
		return table.RoundTrip(r)
	})}
	e := runner.Engines{DynamoDB: "http://dynamodb.test", SQS: "http://sqs.test", AccessKey: "local"}
	environment := e.Environment([]byte("a secret for this one benchmark!"), time.Now())
	environment["BASE_URL"] = "http://api.test"
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	unlimited := rest.Limit{Rate: 1_000_000, Burst: 1_000_000}
	var err error
	p.Runner, err = runner.Start(b.Context(), runner.Config{Environment: environment, HTTP: engines,
		Log: log, Overrides: app.Overrides{
			HTTP: engines, Credentials: e.Credentials(), Log: log, Limits: rest.Limits{Credential: unlimited,
				Address: unlimited},
			WrapCallbacks: faults.Instead(network)}})
	if err != nil {
		b.Fatal(err)
	}
	p.stop = func() {
		receivers.CloseClientConnections()
		p.Stop()
		receivers.Close()
	}
	return p
}

// ServeHTTP is every receiver.
func (p *post) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var event struct{ ID string }
	_ = json.NewDecoder(r.Body).Decode(&event) // "" never arrives
	if r.URL.Path == "/never" {
		<-r.Context().Done()
		return
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.arrived[event.ID].IsZero() {
		p.arrived[event.ID] = now
		p.all <- struct{}{}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (p *post) merchant() (m world.Merchant) {
	p.Helper()
	answer, err := p.Invoke(p.Context(), "provision", json.RawMessage(
		`{"command":"create_merchant","name":"Kaffeehaus","email":"k@example.com","country":"DE","currency":"EUR",`+
			`"sandbox":true}`))
	if err == nil {
		err = json.Unmarshal(answer, &m)
	}
	if err != nil {
		p.Fatal(err)
	}
	return m
}

// addCallback has a callback to a receiver due.
func (p *post) addCallback(m world.Merchant, host, path string) {
	p.Helper()
	made := p.send(m, http.MethodPost, "/v0.1/checkouts", fmt.Sprintf(
		`{"checkout_reference":"%d","amount":10.10,"currency":"EUR","merchant_code":%q,"return_url":"http://%s%s"}`,
		time.Now().UnixNano(), m.Code, host, path))
	p.send(m, http.MethodDelete, "/v0.1/checkouts/"+made, "")
	if path != "/never" {
		p.mu.Lock()
		p.owed[made] = time.Now()
		p.mu.Unlock()
	}
}

func (p *post) send(m world.Merchant, method, path, body string) (id string) {
	p.Helper()
	request := httptest.NewRequestWithContext(p.Context(), method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+m.Key.Plaintext)
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	p.Handler().ServeHTTP(response, request)
	var checkout struct{ ID string }
	if err := json.Unmarshal(response.Body.Bytes(), &checkout); err != nil || response.Code >= 300 {
		p.Fatalf("%s %s: got %d %s, error %v; want a status below 300 and JSON", method, path, response.Code,
			response.Body, err)
	}
	return checkout.ID
}

// waits are the times that fast receivers waited, sorted, once all are over.
func (p *post) waits() (waits []time.Duration) {
	p.Helper()
	for range fastCallbacks {
		<-p.all
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, owed := range p.owed {
		waits = append(waits, p.arrived[id].Sub(owed))
	}
	slices.Sort(waits)
	return waits
}
