package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/trigger"
)

// commandOutput contains the output lines of a command that runs until the test stops it or the platform ends.
type commandOutput struct {
	lines chan string   // closed at the end of the output
	ended chan struct{} // closed after err is set
	err   *error
	stop  func() error
}

// startCommand starts a command that uses the folder, and waits for its first line.
func startCommand(t *testing.T, place platform.Folder, args ...string) commandOutput {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	s := commandOutput{lines: make(chan string, 100), ended: make(chan struct{}), err: new(error)}
	go func() {
		defer close(s.ended)
		*s.err = runCommand(ctx, place, writer, args...)
		_ = writer.Close() // never fails
	}()
	go func() {
		defer close(s.lines)
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			s.lines <- lines.Text()
		}
	}()
	s.stop = func() error { cancel(); <-s.ended; return *s.err }
	s.nextLine(t)
	return s
}

// nextLine returns the command's next line.
func (s commandOutput) nextLine(t *testing.T) string {
	t.Helper()
	select {
	case line, ok := <-s.lines:
		if ok {
			return line
		}
		<-s.ended
		t.Fatalf("got the end, error %v, want a line", *s.err)
	case <-time.After(30 * time.Second):
		t.Fatal("got nothing, want a line")
	}
	return ""
}

// runCommand runs a command that uses the folder.
func runCommand(ctx context.Context, place platform.Folder, out io.Writer, args ...string) error {
	root := newRootCommand(place, out) //nolint:contextcheck // cobra passes the context to the commands
	root.SetArgs(args)
	root.SetOut(out)
	return root.ExecuteContext(ctx)
}

// TestTrigger_EachEvent checks that each event happens, and that a listening command shows its callbacks.
func TestTrigger_EachEvent(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	l := startPlatform(t, place, platform.Config{Engine: platform.InMemory})
	listening := startCommand(t, place, "listen", "--events", "CHECKOUT_STATUS_CHANGED")
	callback := regexp.MustCompile(`^\d\d:\d\d:\d\d  CHECKOUT_STATUS_CHANGED (\S+) -> ` + l.env["BASE_URL"] +
		`/sandbox/callbacks \[204\]  v1 ✓ v1a ✓  (msg_\S+)$`)
	id := ""
	// The payout moves the clock, and the move would end a waiting challenge. So the payout comes first.
	for _, wanted := range []struct {
		event     string
		callbacks int
		said      string
	}{
		{"payout", 1, "EUR PAID"}, {"checkout.paid", 1, "PUT /v0.1/checkouts/"}, {"checkout.failed", 1, "200"},
		{"checkout.expired", 1, "DELETE"}, {"boleto.paid", 1, "operator: pay_voucher"}, {"refund", 1, "/refunds 201"},
		{"chargeback", 2, "operator: charge_back"}, {"reader.paid", 0, "/checkout 201"},
		{"checkout.3ds_pending", 0, "202"},
	} {
		var out bytes.Buffer
		if err := runCommand(t.Context(), place, &out, "trigger", wanted.event); err != nil ||
			!strings.Contains(out.String(), wanted.said) || !strings.HasSuffix(out.String(), "/sandbox\n") {
			t.Errorf("%s: got %s and error %v, want %q in it", wanted.event, &out, err, wanted.said)
		}
		for range wanted.callbacks {
			line := listening.nextLine(t)
			found := callback.FindStringSubmatch(line)
			if found == nil || !strings.Contains(out.String(), "/v0.1/checkouts/"+found[1]) {
				t.Fatalf("%s: got %q, want a delivered callback of its checkout, in %s", wanted.event, line, &out)
			}
			id = found[2]
		}
	}
	if got := trigger.Names(); len(got) != 9 {
		t.Errorf("got events %v, want nine", got)
	}
	checkResend(t, place, id, listening)
	if err := listening.stop(); err != nil {
		t.Errorf("listen: got error %v, want none", err)
	}
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
}

