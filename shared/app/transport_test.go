package app

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// newAppOver returns an App whose table answers under the URL.
func newAppOver(url string, over aws.HTTPClient) *App {
	return New(Config{Table: "cashwrap", Region: "eu-central-1", DynamoDBEndpoint: url,
		Secret: []byte(strings.Repeat("a", 32)), BaseURL: "https://api.example.com"},
		Overrides{HTTP: over, Log: slog.New(slog.DiscardHandler),
			Credentials: credentials.NewStaticCredentialsProvider("key", "secret", "")})
}

// readItem makes one call to the table.
func (a *App) readItem(ctx context.Context) error {
	db, table := a.Store.Raw()
	_, err := db.Client().GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table.Name()),
		Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "1"}}})
	return err
}

// service answers each call over TLS as an empty table does, and counts handshakes.
type service struct {
	*httptest.Server
	handshakes atomic.Int32
}

func newService(tb testing.TB, handle func()) *service {
	s := &service{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodPost {
			handle()
		}
		_, _ = io.WriteString(w, "{}")
	}))
	s.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		s.handshakes.Add(1)
		return nil, nil //nolint:nilnil // nil: the server's own configuration is used
	}}
	s.StartTLS()
	tb.Cleanup(s.Close)
	return s
}

func (s *service) transport() *transport {
	return newTransport(time.Minute, s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs)
}

const workers = 8

// makeCalls makes the given number of calls, divided among the workers.
func makeCalls(tb testing.TB, a *App, calls int) {
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range calls / workers {
				if err := a.readItem(tb.Context()); err != nil {
					tb.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestTransport_KeepsConnections checks that the transport keeps as many connections as calls run at a time. On a busy
// machine a call may begin before the last call's connection is idle, so a few more may be opened.
func TestTransport_KeepsConnections(t *testing.T) {
	t.Parallel()
	var together sync.WaitGroup // delays the calls of a round until each has a connection
	s := newService(t, func() {
		together.Done()
		together.Wait()
	})
	a := newAppOver(s.URL, s.transport())
	const rounds = 10
	for range rounds {
		together.Add(workers)
		makeCalls(t, a, workers)
	}
	if got := s.handshakes.Load(); got > workers*3 { // with 4 idle connections 44, with 2 of them 62
		t.Errorf("got %d handshakes for %d rounds of %d calls, want at most %d", got, rounds, workers, workers*3)
	}
}

// TestOpenConnection_FirstCall checks that the first call uses the connection that was opened at the start.
func TestOpenConnection_FirstCall(t *testing.T) {
	t.Parallel()
	s := newService(t, func() {})
	a := newAppOver(s.URL, s.transport())
	a.openConnection(t.Context())
	if got := s.handshakes.Load(); got != 1 {
		t.Errorf("got %d handshakes in advance, want 1", got)
	}
	if err := a.readItem(t.Context()); err != nil {
		t.Error(err)
	}
	if got := s.handshakes.Load(); got != 1 {
		t.Errorf("got %d handshakes after the first call, want 1", got)
	}
}

// TestNew_SharedTransport checks that Apps and all their AWS clients share the process's transport.
func TestNew_SharedTransport(t *testing.T) {
	t.Parallel()
	one, other := newAppOver("", nil), newAppOver("", nil)
	for _, got := range []aws.HTTPClient{one.AWS("").HTTPClient, other.AWS("http://queues.test").HTTPClient} {
		if got != aws.HTTPClient(processTransport()) {
			t.Errorf("got %v, want the process's transport", got)
		}
	}
}

func TestOpenConnection_ServiceDown(t *testing.T) {
	t.Parallel()
	var logged strings.Builder
	a := newAppOver("https://127.0.0.1:1", newTransport(time.Minute, nil))
	a.Log = slog.New(slog.NewJSONHandler(&logged, nil))
	a.openConnection(t.Context())
	if strings.Count(logged.String(), "no connection opened in advance") != 1 {
		t.Errorf("got log %s, want one warning", logged.String())
	}
}

// TestResolveTableURL checks that the SDK chooses the URL if the configuration has no endpoint.
func TestResolveTableURL(t *testing.T) {
	t.Parallel()
	got, err := newAppOver("", newTransport(time.Minute, nil)).resolveTableURL(t.Context())
	if want := "https://dynamodb.eu-central-1.amazonaws.com"; err != nil || got != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
}

// newInMemory returns an App and a function that counts the requests. The App's service answers over pipes, so the time
// in the test's bubble also governs the service. handle gets the number of the request, from 1.
func newInMemory(t *testing.T, handle func(n int, w http.ResponseWriter, r *http.Request)) (*App, func() int) {
	var requests atomic.Int32
	listener := pipes{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{ConnContext: withConn, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		handle(int(requests.Add(1)), w, r)
	})}
	go func() { _ = server.Serve(listener) }()
	over := newTransport(silence, nil)
	over.http.DialContext = listener.dial
	t.Cleanup(func() {
		over.http.CloseIdleConnections()
		_ = server.Close()
	})
	return newAppOver("http://dynamodb.test", over), func() int { return int(requests.Load()) }
}

// connKey is the context key of a request's connection.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// pipes is a listener without a network.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
}

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.dialed <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// longestBackoff is the longest pause that the SDK makes between the first two attempts.
const longestBackoff = 2 * time.Second

// TestTransport_SilentAttempt checks a silence before the answer and a silence within the answer. The second attempt
// uses another connection.
func TestTransport_SilentAttempt(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(http.ResponseWriter){
		"before the answer": func(http.ResponseWriter) {},
		"in the answer": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "20")
			_, _ = io.WriteString(w, `{"Item":{`)
			_ = http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var peers []context.Context
				a, requests := newInMemory(t, func(n int, w http.ResponseWriter, r *http.Request) {
					peers = append(peers, r.Context())
					if n == 1 {
						begin(w)
						<-r.Context().Done()
						return
					}
					_, _ = io.WriteString(w, "{}")
				})
				began := time.Now()
				if err := a.readItem(t.Context()); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took < silence || took > silence+longestBackoff || requests() != 2 {
					t.Errorf("got %v for %d attempts, want %v and a pause for 2", took, requests(), silence)
				}
				if len(peers) == 2 && peers[0].Err() == nil {
					t.Error("got the silent connection open, want it closed")
				}
			})
		})
	}
}

