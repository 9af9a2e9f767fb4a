package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/demo"
)

func TestMeasure(t *testing.T) {
	t.Parallel()
	noise := make([]byte, maxZip/2) // not compressible
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), program)
	if err := os.WriteFile(file, append(noise, make([]byte, 4_000_000)...), 0o600); err != nil {
		t.Fatal(err)
	}
	binary, zipped, err := measure(file)
	if err != nil || binary != maxZip/2+4_000_000 || zipped < maxZip/2 || zipped > maxZip/2+20_000 {
		t.Errorf("got a binary of %d, a zip of %d and error %v, want %d and %d to 20,000 more", binary, zipped, err,
			maxZip/2+4_000_000, maxZip/2)
	}
}

func TestCheckSize_Limits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		binary, zipped int64
		ok             bool
	}{{maxBinary, maxZip, true}, {maxBinary + 1, maxZip, false}, {maxBinary, maxZip + 1, false}} {
		if err := checkSize("public", c.binary, c.zipped); (err == nil) != c.ok {
			t.Errorf("%+v: got error %v, want one: %t", c, err, !c.ok)
		}
	}
	built := t.TempDir()
	for _, f := range functions.All[1:] {
		if err := os.MkdirAll(filepath.Join(built, f.Name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(built, f.Name, program), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := checkSizes(built, io.Discard); err == nil || !strings.Contains(err.Error(), functions.All[0].Name) {
		t.Errorf("a function that is not built: got error %v, want %s in it", err, functions.All[0].Name)
	}
}

func TestTemplate_FindTable(t *testing.T) {
	t.Parallel()
	const whole = `{"TableName":"t","TimeToLiveSpecification":{"AttributeName":"expires_at","Enabled":true},` +
		`"Replicas":[{"PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":35}}]}`
	for name, c := range map[string]struct {
		properties string
		ok         bool
	}{
		"as it must be":     {whole, true},
		"another table":     {strings.Replace(whole, `"t"`, `"u"`, 1), false},
		"another attribute": {strings.Replace(whole, "expires_at", "ttl", 1), false},
		"TTL off":           {strings.Replace(whole, `"Enabled":true`, `"Enabled":false`, 1), false},
		"no recovery":       {strings.Replace(whole, `RecoveryEnabled":true`, `RecoveryEnabled":false`, 1), false},
		"no replica": {`{"TableName":"t","TimeToLiveSpecification":{"AttributeName":"expires_at","Enabled":true}}`,
			false},
		"no period": {strings.Replace(whole, `35`, `0`, 1), false},
	} {
		stack := template{Resources: map[string]*resource{"Table": {tableKind, json.RawMessage(c.properties)},
			"Other": {"AWS::SQS::Queue", nil}}}
		if _, err := stack.findTable("t"); (err == nil) != c.ok {
			t.Errorf("%s: got error %v, want one: %t", name, err, !c.ok)
		}
	}
}

func TestDropUnsafe(t *testing.T) {
	t.Parallel()
	got := dropUnsafe([]string{"PATH=/bin", "AWS_PROFILE=prod", "AWS_ENDPOINT_URL_LAMBDA=x", "CDK_DEFAULT_ACCOUNT=1",
		"https_proxy=p", "HOME=/h"})
	if want := []string{"PATH=/bin", "HOME=/h"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGateway_RoundTrip(t *testing.T) {
	t.Parallel()
	emulator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host+r.URL.Path+" "+r.Header.Get("X-Forwarded-Proto"))
	}))
	t.Cleanup(emulator.Close)
	at, err := url.Parse(emulator.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: gateway{"api.test:1", at.Host}}
	for target, want := range map[string]string{
		"https://api.test:1/healthz": "api.test:1/healthz https",
		emulator.URL + "/callback":   at.Host + "/callback ", // another host, such as the shop's
	} {
		response, err := client.Get(target)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if response.Body.Close(); err != nil || string(body) != want {
			t.Errorf("%s: got %q and error %v, want %q", target, body, err, want)
		}
	}
}

