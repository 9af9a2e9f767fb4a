package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/repository"
	"github.com/cashwrap/cashwrap/shared/app"
)

// local is a platform that runs in this process like `make run`.
type local struct {
	env   map[string]string
	said  string        // output until the platform was ready
	later *bytes.Buffer // later output; read it after the stop
	log   *bytes.Buffer
	stop  func() error
}

// startPlatform runs the platform with the settings, on a free port.
func startPlatform(t *testing.T, place platform.Folder, c platform.Config) local {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var log bytes.Buffer
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, place, c, writer, &log)
		writer.CloseWithError(err)
		ended <- err
	}()
	said := readUntil(t, reader, "curl -s -w '\\n' http")
	var later bytes.Buffer
	read := make(chan struct{})
	go func() { defer close(read); _, _ = io.Copy(&later, reader) }()
	stop := func() error {
		cancel()
		<-read
		return <-ended
	}
	env, err := place.ReadEnv()
	if err != nil {
		t.Fatal(err)
	}
	return local{env, said, &later, &log, stop}
}

func newFolder(t *testing.T) platform.Folder {
	t.Helper()
	return platform.Folder(filepath.Join(t.TempDir(), ".local"))
}

func readUntil(t *testing.T, r io.Reader, start string) string {
	t.Helper()
	var said strings.Builder
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), start) {
			return said.String()
		}
	}
	t.Fatalf("got the end (error %v) after\n%s\nwant a line that begins with %q", lines.Err(), &said, start)
	return ""
}

// TestRun_DemoAndRestart checks each line of the demo, restarts the platform, and uses it again.
func TestRun_DemoAndRestart(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{platform.InMemory, platform.DynamoDBLocal} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			if engine == platform.InMemory || enginetest.All(t) {
				playAndRestart(t, engine)
			}
		})
	}
}

// checkPayouts checks that the demo's payments are paid out at the end of their day, to the account of a new merchant.
// The command's hint names that time. After the platform's clock has moved there, the next hint must be later.
func checkPayouts(t *testing.T, place platform.Folder) {
	t.Helper()
	hinted := readHint(t, place)
	var paid bytes.Buffer
	if err := runPayouts(t.Context(), place, hinted, &paid); err != nil || !strings.Contains(paid.String(), "  PAID  ") {
		t.Errorf("got %s and error %v, want PAID in it", &paid, err)
	}
	if now, err := place.Time(); err != nil || now.Now.Format(time.RFC3339) < hinted {
		t.Errorf("afterwards: got time %s and error %v, want no earlier than %s", now, err, hinted)
	}
	var none bytes.Buffer
	if err := runPayouts(t.Context(), place, "", &none); err != nil ||
		!strings.Contains(none.String(), "pay a checkout first") {
		t.Errorf("got %s and error %v, want that a checkout must be paid first", &none, err)
	}
	if err := runDemo(t.Context(), place, io.Discard); err != nil {
		t.Fatal(err)
	}
	if again := readHint(t, place); again <= hinted { // RFC 3339 in UTC
		t.Errorf("got the hint %s, want one after %s", again, hinted)
	} else if err := runPayouts(t.Context(), place, again, &paid); err != nil ||
		strings.Count(paid.String(), "  PAID  ") != 4 { // two merchants each time
		t.Errorf("got %s and error %v, want PAID in it four times", &paid, err)
	}
	if err := runPayouts(t.Context(), place, "tomorrow", io.Discard); err == nil ||
		!strings.Contains(err.Error(), "at must be a date-time, such as") {
		t.Errorf("got error %v, want one that at must be a date-time", err)
	}
}

// readHint returns the time of the next payout from the command's hint. The command prints the hint while no payout is
// due.
func readHint(t *testing.T, place platform.Folder) string {
	t.Helper()
	var said bytes.Buffer
	if err := runPayouts(t.Context(), place, "", &said); err != nil ||
		!strings.Contains(said.String(), "No payout is due") {
		t.Fatalf("got %s and error %v, want that no payout is due", &said, err)
	}
	_, hint, found := strings.Cut(said.String(), "make payouts AT=")
	hint = strings.TrimSpace(hint)
	if _, err := time.Parse(time.RFC3339, hint); !found || err != nil {
		t.Fatalf("got %s and error %v, want a hint with a time", &said, err)
	}
	return hint
}