// checkResend checks that a callback can be sent again by its id.
func checkResend(t *testing.T, place platform.Folder, id string, listening commandOutput) {
	t.Helper()
	var out bytes.Buffer
	if err := runCommand(t.Context(), place, &out, "events", "resend", id); err != nil ||
		!strings.Contains(out.String(), id) {
		t.Errorf("resend: got %s and error %v, want that it is sent again", &out, err)
	}
	if line := listening.nextLine(t); !strings.HasSuffix(line, id) {
		t.Errorf("resend: got %q, want %s again", line, id)
	}
	if err := runCommand(t.Context(), place, &out, "events", "resend", "msg_none"); err == nil ||
		err.Error() != "There is no such callback." {
		t.Errorf("resend: got error %v, want that there is none", err)
	}
}

// TestTrigger_Overrides checks that overrides change the request that creates a checkout.
func TestTrigger_Overrides(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	l := startPlatform(t, place, platform.Config{Engine: platform.InMemory})
	var out bytes.Buffer
	if err := runCommand(t.Context(), place, &out, "trigger", "checkout.paid", "--override", "amount:12.50",
		"--override", "checkout_reference:mine", "--override", "hosted_checkout.enabled:true"); err != nil {
		t.Fatalf("got %s and error %v, want none", &out, err)
	}
	got, err := client.Client{BaseURL: l.env["BASE_URL"]}.Do(t.Context(), client.Request{Method: http.MethodGet,
		Path: "/v0.1/checkouts?checkout_reference=mine", APIKey: l.env["API_KEY"]})
	if err != nil || !strings.Contains(string(got.Body), `"amount":12.50`) ||
		!strings.Contains(string(got.Body), `"hosted_checkout":{"enabled":true}`) {
		t.Errorf("got %s and error %v, want the overrides in it", got.Body, err)
	}
	for want, args := range map[string][]string{
		`"amount" is no override`: {"checkout.paid", "--override", "amount"}, "is no event": {"checkout.lost"},
		"must be":      {"checkout.paid", "--override", "currency:XXX"},
		"not PAID":     {"checkout.paid", "--override", "amount:42.01"},
		"which event?": {},
	} {
		if err := runCommand(t.Context(), place, io.Discard, append([]string{"trigger"}, args...)...); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: got error %v, want %q in it", args, err, want)
		}
	}
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
}

