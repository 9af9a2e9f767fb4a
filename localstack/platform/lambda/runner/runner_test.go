package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

func ticker(ticks chan<- struct{}) functions.Function {
	return functions.Function{Name: "sweep", Timeout: time.Minute, Tick: &functions.Schedule{Every: time.Minute,
		Handle: func(*app.App) func(context.Context) error {
			return func(context.Context) error {
				ticks <- struct{}{}
				return nil
			}
		}}}
}

func TestSchedule_StartAndClock(t *testing.T) {
	t.Parallel()
	now := clock.New()
	ticks := make(chan struct{})
	c := newConfig(t)
	c.Manual, c.Functions = false, []functions.Function{ticker(ticks)}
	c.Overrides.Now = now.Now
	startRunner(t, c)
	<-ticks
	for range 3 {
		now.Advance(time.Minute)
		<-ticks
	}
}

func TestStart_Manual(t *testing.T) {
	t.Parallel()
	ticks := make(chan struct{}, 10)
	c := newConfig(t)
	c.Functions = []functions.Function{ticker(ticks)}
	r := startRunner(t, c)
	if err := r.TickNow(t.Context(), "sweep"); err != nil {
		t.Fatal(err)
	}
	if err := r.TickNow(t.Context(), "unknown"); err == nil {
		t.Error("an unknown function: got no error, want one")
	}
	r.Stop()
	if len(ticks) != 1 {
		t.Errorf("got %d ticks, want the one asked for", len(ticks))
	}
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	c := newConfig(t)
	c.Functions = []functions.Function{{Name: "provision", Timeout: time.Minute,
		Invoke: func(a *app.App) func(context.Context, json.RawMessage) (any, error) {
			return func(_ context.Context, request json.RawMessage) (any, error) {
				if string(request) == `"bad"` {
					return nil, errFailed
				}
				return map[string]any{"table": a.Table, "request": request}, nil
			}
		}}}
	r := startRunner(t, c)
	got, err := r.Invoke(t.Context(), "provision", json.RawMessage(`{"a":1}`))
	if want := `{"request":{"a":1},"table":"cashwrap"}`; err != nil || string(got) != want {
		t.Errorf("got %s and error %v, want %s", got, err, want)
	}
	if _, err := r.Invoke(t.Context(), "provision", json.RawMessage(`"bad"`)); !errors.Is(err, errFailed) {
		t.Errorf("got error %v, want %v", err, errFailed)
	}
	if _, err := r.Invoke(t.Context(), "unknown", nil); err == nil {
		t.Error("an unknown function: got no error, want one")
	}
}

// slow returns a function with one page. A request for the page sends to the channel reached, and then waits for the
// channel answer.
func slow(reached chan<- struct{}, answer <-chan struct{}) functions.Function {
	return functions.Function{Name: "pages", Timeout: time.Minute, HTTP: func(*app.App) []rest.Route {
		return []rest.Route{{Method: "GET", Path: "/slow", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.JSON(200, func(context.Context, struct{}) (map[string]string, error) {
				reached <- struct{}{}
				<-answer
				return map[string]string{"done": "yes"}, nil
			})}}
	}}
}

func TestStop_RunningRequest(t *testing.T) {
	t.Parallel()
	reached, answer := make(chan struct{}), make(chan struct{})
	c := newConfig(t)
	c.Addr, c.Functions = fmt.Sprintf("127.0.0.1:%d", enginetest.FreePort(t)), []functions.Function{slow(reached, answer)}
	delete(c.Environment, "BASE_URL")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Environment()["BASE_URL"]; got != r.URL {
		t.Errorf("got BASE_URL %q, want %q", got, r.URL)
	}
	replies := make(chan string, 1)
	go func() {
		res, err := http.Get(r.URL + "/slow")
		if err != nil {
			replies <- err.Error()
			return
		}
		res.Body.Close()
		replies <- res.Status
	}()
	<-reached
	cancel()
	close(answer)
	if got := <-replies; got != "200 OK" {
		t.Errorf("got reply %q, want 200 OK", got)
	}
	if err := r.Wait(); err != nil {
		t.Errorf("got error %v, want none", err)
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(r.URL, "http://")); err == nil {
		conn.Close()
		t.Errorf("%s: got a connection, want its port closed", r.URL)
	}
}

