package functions_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/localstack/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/runner"
)

// runtimeAPI is Lambda's side of a custom runtime (AWS: "Using the Lambda
// runtime API"): it hands out one event, and takes its answer.
type runtimeAPI struct {
	event   []byte
	handed  bool
	answers chan []byte
}

func (a *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/invocation/next") && !a.handed:
		a.handed = true
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", "9999999999999")
		_, _ = w.Write(a.event)
	case strings.HasSuffix(r.URL.Path, "/invocation/next"):
		<-r.Context().Done() // nothing more comes
	default:
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		a.answers <- body
	}
}

// TestABootstrapServesAnEvent: the program a deployment ships, as a process
// of its own, takes an API Gateway event from the Runtime API and answers it.
func TestABootstrapServesAnEvent(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "bootstrap")
	goTool(t, "build", "-tags", "lambda.norpc", "-o", program, module+"functions/pages/bootstrap")
	event, err := json.Marshal(events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY /healthz", RawPath: "/healthz", Headers: map[string]string{"x-forwarded-proto": "https"},
		RequestContext: events.APIGatewayV2HTTPRequestContext{HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
			Method: http.MethodGet, Path: "/healthz", SourceIP: "192.0.2.1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	api := &runtimeAPI{event: event, answers: make(chan []byte, 1)}
	lambda := httptest.NewServer(api)
	ctx, kill := context.WithCancel(t.Context())
	process := exec.CommandContext(ctx, program)
	process.Env = []string{
		"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(lambda.URL, "http://"), "AWS_REGION=" + runner.Region, "TABLE=cashwrap",
		"AWS_ACCESS_KEY_ID=" + enginetest.AccessKey(t), "AWS_SECRET_ACCESS_KEY=none", "DYNAMODB_ENDPOINT=" + enginetest.Table(t),
		"BASE_URL=https://api.example.com", "PLATFORM_SECRET=" + base64.StdEncoding.EncodeToString([]byte(rand.Text()+rand.Text())),
		"PLATFORM_SECRET_SINCE=2026-11-01T00:00:00Z",
	}
	var log strings.Builder
	process.Stderr = &log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	select {
	case answer := <-api.answers:
		kill()
		<-ended
		lambda.CloseClientConnections()
		var response events.APIGatewayV2HTTPResponse
		if err := json.Unmarshal(answer, &response); err != nil || response.StatusCode != 200 || response.Body != `{"status":"ok"}` {
			t.Errorf("answer %s, %v\n%s", answer, err, log.String())
		}
	case err := <-ended:
		t.Errorf("the program ended: %v\n%s", err, log.String())
		kill()
	}
	lambda.Close()
}
