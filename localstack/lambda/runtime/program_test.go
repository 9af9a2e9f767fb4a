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

// roleVariable makes this test binary play a function's bootstrap, or a process that dies beside its functions.
const roleVariable = "CASHWRAP_TEST_RUNTIME_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "bootstrap":
		fmt.Fprintln(os.Stderr, "begun")
		lambda.Start(obey)
	case "broken":
		fmt.Fprintln(os.Stderr, "no configuration")
		os.Exit(1)
	case "owner":
		_, err := New(program(slog.New(slog.DiscardHandler))).Invoke(context.Background(), "1",
			order("hang", os.Getenv("HANG_AT")))
		fmt.Fprintln(os.Stderr, err) // it was to die before
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// deed is what an event asks the program for.
type deed struct{ Do, With string }

// seen is what the program sees of its world.
type seen struct {
	PID         int
	Environment []string
	Folder      string
	RequestID   string
	ARN         string
	Left        time.Duration
}

func obey(ctx context.Context, d deed) (any, error) {
	switch d.Do {
	case "look":
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
	case "hang": // until the connection ends with this process
		conn, err := net.Dial("tcp", d.With)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, conn)
	}
	return "done", nil
}

func order(do, with string) []byte {
	event, err := json.Marshal(deed{do, with})
	if err != nil {
		panic(err)
	}
	return event
}

func program(log *slog.Logger) Config {
	return Config{Name: "obedient", Program: os.Args[0], ARN: "arn:aws:lambda:eu-central-1:000000000000:function:obedient",
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

// start makes a function of the test binary; change may be nil.
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

func look(t *testing.T, f *Function) seen {
	t.Helper()
	reply, err := f.Invoke(t.Context(), "request-1", order("look", ""))
	var s seen
	if err != nil || json.Unmarshal(reply, &s) != nil {
		t.Fatalf("reply %s, error %v", reply, err)
	}
	return s
}

// hanging is a place where programs hang: connections come out of it, and their end is the program's.
func hanging(t *testing.T) (at string, accept func() (ended func())) {
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

// starts is how many instances have been started.
func starts(f *Function) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started
}

// warm is the idle instance that a call would take; nil without one.
func warm(f *Function) *Instance {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.idle) == 0 {
		return nil
	}
	return f.idle[len(f.idle)-1]
}
