package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// roleVariable makes this test binary run as a function's bootstrap, as a bootstrap that fails, or as the owner of a
// function. The owner is killed while the function runs.
const roleVariable = "CASHWRAP_TEST_RUNTIME_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "bootstrap":
		fmt.Fprintln(os.Stderr, "begun")
		lambda.Start(perform)
	case "broken":
		fmt.Fprintln(os.Stderr, "no configuration")
		os.Exit(1)
	case "owner":
		_, err := New(program(slog.New(slog.DiscardHandler))).Invoke(context.Background(), "1",
			event("hang", os.Getenv("HANG_AT")))
		fmt.Fprintln(os.Stderr, err) // it should have been killed by now
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// task is an event of the test program.
type task struct{ Do, With string }

// seen is the program's report about its call and process.
type seen struct {
	PID         int
	Environment []string
	Folder      string
	RequestID   string
	ARN         string
	Left        time.Duration
}

func perform(ctx context.Context, d task) (any, error) {
	switch d.Do {
	case "inspect":
		deadline, _ := ctx.Deadline()
		call, _ := lambdacontext.FromContext(ctx)
		folder, err := os.Getwd()
		return seen{os.Getpid(), os.Environ(), folder, call.AwsRequestID, call.InvokedFunctionArn, time.Until(deadline)}, err
	case "fail":
		return nil, errors.New(d.With)
	case "panic":
		panic(d.With)
	case "exit":
		os.Exit(3)
	case "print":
		fmt.Print(d.With)
	case "be long":
		return strings.Repeat("x", maxReply), nil
	case "hang": // until the process, and so the connection, ends
		conn, err := net.Dial("tcp", d.With)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, conn)
	}
	return "done", nil
}

func event(do, with string) []byte {
	text, err := json.Marshal(task{do, with})
	if err != nil {
		panic(err)
	}
	return text
}

func program(log *slog.Logger) Config {
	return Config{Name: "example", Program: os.Args[0], ARN: "arn:aws:lambda:eu-central-1:000000000000:function:example",
		Environment: map[string]string{"AWS_REGION": "eu-central-1", roleVariable: "bootstrap"},
		Timeout:     time.Minute, Log: log}
}

// lines is a log that keeps its lines.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start returns a function of this test binary. change may be nil.
func start(t *testing.T, change func(*Config)) (*Function, *lines) {
	t.Helper()
	log := &lines{}
	c := program(slog.New(slog.NewTextHandler(log, nil)))
	if change != nil {
		change(&c)
	}
	f := New(c)
	t.Cleanup(f.Stop)
	return f, log
}

func inspect(t *testing.T, f *Function) seen {
	t.Helper()
	reply, err := f.Invoke(t.Context(), "request-1", event("inspect", ""))
	var s seen
	if err != nil || json.Unmarshal(reply, &s) != nil {
		t.Fatalf("got reply %s and error %v, want what the function has seen", reply, err)
	}
	return s
}

// listenForHangs returns an address for hanging programs. accept returns when a program has connected, and ended
// returns when that program has died.
func listenForHangs(t *testing.T) (at string, accept func() (ended func())) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener.Addr().String(), func() func() {
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return func() { _, _ = io.Copy(io.Discard, conn); conn.Close() }
	}
}

// startCount returns the number of started instances.
func startCount(f *Function) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started
}

// idleInstance returns the idle instance that the next call would take, or nil.
func idleInstance(f *Function) *Instance {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.idle) == 0 {
		return nil
	}
	return f.idle[len(f.idle)-1]
}
