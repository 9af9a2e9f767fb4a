package app_test

import (
	"encoding/base64"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
)

var complete = map[string]string{
	"TABLE": "cashwrap", "AWS_REGION": "eu-central-1", "BASE_URL": "https://api.example.com/",
	"PLATFORM_SECRET":       base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s", 32))),
	"PLATFORM_SECRET_SINCE": "2026-11-01T00:00:00Z",
}

func TestAWholeEnvironmentIsRead(t *testing.T) {
	t.Parallel()
	c, err := app.FromEnvironment(func(name string) string { return complete[name] })
	if err != nil {
		t.Fatal(err)
	}
	if c.BaseURL != "https://api.example.com" || c.Table != "cashwrap" || len(c.Secret) != 32 {
		t.Errorf("read %s, %s, %d bytes", c.BaseURL, c.Table, len(c.Secret))
	}
	if c.AllowHTTP || c.AllowLoopbackCallbacks || c.PayPal {
		t.Error("something is allowed that nobody switched on")
	}
}

// read is complete with changes.
func read(changes map[string]string) (app.Config, error) {
	environment := maps.Clone(complete)
	maps.Copy(environment, changes)
	return app.FromEnvironment(func(name string) string { return environment[name] })
}

func secretOf(letter string) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
}

func TestEachBadVariableIsNamedAndNoValueTold(t *testing.T) {
	t.Parallel()
	short := base64.StdEncoding.EncodeToString([]byte("tooshort"))
	for _, c := range []struct{ name, bad string }{
		{"TABLE", ""}, {"REFUND_RULES", "BR:90 everywhere"}, {"AWS_REGION", ""}, {"BASE_URL", ""}, {"PLATFORM_SECRET", ""},
		{"PLATFORM_SECRET", short},
		{"PLATFORM_SECRET", "not base64, and long enough otherwise"}, {"PLATFORM_SECRET_SINCE", "yesterday"},
		{"LASTING_SECRET", short}, {"PLATFORM_SECRET_PREVIOUS", short}, {"PLATFORM_SECRET_PREVIOUS_SINCE", ""},
		{"PLATFORM_SECRET_PREVIOUS_SINCE", "2026-11-01T00:00:00Z"}, // no earlier than its successor's
	} {
		_, err := read(map[string]string{"PLATFORM_SECRET_PREVIOUS": secretOf("p"),
			"PLATFORM_SECRET_PREVIOUS_SINCE": "2026-10-01T00:00:00Z",
			"LASTING_SECRET":                 secretOf("l"), c.name: c.bad})
		if err == nil || !strings.Contains(err.Error(), c.name) || (c.bad != "" && strings.Contains(err.Error(), c.bad)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestASecretIsNotRotatedThatMerchantsHoldOnTo(t *testing.T) {
	t.Parallel()
	rotated := map[string]string{"PLATFORM_SECRET_PREVIOUS": secretOf("p"),
		"PLATFORM_SECRET_PREVIOUS_SINCE": "2026-10-01T00:00:00Z"}
	if _, err := read(rotated); err == nil || !strings.Contains(err.Error(), "LASTING_SECRET") {
		t.Errorf("without a lasting secret: %v", err)
	}
	rotated["LASTING_SECRET"] = secretOf("l")
	c, err := read(rotated)
	if err != nil || string(c.PreviousSecret) != strings.Repeat("p", 32) ||
		string(c.LastingSecret) != strings.Repeat("l", 32) ||
		!c.PreviousSince.Equal(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("with one: %v", err)
	}
}

// TestEndpoints: ours win over the SDKs' own, of which one service's wins over all services'.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	const every, table, queue = "http://every.test", "http://table.test", "http://queue.test"
	for _, c := range []struct {
		given                map[string]string
		wantTable, wantQueue string
	}{
		{nil, "", ""},
		{map[string]string{"AWS_ENDPOINT_URL": every}, every, every},
		{map[string]string{"AWS_ENDPOINT_URL": every, "AWS_ENDPOINT_URL_DYNAMODB": table}, table, every},
		{map[string]string{"AWS_ENDPOINT_URL": every, "AWS_ENDPOINT_URL_SQS": queue}, every, queue},
		{map[string]string{"AWS_ENDPOINT_URL_DYNAMODB": every, "AWS_ENDPOINT_URL_SQS": every,
			"DYNAMODB_ENDPOINT": table, "SQS_ENDPOINT": queue}, table, queue},
	} {
		got, err := read(c.given)
		if err != nil || got.DynamoDBEndpoint != c.wantTable || got.SQSEndpoint != c.wantQueue {
			t.Errorf("%v: %q and %q, %v", c.given, got.DynamoDBEndpoint, got.SQSEndpoint, err)
		}
	}
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	c, err := read(map[string]string{"ALLOW_HTTP": "on", "ALLOW_LOOPBACK_CALLBACKS": "ON", "PAYPAL": "true"})
	if err != nil || !c.AllowHTTP || !c.AllowLoopbackCallbacks || c.PayPal {
		t.Errorf("read %+v, %v", c, err)
	}
}

// TestOnlyADeploymentsMetricsAreRead: a function run as a process on this
// machine has a Lambda's environment too.
func TestOnlyADeploymentsMetricsAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given map[string]string
		want  bool
	}{
		{nil, false}, {map[string]string{"STAGE": "dev"}, false},
		{map[string]string{"AWS_LAMBDA_FUNCTION_NAME": "sweep"}, false},
		{map[string]string{"STAGE": "dev", "AWS_LAMBDA_FUNCTION_NAME": "cashwrap-dev-sweep"}, true},
	} {
		got, err := read(c.given)
		if a := app.New(got, app.Overrides{}); err != nil || got.Deployed != c.want ||
			(a.Metrics.Out == os.Stdout) != c.want || a.Metrics.Stage != c.given["STAGE"] {
			t.Errorf("%v: %t, %+v, %v", c.given, got.Deployed, a.Metrics, err)
		}
	}
}

func TestRefundRulesAreTheOperators(t *testing.T) {
	t.Parallel()
	c, err := read(map[string]string{"REFUND_RULES": "BR:90 HUF::100"})
	if err != nil || len(c.Refunds) != 2 || c.Refunds[0].Country != "BR" || c.Refunds[1].Minimum.String() != "100" {
		t.Errorf("read %+v, %v", c.Refunds, err)
	}
	if c, err := read(nil); err != nil || len(c.Refunds) != 0 {
		t.Errorf("unset: %+v, %v", c.Refunds, err)
	}
}