// TestTransport_SilentIdleConnections checks that the first call that meets a silent connection closes all idle
// connections. While Lambda freezes a process, a NAT gateway may forget the process's connections. The connections then
// stay silent.
func TestTransport_SilentIdleConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		forgotten, known := map[net.Conn]bool{}, map[net.Conn]bool{}
		together := make(chan struct{})
		a, requests := newInMemory(t, func(n int, w http.ResponseWriter, r *http.Request) {
			connection := r.Context().Value(connKey{}).(net.Conn)
			mu.Lock()
			known[connection] = true
			silent := forgotten[connection]
			mu.Unlock()
			switch {
			case silent:
				<-r.Context().Done()
			case n < workers:
				<-together
			case n == workers:
				close(together)
			}
			_, _ = io.WriteString(w, "{}")
		})
		makeCalls(t, a, workers)
		mu.Lock()
		forgotten = maps.Clone(known)
		mu.Unlock()
		if len(forgotten) != workers {
			t.Fatalf("got %d connections, want %d", len(forgotten), workers)
		}
		began, before := time.Now(), requests()
		for range workers {
			if err := a.readItem(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took > silence+longestBackoff || requests() != before+workers+1 {
			t.Errorf("got %v for %d attempts, want %v and a pause for %d", took, requests()-before, silence, workers+1)
		}
	})
}

// TestTransport_CallerDeadline checks that a call's context limits all its attempts together.
func TestTransport_CallerDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, requests := newInMemory(t, func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		const limit = 3 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		began := time.Now()
		err := a.readItem(ctx)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != limit {
			t.Errorf("got error %v after %v and %d attempts, want the caller's after %v", err, took, requests(), limit)
		}
	})
}

// TestTransport_SlowReader checks that a slow reader does not count as silence. A small processor takes long to decode
// a page of a scan.
func TestTransport_SlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text := strings.Repeat("a", 64<<10)
		a, _ := newInMemory(t, func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://dynamodb.test/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := a.overrides.HTTP.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		read, part := 0, make([]byte, 16<<10)
		for err == nil {
			var n int
			n, err = response.Body.Read(part)
			read += n
			time.Sleep(2 * silence) // takes no real time in the bubble
		}
		if !errors.Is(err, io.EOF) || read != len(text) {
			t.Errorf("got %d bytes and %v, want %d and the end", read, err, len(text))
		}
	})
}

// BenchmarkTransport compares the transport with http.DefaultClient, which keeps two idle connections for each host.
// Eight workers call over TLS.
func BenchmarkTransport(b *testing.B) {
	for name, over := range map[string]func(*service) aws.HTTPClient{
		"shared":  func(s *service) aws.HTTPClient { return s.transport() },
		"default": func(s *service) aws.HTTPClient { return s.Client() },
	} {
		b.Run(name, func(b *testing.B) {
			const calls = workers * 100
			s := newService(b, func() {})
			a := newAppOver(s.URL, over(s))
			for b.Loop() {
				makeCalls(b, a, calls)
			}
			b.ReportMetric(float64(s.handshakes.Load())/float64(b.N), "handshakes/op")
		})
	}
}
