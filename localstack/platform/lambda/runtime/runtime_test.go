package runtime

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	f, _ := start(t, nil)
	s := inspect(t, f)
	for _, want := range []string{"AWS_LAMBDA_FUNCTION_NAME=example", "AWS_REGION=eu-central-1",
		"AWS_DEFAULT_REGION=eu-central-1",
		"_HANDLER=bootstrap", "TZ=:UTC", "LAMBDA_TASK_ROOT=" + filepath.Dir(os.Args[0])} {
		if !slices.Contains(s.Environment, want) {
			t.Errorf("got environment %q, want %s in it", s.Environment, want)
		}
	}
	for _, ours := range []string{"HOME=", "GOCACHE=", "USER="} {
		if slices.ContainsFunc(s.Environment, func(v string) bool { return strings.HasPrefix(v, ours) }) {
			t.Errorf("got environment %q, want our %s not in it", s.Environment, ours)
		}
	}
	if s.RequestID != "request-1" || s.ARN != program(nil).ARN || s.Left <= 0 || s.Left > time.Minute {
		t.Errorf("got call %+v, want request-1 of %s with up to a minute left", s, program(nil).ARN)
	}
	if here, err := filepath.EvalSymlinks(filepath.Dir(os.Args[0])); err != nil || s.Folder != here {
		t.Errorf("got folder %s, want %s (error %v)", s.Folder, here, err)
	}
}

func TestInvoke_WarmInstance(t *testing.T) {
	t.Parallel()
	f, _ := start(t, nil)
	first := inspect(t, f).PID
	for range 3 {
		if again := inspect(t, f).PID; again != first {
			t.Errorf("got process %d, want %d again", again, first)
		}
	}
	at, accept := listenForHangs(t)
	ctx, cancel := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	busy.Go(func() { _, _ = f.Invoke(ctx, "2", event("hang", at)) })
	ended := accept()
	if second := inspect(t, f).PID; second == first {
		t.Errorf("got the busy process %d for a second event, want another", second)
	}
	cancel()
	ended()
	busy.Wait()
}

func TestInvoke_BeyondLastInstance(t *testing.T) {
	t.Parallel()
	f, _ := start(t, func(c *Config) { c.Instances = 2 })
	at, accept := listenForHangs(t)
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() { _, _ = f.Invoke(ctx, "1", event("hang", at)) })
	}
	first, second := accept(), accept()
	impatient, cancelThird := context.WithCancel(t.Context())
	cancelThird()
	if _, err := f.Invoke(impatient, "3", event("inspect", "")); !errors.Is(err, context.Canceled) || startCount(f) != 2 {
		t.Errorf("got error %v with %d instances started, want %v and 2", err, startCount(f), context.Canceled)
	}
	cancel()
	first()
	second()
	calls.Wait()
	inspect(t, f)
}

func TestFunction_IdleInstance(t *testing.T) {
	t.Parallel()
	f, _ := start(t, func(c *Config) { c.Idle = time.Millisecond })
	i, err := f.take(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.call(t.Context(), "1", event("inspect", "")); err != nil {
		t.Fatal(err)
	}
	f.put(i)
	<-i.ended
	inspect(t, f)
}

func TestInvoke_Errors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		payload  []byte
		want     Error
		survives bool
		logged   string
		change   func(*Config)
	}{
		"an error of the function's": {payload: event("fail", "failed"), survives: true,
			want: Error{"errorString", "failed"}},
		"a panic": {payload: event("panic", "at the disco"), want: Error{"string", "at the disco"},
			logged: "at the disco"},
		"an end": {payload: event("exit", ""),
			want: Error{ExitError, "RequestId: 1 Error: Runtime exited with error: exit status 3"}},
		"an end at the start": {change: func(c *Config) {
			c.Environment[roleVariable] = "broken"
		}, logged: "no configuration",
			want: Error{ExitError, "RequestId: 1 Error: Runtime exited with error: exit status 1"}},
		"an event of another type": {payload: []byte(`[]`), survives: true,
			want: Error{"UnmarshalTypeError", "json: cannot unmarshal array into Go value of type runtime.task"}},
		"a reply that is too long": {payload: event("be long", ""),
			want: Error{"Function.ResponseSizeTooLarge", "Response payload size exceeded maximum allowed payload size " +
				"(6291556 bytes)."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, log := start(t, c.change)
			_, err := f.Invoke(t.Context(), "1", c.payload)
			var got *Error
			if !errors.As(err, &got) || *got != c.want {
				t.Errorf("got error %v, want %v", err, c.want)
			}
			if c.change == nil {
				inspect(t, f)
			}
			if fresh := startCount(f) > 1; fresh == c.survives && c.change == nil {
				t.Errorf("got %d processes; want the first to survive: %t", startCount(f), c.survives)
			}
			f.Stop()
			if !strings.Contains(log.String(), c.logged) {
				t.Errorf("got log\n%s\nwant %q in it", log, c.logged)
			}
		})
	}
}