// newCloudAnswering returns a cloud that gives every request the same answer.
func newCloudAnswering(t *testing.T, status int, header, body string) *cloud {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "/"+region+"/") {
			t.Errorf("got authorization %q, want the region %s in it", r.Header.Get("Authorization"), region)
		}
		if header != "" {
			w.Header().Set("X-Amz-Function-Error", header)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return newCloud(server.URL)
}

func TestCloud_InvokeRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status             int
		header, body, want string
	}{
		{200, "", `{"error":{"code":"NOT_FOUND"}}`, "NOT_FOUND"},
		{200, "Unhandled", `{"errorMessage":"it broke"}`, "it broke"},
		{404, "", `{"message":"no such function"}`, "no such function"},
		{200, "", `sk_test_1`, "invalid character"},
	} {
		err := newCloudAnswering(t, c.status, c.header, c.body).invoke(t.Context(), "provision", object{}, &object{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "sk_test_1") {
			t.Errorf("%s: got error %v, want %q in it and no key", c.body, err, c.want)
		}
	}
	var answer object
	if err := newCloudAnswering(t, 200, "", `{"merchant_code":"MC1"}`).invoke(t.Context(), "provision", object{},
		&answer); err != nil || answer["merchant_code"] != "MC1" {
		t.Errorf("got %v and error %v, want MC1", answer, err)
	}
}

func TestCheckLogs_Error(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"events":[{"message":"START"},{"message":"{\"level\":\"INFO\"}"}]}`: "",
		`{"events":[{"message":"{\"level\":\"ERROR\",\"msg\":\"lost\"}"}]}`:   "lost",
		`{"events":[{"message":"panic: oh"}]}`:                                "oh",
	} {
		d := deployment{check: &check{out: io.Discard}, cloud: newCloudAnswering(t, 200, "", body)}
		err := d.checkLogs(t.Context(), demo.Config{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q (empty: none)", body, err, want)
		}
	}
}

// TestNewCmd_EndsChildren checks that the end of a program also ends the program's children. It reads a pipe that ends
// only when the last process that could write to the pipe has ended.
func TestNewCmd_EndsChildren(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := newCmd(ctx, "", os.Environ(), writer, "sh", "-c", "cat <&3 & echo started; wait")
	held, hold, err := os.Pipe() // stays open, so cat waits for ever
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	cmd.ExtraFiles = []*os.File{held}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	held.Close()
	writer.Close()
	started := make([]byte, len("started\n"))
	if _, err := io.ReadFull(reader, started); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("got no error, want that of a killed program")
	}
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Errorf("got %q and error %v, want nothing more", rest, err)
	}
}

func TestForSAM(t *testing.T) {
	t.Parallel()
	const synthesized = `{"Resources":{"Table":{"Type":"AWS::DynamoDB::GlobalTable"},` +
		`"Pages":{"Type":"AWS::Lambda::Function","Properties":{"Timeout":29,` +
		`"Environment":{"Variables":{"TABLE":{"Ref":"Table"}}}},` +
		`"Metadata":{"aws:asset:path":"asset.1"}}}}`
	made, err := forSAM([]byte(synthesized), "/out", map[string]string{"TABLE": "cashwrap", "AWS_REGION": "eu-central-1",
		"DYNAMODB_ENDPOINT": "http://127.0.0.1:4000", "BASE_URL": "http://127.0.0.1:8080"})
	const want = `{"Resources":{"Pages":{"Metadata":{"aws:asset:path":"/out/asset.1"},` +
		`"Properties":{"Environment":{"Variables":{` +
		`"BASE_URL":"http://127.0.0.1:8080","DYNAMODB_ENDPOINT":"http://host.docker.internal:4000","TABLE":"cashwrap"}},` +
		`"Timeout":29},"Type":"AWS::Lambda::Function"},"Table":{"Type":"AWS::DynamoDB::GlobalTable"}}}`
	var compact bytes.Buffer
	if err == nil {
		err = json.Compact(&compact, made)
	}
	if err != nil || compact.String() != want {
		t.Errorf("got %s and error %v, want %s", &compact, err, want)
	}
	if _, err := forSAM([]byte(strings.Replace(synthesized, "asset.1", "", 1)), "/out", nil); err == nil {
		t.Error("a function without code: got no error, want one")
	}
}
