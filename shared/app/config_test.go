package app_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

var complete = map[string]string{
	"TABLE": "cashwrap", "AWS_REGION": "eu-central-1", "BASE_URL": "https://api.example.com/",
	"PLATFORM_SECRET":       base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s", 32))),
	"PLATFORM_SECRET_SINCE": "2026-11-01T00:00:00Z",
}

func TestFromEnvironment_Complete(t *testing.T) {
	t.Parallel()
	least := app.Config{Table: "cashwrap", Region: "eu-central-1", BaseURL: "https://api.example.com",
		DueShards: 64,
		Secret:    bytes.Repeat([]byte("s"), 32), LastingSecret: bytes.Repeat([]byte("s"), 32),
		SecretSince: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		Commit:      app.UnknownCommit}
	all := least
	all.DynamoDBEndpoint, all.SQSEndpoint = "http://table.test", "http://queue.test"
	all.CallbackQueue, all.PayoutQueue, all.PollQueue = "https://sqs.test/c", "https://sqs.test/o", "https://sqs.test/p"
	all.PayoutShardQueue, all.FileQueue, all.ProofQueue = "https://sqs.test/s", "https://sqs.test/f", "https://sqs.test/w"
	all.S3Endpoint, all.FileBucket = "http://s3.test", "cashwrap-dev-files"
	all.ReadableLog, all.AllowHTTP, all.AllowLoopbackCallbacks, all.SignatureHeader = true, true, true, "X-Shop-Signature"
	all.Refunds = payments.RefundRules{{Country: "BR", Days: 90},
		{Currency: "HUF", Minimum: money.MustParse("100", "HUF")}}
	all.AcquirerHosts = payments.AcquirerHosts{Patterns: []string{"pay.example", "*.acquirer.example"}, Loopback: true}
	all.LiveAcquirer, all.AcquirerSecret = "stripe", app.AcquirerKeys{Key: "k", NoticeSecrets: []string{"n", "m"}}
	all.OTLPEndpoint = "https://otlp.test"
	all.Proxies = rest.Proxies{Hops: 2,
		SecretHashes: [][]byte{bytes.Repeat([]byte{0xa1}, 32), bytes.Repeat([]byte{0xb2}, 32)}}
	all.Stage, all.Commit, all.Deployed, all.DueShards = "dev", "0123456789ab", true, 256
	all.PreviousSecret, all.LastingSecret = bytes.Repeat([]byte("p"), 32), bytes.Repeat([]byte("l"), 32)
	all.PreviousSince = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	moved := least
	moved.ClockOffset = 168 * time.Hour
	for name, c := range map[string]struct {
		given map[string]string
		want  app.Config
	}{
		"only what is required": {nil, least},
		"everything": {map[string]string{
			"DYNAMODB_ENDPOINT": "http://table.test", "SQS_ENDPOINT": "http://queue.test",
			"CALLBACK_QUEUE_URL": "https://sqs.test/c", "PAYOUT_QUEUE_URL": "https://sqs.test/o",
			"PAYOUT_SHARD_QUEUE_URL": "https://sqs.test/s", "FILE_QUEUE_URL": "https://sqs.test/f",
			"PROOF_QUEUE_URL": "https://sqs.test/w",
			"S3_ENDPOINT":     "http://s3.test", "FILE_BUCKET": "cashwrap-dev-files",
			"POLL_QUEUE_URL": "https://sqs.test/p", "LOG": "text", "REFUND_RULES": "BR:90 HUF::100",
			"ACQUIRER_HOSTS": "pay.example *.acquirer.example", "LIVE_ACQUIRER": "stripe",
			"ACQUIRER_SECRET":           `{"key":"k","notices":["n","m"]}`,
			"CALLBACK_SIGNATURE_HEADER": "X-Shop-Signature",
			"PROXY_HOPS":                "2", "PROXY_SECRET_HASHES": strings.Repeat("a1", 32) + " " + strings.Repeat("B2", 32),
			"OTEL_EXPORTER_OTLP_ENDPOINT": "https://otlp.test/",
			"STAGE":                       "dev", "COMMIT": "0123456789ab", "AWS_LAMBDA_FUNCTION_NAME": "cashwrap-dev-sweep",
			"DUE_SHARDS":               "256",
			"PLATFORM_SECRET_PREVIOUS": secretOf("p"), "PLATFORM_SECRET_PREVIOUS_SINCE": "2026-10-01T00:00:00Z",
			"LASTING_SECRET": secretOf("l"), "ALLOW_HTTP": "on", "ALLOW_LOOPBACK_CALLBACKS": "ON"}, all},
		"a moved clock":       {map[string]string{"CLOCK_OFFSET": "168h"}, moved},
		"only on switches on": {map[string]string{"ALLOW_HTTP": "1", "LOG": "json"}, least},
	} {
		got, err := readEnvironment(c.given)
		if diff := cmp.Diff(c.want, got, cmp.Comparer(sameAmount)); err != nil || diff != "" {
			t.Errorf("%s: got error %v, want none (-want +got):\n%s", name, err, diff)
		}
	}
}