// checkCommit checks that the greeting and the API show the running commit.
func checkCommit(t *testing.T, l local) {
	t.Helper()
	response, err := client.Client{BaseURL: l.env["BASE_URL"]}.Do(t.Context(),
		client.Request{Method: http.MethodGet, Path: "/healthz"})
	if err != nil {
		t.Fatal(err)
	}
	var health struct{ Commit string }
	if err := response.Into(&health); err != nil || health.Commit == "" ||
		!strings.Contains(l.said, "Commit     "+health.Commit+"\n") {
		t.Errorf("healthz: got commit %q and error %v, want that of the greeting %s", health.Commit, err, l.said)
	}
	if want := cmp.Or(repository.Commit(), app.UnknownCommit); health.Commit != want {
		t.Errorf("healthz: got commit %q, want %q", health.Commit, want)
	}
}

func playAndRestart(t *testing.T, engine string) {
	place := newFolder(t)
	first := startPlatform(t, place, platform.Config{Engine: engine})
	for _, name := range []string{"BASE_URL", "MERCHANT_CODE", "API_KEY"} {
		if first.env[name] == "" || !strings.Contains(first.said, first.env[name]) {
			t.Errorf("got greeting %s, want %s=%q in it", first.said, name, first.env[name])
		}
	}
	checkCommit(t, first)
	if first.env["MERCHANT_CODE"] == first.env["BRL_MERCHANT_CODE"] || first.env["BRL_API_KEY"] == "" {
		t.Errorf("got environment %v, want two merchants", first.env)
	}
	for _, file := range []string{"env", "functions.json"} {
		if info, err := os.Stat(filepath.Join(string(place), file)); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got %v and error %v, want nothing for others", file, info, err)
		}
	}
	var output bytes.Buffer
	if err := runDemo(t.Context(), place, &output); err != nil {
		t.Fatalf("demo: got error %v, want none, after\n%s", err, &output)
	}
	var answer bytes.Buffer
	err := provision(t.Context(), place, []byte(`{"command":"show_callback","id":"msg_none"}`), &answer)
	if !errors.Is(err, errRefused) || !strings.Contains(answer.String(), "NOT_FOUND") {
		t.Errorf("got answer %s and error %v, want NOT_FOUND and %v", &answer, err, errRefused)
	}
	if err := provision(t.Context(), place, nil, io.Discard); !errors.Is(err, errNoCommand) {
		t.Errorf("no command: got error %v, want %v", err, errNoCommand)
	}
	checkPayouts(t, place)
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	checkNoSecrets(t, place, first, output.String())
	if err := runDemo(t.Context(), place, io.Discard); !errors.Is(err, platform.ErrNotRunning) {
		t.Errorf("a demo without a platform: got error %v, want %v", err, platform.ErrNotRunning)
	}

	again := startPlatform(t, place, platform.Config{Engine: engine})
	maps.DeleteFunc(again.env, func(name, _ string) bool { return name == "BASE_URL" })
	maps.DeleteFunc(first.env, func(name, _ string) bool { return name == "BASE_URL" })
	if !maps.Equal(first.env, again.env) {
		t.Errorf("after a restart: got environment %v, want %v", again.env, first.env)
	}
	if err := again.stop(); err != nil {
		t.Errorf("stop: got error %v, want none", err)
	}
}

// checkNoSecrets checks that the log and the output contain no secrets. Only the owner's files and one line of the
// greeting may contain them.
func checkNoSecrets(t *testing.T, place platform.Folder, l local, output string) {
	t.Helper()
	secret, err := os.ReadFile(filepath.Join(string(place), "secret"))
	if err != nil {
		t.Fatal(err)
	}
	if want := " method=POST route=/v0.1/checkouts status=201 "; !strings.Contains(l.log.String(), want) {
		t.Errorf("got log\n%s\nwant %q in it", l.log, want)
	}
	for _, bad := range []string{"4200000000000091", "4200000000000042", l.env["API_KEY"], l.env["BRL_API_KEY"],
		l.env["OAUTH_CLIENT_SECRET"], l.env["OAUTH_PASSWORD"], l.env["TEST_PROFILE_PASSWORD"], l.env["OPERATOR_PASSWORD"],
		strings.TrimSpace(string(secret))} {
		if strings.Contains(l.log.String(), bad) || strings.Contains(output, bad) {
			t.Errorf("got %s in the log or the output, want it in neither", bad)
		}
	}
}