func TestInvoke_Timeout(t *testing.T) {
	t.Parallel()
	f, _ := start(t, func(c *Config) { c.Timeout = 20 * time.Millisecond })
	at, _ := listenForHangs(t)
	_, err := f.Invoke(t.Context(), "1", event("hang", at))
	var got *Error
	if want := (Error{TimedOut, "RequestId: 1 Error: Task timed out after 0.02 seconds"}); !errors.As(err, &got) ||
		*got != want {
		t.Errorf("got error %v, want %v", err, want)
	}
	if idleInstance(f) != nil {
		t.Error("got a process that is kept, want none")
	}
}

func TestStop_RunningCalls(t *testing.T) {
	t.Parallel()
	f, _ := start(t, nil)
	at, accept := listenForHangs(t)
	failed := make(chan error)
	go func() {
		_, err := f.Invoke(t.Context(), "1", event("hang", at))
		failed <- err
	}()
	ended := accept()
	f.Stop()
	ended()
	var got *Error
	if err := <-failed; !errors.As(err, &got) || got.Type != ExitError ||
		!strings.Contains(got.Message, "signal: killed") {
		t.Errorf("got error %v, want an exit by a signal", err)
	}
	if _, err := f.Invoke(t.Context(), "2", event("inspect", "")); !errors.Is(err, errStopped) {
		t.Errorf("after the stop: got error %v, want %v", err, errStopped)
	}
}

func TestInvoke_DeadIdleProcess(t *testing.T) {
	t.Parallel()
	f, _ := start(t, nil)
	pid := inspect(t, f).PID
	idleInstance(f).Stop()
	if again := inspect(t, f).PID; again == pid {
		t.Errorf("got an answer of the dead process %d, want one of another", again)
	}
}

// TestSetVariable checks that no process keeps the old value.
func TestSetVariable(t *testing.T) {
	t.Parallel()
	f, _ := start(t, nil)
	busy, err := f.take(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	inspect(t, f)
	idle := idleInstance(f)
	f.SetVariable("CHANGED", "yes")
	<-idle.ended
	if s := inspect(t, f); !slices.Contains(s.Environment, "CHANGED=yes") {
		t.Errorf("got environment %q, want CHANGED=yes in it", s.Environment)
	}
	if busy.hasEnded() {
		t.Error("the busy instance has ended, want it to end after its call")
	}
	f.put(busy)
	<-busy.ended
}

func TestStart_ParentKilled(t *testing.T) {
	t.Parallel()
	at, accept := listenForHangs(t)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), roleVariable+"=owner", "HANG_AT="+at)
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	ended := accept()
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // killed
	ended()
}

func TestOutput(t *testing.T) {
	t.Parallel()
	f, log := start(t, nil)
	printed := `{"time":"2026-11-21T10:00:00.5Z","level":"WARN","msg":"slow",` +
		`"status":201,"duration_ms":12.5,"route":"/a b","at":{"x":1}}` +
		"\nplain words\n{\"_aws\":{}}\nwithout an end"
	if _, err := f.Invoke(t.Context(), "1", event("print", printed)); err != nil {
		t.Fatal(err)
	}
	f.Stop()
	for _, want := range []string{
		`time=2026-11-21T10:00:00.500Z level=WARN msg=slow process=example#1 status=201 duration_ms=12.5 route="/a b" ` +
			`at="{\"x\":1}"`,
		`level=INFO msg="plain words" process=example#1`, `msg="{\"_aws\":{}}" process=example#1`,
		`msg="without an end" process=example#1`, `msg=begun process=example#1`,
	} {
		if !strings.Contains(log.String(), want+"\n") {
			t.Errorf("got log\n%s\nwant %s in it", log, want)
		}
	}
}

func TestStart_Init(t *testing.T) {
	t.Parallel()
	i, err := Start(t.Context(), program(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	defer i.Stop()
	if i.Init <= 0 || i.Init > initLimit {
		t.Errorf("got a start of %v, want at most %v", i.Init, initLimit)
	}
	if _, err := Start(t.Context(), Config{Name: "absent", Program: filepath.Join(t.TempDir(), bootstrap)}); err == nil {
		t.Error("a program that is not there: got no error, want one")
	}
}