func sameAmount(a, b money.Amount) bool { return a == b }

// readEnvironment returns the configuration of the complete environment with changes.
func readEnvironment(changes map[string]string) (app.Config, error) {
	environment := maps.Clone(complete)
	maps.Copy(environment, changes)
	return app.FromEnvironment(func(name string) string { return environment[name] }, app.Secrets...)
}

func secretOf(letter string) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
}

func TestFromEnvironment_BadVariable(t *testing.T) {
	t.Parallel()
	short := base64.StdEncoding.EncodeToString([]byte("tooshort"))
	for _, c := range []struct{ name, bad string }{
		{"TABLE", ""}, {"PROXY_HOPS", "11"}, {"PROXY_HOPS", "-1"}, {"PROXY_SECRET_HASHES", strings.Repeat("a1", 32)},
		{"ACQUIRER_HOSTS", "*.com"}, {"ACQUIRER_HOSTS", "https://pay.example"}, {"REFUND_RULES", "BR:90 everywhere"},
		{"CALLBACK_SIGNATURE_HEADER", "webhook-signature"},
		{"CALLBACK_SIGNATURE_HEADER", "X-Shop: y"},
		{"DUE_SHARDS", "many"}, {"DUE_SHARDS", "257"}, {"DUE_SHARDS", "-1"},
		{"AWS_REGION", ""}, {"BASE_URL", ""}, {"PLATFORM_SECRET", ""},
		{"PLATFORM_SECRET", short},
		{"PLATFORM_SECRET", "not base64, and long enough otherwise"}, {"PLATFORM_SECRET_SINCE", "yesterday"},
		{"CLOCK_OFFSET", "7d"}, {"CLOCK_OFFSET", "-1h"},
		{"ACQUIRER_SECRET", ""}, {"ACQUIRER_SECRET", "sk_live_1"}, {"ACQUIRER_SECRET", `{"notices":["n"]}`},
		{"ACQUIRER_SECRET", `{"key":"k","notices":[""]}`}, {"ACQUIRER_SECRET", `{"key":"k","notices":["n","m","o"]}`},
		{"LASTING_SECRET", short}, {"PLATFORM_SECRET_PREVIOUS", short}, {"PLATFORM_SECRET_PREVIOUS_SINCE", ""},
		{"PLATFORM_SECRET_PREVIOUS_SINCE", "2026-11-01T00:00:00Z"}, // must be earlier than PLATFORM_SECRET_SINCE
	} {
		_, err := readEnvironment(map[string]string{"PLATFORM_SECRET_PREVIOUS": secretOf("p"),
			"PLATFORM_SECRET_PREVIOUS_SINCE": "2026-10-01T00:00:00Z",
			"LASTING_SECRET":                 secretOf("l"), "LIVE_ACQUIRER": "stripe",
			"ACQUIRER_SECRET": `{"key":"k"}`, c.name: c.bad})
		if err == nil || !strings.Contains(err.Error(), c.name) || (c.bad != "" && strings.Contains(err.Error(), c.bad)) {
			t.Errorf("%s: got error %v, want one with the name, without the value %q", c.name, err, c.bad)
		}
	}
}

// TestFromEnvironment_UsedSecrets checks that a function does not start without the secrets that it uses, and reads no
// other secrets.
func TestFromEnvironment_UsedSecrets(t *testing.T) {
	t.Parallel()
	whole := maps.Clone(complete)
	maps.Copy(whole, map[string]string{"LASTING_SECRET": secretOf("l"), "PLATFORM_SECRET_PREVIOUS": secretOf("p"),
		"PLATFORM_SECRET_PREVIOUS_SINCE": "2026-10-01T00:00:00Z",
		"LIVE_ACQUIRER":                  "stripe", "ACQUIRER_SECRET": `{"key":"k","notices":["n"]}`})
	for name, uses := range map[string][]app.Secret{"none": nil, "the platform's": {app.PlatformSecret},
		"the lasting one": {app.LastingSecret}, "the acquirer's": {app.AcquirerSecret}, "all": app.Secrets} {
		got, err := app.FromEnvironment(func(name string) string { return whole[name] }, uses...)
		if err != nil {
			t.Errorf("%s: got error %v, want none", name, err)
		}
		if diff := cmp.Diff(got.Only(uses...), got); diff != "" {
			t.Errorf("%s: got more than those (-want +got):\n%s", name, diff)
		}
		platform, lasting := slices.Contains(uses, app.PlatformSecret), slices.Contains(uses, app.LastingSecret)
		if len(got.Secret) > 0 != platform || len(got.PreviousSecret) > 0 != platform ||
			len(got.LastingSecret) > 0 != lasting ||
			got.AcquirerSecret.Key != "" != slices.Contains(uses, app.AcquirerSecret) {
			t.Errorf("%s: got %+v, want only these secrets", name, got)
		}
		for _, missing := range uses {
			_, err := app.FromEnvironment(func(name string) string {
				if name == string(missing) {
					return ""
				}
				return whole[name]
			}, uses...)
			if err == nil || !strings.Contains(err.Error(), string(missing)+" is not set") {
				t.Errorf("%s: got error %v without %s, want one that names it", name, err, missing)
			}
		}
	}
}