func TestHandler_UnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	c := newConfig(t)
	c.Functions = []functions.Function{slow(nil, nil)}
	r := startRunner(t, c)
	for target, want := range map[string]int{"POST /slow": 405, "GET /nothing": 404, "GET /slow/": 404} {
		method, path, _ := strings.Cut(target, " ")
		reply := httptest.NewRecorder()
		r.Handler().ServeHTTP(reply, httptest.NewRequest(method, path, nil))
		var hybrid struct {
			Type, Detail, Instance string
			Status                 int
		}
		if err := json.Unmarshal(reply.Body.Bytes(), &hybrid); err != nil || reply.Code != want ||
			hybrid.Status != want || hybrid.Type == "" || hybrid.Detail == "" || hybrid.Instance == "" {
			t.Errorf("%s: got %d %s and error %v, want a problem of status %d", target, reply.Code, reply.Body, err, want)
		}
	}
}

func TestStart_Refusals(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := newConfig(t)
	for name, change := range map[string]func(*Config){
		"an idle function":   func(c *Config) { c.Functions, c.Manual = []functions.Function{{Name: "idle"}}, false },
		"a port in use":      func(c *Config) { c.Addr = taken.Addr().String() },
		"no secret":          func(c *Config) { c.Environment = map[string]string{} },
		"an unlisted queue":  func(c *Config) { c.Functions = newWorker().functions() },
		"two stream readers": func(c *Config) { c.Functions = append(reader(nil, never), reader(nil, never)...) },
	} {
		refused := c
		refused.Functions = []functions.Function{}
		change(&refused)
		r, err := Start(t.Context(), refused)
		if err == nil {
			r.Stop()
			t.Errorf("%s: got no error, want one", name)
		}
		if name == "a port in use" && !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s: got error %v, want %v", name, err, syscall.EADDRINUSE)
		}
		if strings.Contains(fmt.Sprint(err), "tests!") {
			t.Errorf("%s: got error %v, want no secret in it", name, err)
		}
	}
}

// TestReadTimeout_SlowBody checks that the limit covers the whole request, even if its bytes arrive steadily.
func TestReadTimeout_SlowBody(t *testing.T) {
	t.Parallel()
	c := newConfig(t)
	c.Addr, c.ReadTimeout = "127.0.0.1:0", 50*time.Millisecond
	r := startRunner(t, c)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err = conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil { // in case the server never answers
		t.Fatal(err)
	}
	if _, err = io.WriteString(conn, "POST /v0.1/checkouts HTTP/1.1\r\nHost: api.test\r\nContent-Length: "+
		"1000000\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	go func() { // faster than any limit per byte, since a thousand bytes a second would take a quarter of an hour
		pace := time.NewTicker(time.Millisecond)
		defer pace.Stop()
		for range pace.C {
			if _, failed := io.WriteString(conn, " "); failed != nil {
				return
			}
		}
	}()
	reader := bufio.NewReader(conn)
	res, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusRequestTimeout || string(body) != `{"message":"Request Timeout"}` ||
		!res.Close {
		t.Errorf("got status %d, body %s, close %t, error %v; want 408 and the end of the connection", res.StatusCode, body,
			res.Close, err)
	}
	if _, err = reader.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got error %v, want the connection closed", err)
	}
	prompt, err := http.Get(r.URL + "/healthz")
	if err != nil || prompt.StatusCode != http.StatusOK {
		t.Fatalf("a prompt request: got %v and error %v, want status 200", prompt, err)
	}
	prompt.Body.Close()
}
