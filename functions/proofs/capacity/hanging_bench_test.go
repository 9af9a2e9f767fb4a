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

// BenchmarkHangingReceivers measures callbacks in the local run. It measures how long a callback takes to a receiver
// that answers, while 1,000 other callbacks hang. The time runs from the reply to the causing request until the
// callback arrives, over sockets and in real time. The 1,000 callbacks become due first, one right after the other. The
// measured callbacks follow within the ten seconds of the hanging calls. There are no other calls. "alone" measures the
// same without the 1,000 callbacks.
//
// The figures do not apply to prod's default. The local run makes up to 1,250 parallel calls of callbacks, and prod's
// 40 pollers make 400 (infra/README.md, Receivers that hang). With pollers=110, prod comes close to the local run.
//
// The engines are in memory, and stream and queue are polled as Lambda polls them. So half of the time of "alone" is
// the poll of the stream, four times a second.
func BenchmarkHangingReceivers(b *testing.B) {
	for _, shape := range []struct {
		name             string
		hanging          int
		merchants, hosts int
		fast             string // host of the answering receiver
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
				p := newReceivers(b)
				var owners []world.Merchant
				for range shape.merchants {
					owners = append(owners, p.createMerchant())
				}
				fast := p.createMerchant()
				b.StartTimer()
				for i := range shape.hanging {
					p.addCallback(owners[i%shape.merchants], fmt.Sprintf("hanging-%d.example.com", i%shape.hosts), "/never")
				}
				for range fastCallbacks {
					p.addCallback(fast, shape.fast, "/hook")
					time.Sleep(fastInterval)
				}
				waits := p.collectWaits()
				b.ReportMetric(float64(waits[len(waits)/2].Milliseconds()), "p50-ms")
				b.ReportMetric(float64(waits[len(waits)*99/100].Milliseconds()), "p99-ms")
				p.stop()
			}
		})
	}
}

// receivers is a running platform with the receivers of all its merchants.
type receivers struct {
	*testing.B
	*runner.Runner
	stop func()

	mu      sync.Mutex
	owed    map[string]time.Time // time of the cause of each callback to a fast receiver, by checkout
	arrived map[string]time.Time
	all     chan struct{} // receives a value for each arrival
}

func newReceivers(b *testing.B) *receivers {
	b.Helper()
	p := &receivers{B: b, owed: map[string]time.Time{}, arrived: map[string]time.Time{},
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

// ServeHTTP answers for every receiver.
func (p *receivers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var event struct{ ID string }
	_ = json.NewDecoder(r.Body).Decode(&event) // without an id, the callback never counts as arrived
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

func (p *receivers) createMerchant() (m world.Merchant) {
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

// addCallback makes a callback to a receiver due.
func (p *receivers) addCallback(m world.Merchant, host, path string) {
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

func (p *receivers) send(m world.Merchant, method, path, body string) (id string) {
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

// collectWaits waits for all callbacks to fast receivers and returns their sorted waiting times.
func (p *receivers) collectWaits() (waits []time.Duration) {
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
