package rules_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runtime"
	"github.com/cashwrap/cashwrap/shared/app"
)

// makeDeployedConfig returns a function's real program with its environment in a deployment. Of the variables for a
// developer's machine, only the engines' addresses are set.
func makeDeployedConfig(tb testing.TB, folder, name string) runtime.Config {
	tb.Helper()
	environment := map[string]string{
		"AWS_REGION": runner.Region, "TABLE": "cashwrap", "BASE_URL": "https://api.example.com",
		"AWS_ACCESS_KEY_ID": enginetest.AccessKey(tb), "AWS_SECRET_ACCESS_KEY": "none",
		"DYNAMODB_ENDPOINT": enginetest.Table(tb), "SQS_ENDPOINT": enginetest.Queues(tb),
		"PLATFORM_SECRET":       base64.StdEncoding.EncodeToString([]byte(rand.Text() + rand.Text())),
		"PLATFORM_SECRET_SINCE": "2026-11-01T00:00:00Z",
	}
	for _, q := range functions.Queues {
		environment[q.Variable] = enginetest.Queues(tb) + "/" + q.Name
	}
	c, err := runner.Programs{Folder: folder, Environment: environment}.Of(tb.Context(), findFunction(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// TestBootstrap_SecretsOfAccess checks that each program names exactly the secrets that access.json gives to its
// function, and that the programs that ask live mode's acquirer link it, and no others. Without one of its secrets a
// program does not start.
func TestBootstrap_SecretsOfAccess(t *testing.T) {
	t.Parallel()
	variables := map[string]app.Secret{"PlatformSecret": app.PlatformSecret, "LastingSecret": app.LastingSecret,
		"AcquirerSecret": app.AcquirerSecret}
	for _, f := range functions.All {
		program, err := os.ReadFile("../../" + f.Name + "/bootstrap/main.go")
		if err != nil {
			t.Fatal(err)
		}
		var got []app.Secret
		for _, name := range regexp.MustCompile(`app\.(\w+Secret)\b`).FindAllSubmatch(program, -1) {
			got = append(got, variables[string(name[1])])
		}
		want := slices.Clone(f.Access().Secrets)
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: got secrets %q in its program, want %q as in access.json", f.Name, got, want)
		}
		asks := slices.Contains(want, app.AcquirerSecret)
		if links := bytes.Contains(program, []byte("/linkstripe\"")); links != asks {
			t.Errorf("%s: got a program that links Stripe: %t, want %t", f.Name, links, asks)
		}
	}
}

// TestBootstrap_ServesEvent checks that the deployed program, in a separate process, answers an API Gateway event
// from the Runtime API. The demo (localstack) calls all programs.
func TestBootstrap_ServesEvent(t *testing.T) {
	t.Parallel()
	folder, err := runtime.Build(t.Context(), "public")
	if err != nil {
		t.Fatal(err)
	}
	event, err := os.ReadFile(eventFile("public"))
	if err != nil {
		t.Fatal(err)
	}
	f := runtime.New(makeDeployedConfig(t, folder, "public"))
	defer f.Stop()
	reply, err := f.Invoke(t.Context(), "1", event)
	var response events.APIGatewayV2HTTPResponse
	if err != nil || json.Unmarshal(reply, &response) != nil || response.StatusCode != 200 ||
		!strings.Contains(response.Body, `"whpk_`) {
		t.Errorf(`got answer %s, error %v; want 200 and "whpk_ in its body`, reply, err)
	}
}

// TestFunctions_HavePrograms checks that each function has a program in its folder, and each program a function.
func TestFunctions_HavePrograms(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Glob("../../*/bootstrap/main.go")
	if err != nil || len(programs) == 0 {
		t.Fatalf("got programs %q, error %v; want at least one", programs, err)
	}
	listed := map[string]bool{}
	for _, f := range functions.All {
		program := filepath.Join("../..", f.Name, "bootstrap", "main.go")
		if listed[program] {
			t.Errorf("got %s twice in the list, want it once", f.Name)
		}
		listed[program] = true
		if _, err := os.Stat(program); err != nil {
			t.Errorf("%s: got error %v, want its program", f.Name, err)
		}
	}
	for _, program := range programs {
		if !listed[program] {
			t.Errorf("got program %s, want only those of functions of the list", program)
		}
	}
}

// TestFunctions_OneCaller checks that each function has one kind of caller, and a timeout. Operators may also invoke a
// scheduled function, and the function files also reads a queue.
func TestFunctions_OneCaller(t *testing.T) {
	t.Parallel()
	queues := map[string]int{}
	for _, f := range functions.All {
		callers := 0
		for _, set := range []bool{f.HTTP != nil, f.Queue != nil, f.Stream != nil, f.Tick != nil &&
			f.Tick.Handle != nil, f.Invoke != nil} {
			if set {
				callers++
			}
		}
		if f.Name == "files" && f.HTTP != nil && f.Queue != nil {
			callers--
		}
		if callers != 1 || f.Timeout <= 0 {
			t.Errorf("%s: got %d callers and timeout %s, want 1 and more than 0s", f.Name, callers, f.Timeout)
		}
		if f.Queue == nil {
			continue
		}
		queues[f.Queue.From.Name]++
		if f.Queue.From.Visibility < 6*f.Timeout { // AWS recommends this for Lambda on SQS
			t.Errorf("%s: got messages seen again after %s, want %s or later, six times its timeout", f.Name,
				f.Queue.From.Visibility, 6*f.Timeout)
		}
	}
	for _, q := range functions.Queues {
		if queues[q.Name] != 1 {
			t.Errorf("queue %s: got %d functions that read it, want 1", q.Name, queues[q.Name])
		}
		delete(queues, q.Name)
	}
	if len(queues) > 0 {
		t.Errorf("got queues %v that are read and not listed, want none", slices.Collect(maps.Keys(queues)))
	}
}