func TestFromEnvironment_RotationWithoutLastingSecret(t *testing.T) {
	t.Parallel()
	rotated := map[string]string{"PLATFORM_SECRET_PREVIOUS": secretOf("p"),
		"PLATFORM_SECRET_PREVIOUS_SINCE": "2026-10-01T00:00:00Z"}
	if _, err := readEnvironment(rotated); err == nil || !strings.Contains(err.Error(), "LASTING_SECRET") {
		t.Errorf("without a lasting secret: got error %v, want one of LASTING_SECRET", err)
	}
	rotated["LASTING_SECRET"] = secretOf("l")
	if _, err := readEnvironment(rotated); err != nil {
		t.Errorf("with one: got error %v, want none", err)
	}
}

// TestFromEnvironment_Endpoints checks that our variables take precedence over the SDKs' variables, and a service's
// variable over the general variable.
func TestFromEnvironment_Endpoints(t *testing.T) {
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
		got, err := readEnvironment(c.given)
		if err != nil || got.DynamoDBEndpoint != c.wantTable || got.SQSEndpoint != c.wantQueue {
			t.Errorf("%v: got %q and %q (%v), want %q and %q", c.given, got.DynamoDBEndpoint, got.SQSEndpoint, err,
				c.wantTable, c.wantQueue)
		}
	}
}

// TestFromEnvironment_Deployed checks that metrics need a stage. A Lambda's environment alone does not suffice, because
// a function that runs as a process on a developer's machine has it too.
func TestFromEnvironment_Deployed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given map[string]string
		want  bool
	}{
		{nil, false}, {map[string]string{"STAGE": "dev"}, false},
		{map[string]string{"AWS_LAMBDA_FUNCTION_NAME": "sweep"}, false},
		{map[string]string{"STAGE": "dev", "AWS_LAMBDA_FUNCTION_NAME": "cashwrap-dev-sweep"}, true},
	} {
		got, err := readEnvironment(c.given)
		if a := app.New(got, app.Overrides{}); err != nil || got.Deployed != c.want ||
			(a.Metrics.Out == os.Stdout) != c.want || a.Metrics.Stage != c.given["STAGE"] {
			t.Errorf("%v: got deployed %t, metrics %+v (%v), want deployed and metrics on stdout %t, stage %q", c.given,
				got.Deployed, a.Metrics, err, c.want, c.given["STAGE"])
		}
	}
}

func TestNew_CheapPasswordCost(t *testing.T) {
	t.Parallel()
	for deployed, want := range map[bool]bool{true: true, false: false} {
		panicked := func() (panicked bool) {
			defer func() { panicked = recover() != nil }()
			app.New(app.Config{Deployed: deployed}, app.Overrides{PasswordCost: member.CheapCost})
			return false
		}()
		if panicked != want {
			t.Errorf("deployed %t: got a panic %t, want %t", deployed, panicked, want)
		}
	}
}

// TestFromEnvironment_LocalDeployed checks that a deployed function refuses the variables of a developer's machine that
// would harm it.
func TestFromEnvironment_LocalDeployed(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"CLOCK_OFFSET": "168h", "ACQUIRER_URL": "http://127.0.0.1:1"} {
		_, err := readEnvironment(map[string]string{name: value, "STAGE": "dev",
			"AWS_LAMBDA_FUNCTION_NAME": "cashwrap-dev-sweep"})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got error %v, want one of %s", err, name)
		}
	}
}

// TestNew_ClockOffset checks that signatures use the real time in spite of the offset. AWS refuses calls that are
// signed with another time.
func TestNew_ClockOffset(t *testing.T) {
	t.Parallel()
	config, err := readEnvironment(map[string]string{"CLOCK_OFFSET": "168h", "DYNAMODB_ENDPOINT": "http://table.test"})
	if err != nil {
		t.Fatal(err)
	}
	signed := ""
	a := app.New(config, app.Overrides{MaxAttempts: 1,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "key", SecretAccessKey: "none"}, nil
		}),
		HTTP: &http.Client{Transport: faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
			signed = r.Header.Get("X-Amz-Date")
			return nil, errors.New("nobody answers")
		})}})
	if _, err = a.Store.Merchant(t.Context(), "MC1"); err == nil {
		t.Error("got no error, want one")
	}
	at, err := time.Parse("20060102T150405Z", signed)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		got  time.Time
		want time.Duration
	}{"platform's time": {a.Now(), 168 * time.Hour}, "wall clock": {a.WallNow(), 0}, "call to AWS": {at, 0}} {
		if gap := time.Until(c.got) - c.want; gap.Abs() > time.Minute || c.got.Location() != time.UTC {
			t.Errorf("%s: got %v, want %v from now, in UTC", what, c.got, c.want)
		}
	}
}