// TestLogsTail_Filters checks the filters by status, method and path.
func TestLogsTail_Filters(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	l := startPlatform(t, place, platform.Config{Engine: platform.InMemory})
	tail := startCommand(t, place, "logs", "tail", "--filter-status-code", "4xx,200", "--filter-http-method", "get",
		"--filter-request-path", "healthz")
	errors4xx := startCommand(t, place, "logs", "tail", "--filter-status-code", "4XX")
	for _, request := range []client.Request{{Method: "GET", Path: "/readyz"}, {Method: "HEAD", Path: "/healthz"},
		{Method: "GET", Path: "/nowhere?a=%1b]52;c;x%07%0d"}, {Method: "GET", Path: "/healthz"}} {
		if _, err := (client.Client{BaseURL: l.env["BASE_URL"]}).Do(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	if line := tail.nextLine(t); !strings.Contains(line, "  200 GET /healthz  ") {
		t.Errorf("got %q, want the request to /healthz", line)
	}
	if line := errors4xx.nextLine(t); !strings.Contains(line, "  404 GET /nowhere?a=\ufffd]52;c;x\ufffd\ufffd  ") {
		t.Errorf("got %q, want the request to /nowhere, without what moves the cursor", line)
	}
	for _, one := range []commandOutput{tail, errors4xx} {
		if err := one.stop(); err != nil {
			t.Errorf("got error %v, want none", err)
		}
	}
	if err := runCommand(t.Context(), place, io.Discard, "logs", "tail", "--filter-status-code", "4x"); err == nil {
		t.Error("4x: got no error, want one")
	}
	if err := runCommand(t.Context(), place, io.Discard, "listen", "--events", "checkout.paid"); err == nil ||
		!strings.Contains(err.Error(), "is no type of event") {
		t.Errorf("got error %v, want that it is no type of event", err)
	}
	// A running command ends when the platform ends.
	left := startCommand(t, place, "logs", "tail")
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
	if line := left.nextLine(t); line != "The platform has stopped." {
		t.Errorf("got %q, want that the platform has stopped", line)
	}
	if <-left.ended; *left.err != nil {
		t.Errorf("got error %v, want none", *left.err)
	}
}

// TestCommands_NoPlatform checks the error of commands that need a running platform when none runs.
func TestCommands_NoPlatform(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	for _, args := range [][]string{{"listen"}, {"logs", "tail"}, {"trigger", "refund"}, {"events", "resend", "msg_1"},
		{"clock", "advance", "7d"}} {
		if err := runCommand(t.Context(), place, io.Discard, args...); !errors.Is(err, platform.ErrNotRunning) {
			t.Errorf("%v: got error %v, want %v", args, err, platform.ErrNotRunning)
		}
	}
}

// TestCommands_Documented checks that developers find the commands: in `make help` with an example, and in the guide.
// README's first screen must name the platform's pages.
func TestCommands_Documented(t *testing.T) {
	t.Parallel()
	text := func(file string) string {
		t.Helper()
		read, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		return string(read)
	}
	help, err := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", "..", "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	guide := text("functions/docs/guides/local-platform.md")
	var with []string // commands with an example
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			look(below)
		}
		if c.Example == "" {
			return
		}
		with = append(with, c.CommandPath())
		if !strings.Contains(string(help), c.Example+"\n") || !strings.Contains(guide, "\n"+c.CommandPath()) {
			t.Errorf("%s: got make help\n%s\nwant %q in it, and the command in the guide", c.CommandPath(), help, c.Example)
		}
	}
	look(newRootCommand(newFolder(t), io.Discard))
	slices.Sort(with)
	if want := []string{"cashwrap clock advance", "cashwrap events resend", "cashwrap listen", "cashwrap logs tail",
		"cashwrap trigger"}; !slices.Equal(with, want) {
		t.Errorf("got examples of %q, want of %q", with, want)
	}
	const firstScreen = 30 // lines
	first := strings.Join(strings.SplitN(text("README.md"), "\n", firstScreen+1)[:firstScreen], "\n")
	for _, page := range []string{"http://127.0.0.1:8080/docs", "http://127.0.0.1:8080/sandbox"} {
		if !strings.Contains(first, "<"+page+">") {
			t.Errorf("README.md: got %s, want %s among its first lines", first, page)
		}
	}
}

// TestFindFolder checks how the folder is found: in the repository, or else in the working directory or a folder above
// it. Otherwise the folder is a new one in the working directory. A folder of other programs, like ~/.local, does not
// count and must not change.
func TestFindFolder(t *testing.T) {
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deep, keys := filepath.Join(outside, "app", "src"), filepath.Join(outside, ".local", "share", "keyrings")
	if err = errors.Join(os.MkdirAll(deep, 0o700), os.MkdirAll(keys, 0o700)); err != nil {
		t.Fatal(err)
	}
	wants := func(when, want string) {
		t.Helper()
		if got, folderErr := findFolder(); folderErr != nil || string(got) != want {
			t.Errorf("%s: got %s and error %v, want %s", when, got, folderErr, want)
		}
	}
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	wants("in the repository", filepath.Join(here, ".local"))
	t.Chdir(deep)
	wants("below that of other programs", filepath.Join(deep, ".local"))
	t.Chdir(outside)
	for _, args := range [][]string{{"reset"}, {"run"}} {
		t.Setenv("PORT", "9")
		if err = execute(t.Context(), args, io.Discard); err == nil || !strings.Contains(err.Error(), "other programs") {
			t.Errorf("%v: got error %v, want that other programs have files there", args, err)
		}
	}
	if _, err = os.Stat(keys); err != nil {
		t.Errorf("got %v, want what other programs keep", err)
	}
	t.Chdir(deep)
	if err = execute(t.Context(), []string{"clock"}, io.Discard); !errors.Is(err, platform.ErrNotRunning) {
		t.Errorf("clock: got error %v, want %v", err, platform.ErrNotRunning)
	}
	if _, err = os.Stat(filepath.Join(deep, ".local")); err == nil {
		t.Error("got a folder made by a command that only looks, want none")
	}
	above := filepath.Join(outside, "app", ".local")
	if err = errors.Join(os.Mkdir(above, 0o700), os.WriteFile(filepath.Join(above, "format"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	wants("above", above)
}
