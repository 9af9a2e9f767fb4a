package functions_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"os"
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

// deployed is a function as a deployment has it: its real program, and an environment without anything that only a
// developer's machine may set but where the engines are.
func deployed(tb testing.TB, folder, name string) runtime.Config {
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
	c, err := runner.Programs{Folder: folder, Environment: environment}.Of(tb.Context(), named(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// TestAProgramNamesTheSecretsItUses, those of access.json: without one of them it does not start.
func TestAProgramNamesTheSecretsItUses(t *testing.T) {
	t.Parallel()
	variables := map[string]app.Secret{"PlatformSecret": app.PlatformSecret, "LastingSecret": app.LastingSecret}
	for _, f := range functions.All {
		program, err := os.ReadFile(f.Name + "/bootstrap/main.go")
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
	}
}

// TestABootstrapServesAnEvent: the program a deployment ships, as a process of its own, takes an API Gateway event from
// the Runtime API and answers it. The demo calls all of them (localstack).
func TestABootstrapServesAnEvent(t *testing.T) {
	t.Parallel()
	folder, err := runtime.Build(t.Context(), "public")
	if err != nil {
		t.Fatal(err)
	}
	event, err := os.ReadFile(eventFile("public"))
	if err != nil {
		t.Fatal(err)
	}
	f := runtime.New(deployed(t, folder, "public"))
	defer f.Stop()
	reply, err := f.Invoke(t.Context(), "1", event)
	var response events.APIGatewayV2HTTPResponse
	if err != nil || json.Unmarshal(reply, &response) != nil || response.StatusCode != 200 ||
		!strings.Contains(response.Body, `"whpk_`) {
		t.Errorf(`got answer %s, error %v; want 200 and "whpk_ in its body`, reply, err)
	}
}
