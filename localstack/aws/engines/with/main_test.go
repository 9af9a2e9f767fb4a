package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

// roleVariable makes this test binary run as the program, or as the command that the program starts.
const roleVariable = "CASHWRAP_TEST_WITH_ROLE"

const commandCode = 7

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "with":
		if err := os.Setenv(roleVariable, "command"); err != nil {
			panic(err)
		}
		main()
	case "command":
		os.Exit(runCommand())
	}
	os.Exit(m.Run())
}

// runCommand prints the endpoints in its environment, waits for SIGTERM and returns a special exit code.
func runCommand() int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	for _, name := range []string{"CASHWRAP_DYNAMODB_LOCAL", "CASHWRAP_FAUXQS"} {
		fmt.Println(os.Getenv(name))
	}
	<-signals
	return commandCode
}

func newProgram(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"=with")
	return cmd
}

func TestRun_EnginesSignalsAndExitCode(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	cmd := newProgram("--", os.Args[0])
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next := func() string {
		if !lines.Scan() {
			t.Fatalf("got the end of the output (error %v), want another line", lines.Err())
		}
		return lines.Text()
	}
	dynamodb, fauxqs := next(), next()
	for _, url := range []string{dynamodb, fauxqs} {
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != commandCode {
		t.Errorf("got exit code %d, want the command's %d", got, commandCode)
	}
	for _, url := range []string{dynamodb, fauxqs} {
		if res, err := http.Get(url); err == nil {
			res.Body.Close()
			t.Errorf("%s: got an answer, want none", url)
		}
	}
}

func TestRun_UsageAndUnknownCommand(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	for code, args := range map[int][]string{
		exitUsage:    {"--"},
		exitNotFound: {"--", "no-such-command-of-cashwrap"},
	} {
		cmd := newProgram(args...)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != code || !strings.Contains(string(out), "with") {
			t.Errorf("with %v: got error %v and %q, want exit code %d and with in the output", args, err, out, code)
		}
	}
}

func TestRun_WithoutNode(t *testing.T) {
	t.Parallel()
	cmd := newProgram("--", os.Args[0])
	cmd.Env = append(cmd.Env, "PATH="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "nodejs.org") {
		t.Errorf("got error %v and %q, want exit code 1 and where to get Node", err, out)
	}
}
