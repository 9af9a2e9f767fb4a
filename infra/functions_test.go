package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

const functionKind = "AWS::Lambda::Function"

func TestAddFunction_EachDeployed(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for _, f := range functions.All {
		s.want(t, functionKind, map[string]any{
			"FunctionName": "cashwrap-dev-" + f.Name, "Architectures": []any{"arm64"}, "Runtime": "provided.al2023",
			"Handler": "bootstrap", "Timeout": f.Timeout.Seconds(), "MemorySize": memoryOf(f),
			"LoggingConfig": map[string]any{"SystemLogLevel": string(systemLogLevel(f))},
		})
	}
	for id, r := range s.all(functionKind) {
		if r.Properties["TracingConfig"] != nil {
			t.Errorf("%s: got X-Ray %v, want none", id, r.Properties["TracingConfig"])
		}
	}
	if deployed := len(s.all(functionKind)); deployed != len(functions.All) {
		t.Errorf("got %d functions, want %d", deployed, len(functions.All))
	}
}

// TestAddFunction_RecursiveLoops checks that exactly the functions that send to their own queue may call themselves.
// Without this permission, Lambda stops a function that calls itself through its queue after some 16 calls.
func TestAddFunction_RecursiveLoops(t *testing.T) {
	t.Parallel()
	var chains []string
	for _, f := range functions.All {
		_, r := inDev(t).function(t, dev, f.Name)
		want := any(nil)
		if f.Queue != nil && slices.Contains(f.Permissions(), "SendMessage "+f.Queue.From.Name) {
			want = "Allow"
			chains = append(chains, f.Name)
		}
		if got := r.Properties["RecursiveLoop"]; got != want {
			t.Errorf("%s: got recursive loops %v, want %v", f.Name, got, want)
		}
	}
	if got, want := sorted(chains), "files payoutopen payoutrun prove"; got != want {
		t.Errorf("got chains of %s, want %s", got, want)
	}
}

// TestAddFunction_DistinctCode checks that no two functions have the same zip.
func TestAddFunction_DistinctCode(t *testing.T) {
	t.Parallel()
	owners := map[string]string{}
	for id, r := range inDev(t).all(functionKind) {
		code := toJSON(r.Properties["Code"])
		if other, taken := owners[code]; taken {
			t.Errorf("%s and %s: got the same program %s, want two", id, other, code)
		}
		owners[code] = id
	}
}

func TestAddLog_FormatAndRetention(t *testing.T) {
	t.Parallel()
	for stage, want := range map[string]float64{dev: 30, prod: 400} {
		s := map[string]func(*testing.T) *synthesis{dev: inDev, prod: inProd}[stage](t)
		groups := s.all("AWS::Logs::LogGroup")
		for id, r := range groups {
			if got := r.Properties["RetentionInDays"]; got != want {
				t.Errorf("%s: got %s kept for %v days, want %v", stage, id, got, want)
			}
		}
		if len(groups) != len(functions.All)+1 { // one for each function, and the API's
			t.Errorf("%s: got %d log groups, want %d", stage, len(groups), len(functions.All)+1)
		}
		for _, f := range functions.All {
			group, _ := s.named(t, "AWS::Logs::LogGroup", "LogGroupName", "/aws/lambda/cashwrap-"+stage+"-"+f.Name)
			_, r := s.function(t, stage, f.Name)
			if got, want := toJSON(r.Properties["LoggingConfig"]), toJSON(map[string]any{
				"LogFormat": "JSON", "LogGroup": ref(group), "SystemLogLevel": string(systemLogLevel(f))}); got != want {
				t.Errorf("%s: got logs to %s, want %s", f.Name, got, want)
			}
		}
	}
}

// TestBuildEnvironment checks that the environment has all variables of app, including the URLs of the
// function's queues, and no variable for a developer's machine.
func TestBuildEnvironment(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	table, _ := s.named(t, tableKind, "TableName", "cashwrap-dev")
	for _, f := range functions.All {
		_, r := s.function(t, dev, f.Name)
		got := variables(r)
		want := []string{"BASE_URL", "COMMIT", "DUE_SHARDS", "STAGE", "TABLE"}
		for _, s := range f.Access().Secrets {
			switch s {
			case app.PlatformSecret:
				want = append(want, string(s), "PLATFORM_SECRET_SINCE")
			case app.LastingSecret:
				want = append(want, string(s))
			}
		}
		if f.Access().Objects {
			want = append(want, "FILE_BUCKET")
			if id, _ := s.bucket(t); toJSON(got["FILE_BUCKET"]) != toJSON(ref(id)) {
				t.Errorf("%s: got FILE_BUCKET %s, want %s", f.Name, toJSON(got["FILE_BUCKET"]), toJSON(ref(id)))
			}
		}
		for _, q := range f.Access().Sends {
			want = append(want, q.Variable)
			queue, _ := s.queue(t, dev, q.Name)
			if toJSON(got[q.Variable]) != toJSON(ref(queue)) {
				t.Errorf("%s: got %s %s, want %s", f.Name, q.Variable, toJSON(got[q.Variable]), toJSON(ref(queue)))
			}
		}
		if names := slices.Collect(maps.Keys(got)); sorted(names) != sorted(want) {
			t.Errorf("%s: got %s, want %s", f.Name, sorted(names), sorted(want))
		}
		if got["COMMIT"] != commit {
			t.Errorf("%s: got COMMIT %v, want %s", f.Name, got["COMMIT"], commit)
		}
		if toJSON(got["TABLE"]) != toJSON(ref(table)) {
			t.Errorf("%s: got TABLE %s, want %s", f.Name, toJSON(got["TABLE"]), toJSON(ref(table)))
		}
	}
}

func variables(r resource) map[string]any {
	environment, _ := r.Properties["Environment"].(map[string]any)
	found, _ := environment["Variables"].(map[string]any)
	return found
}

// proxySecretHash is prod's setting proxySecretHashes in these tests.
const proxySecretHash = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"

func TestBuildEnvironment_Settings(t *testing.T) {
	t.Parallel()
	for _, f := range functions.All {
		_, r := inProd(t).function(t, prod, f.Name)
		if got := variables(r); got["BASE_URL"] != "https://api.example.com" ||
			got["STAGE"] != prod || got["REFUND_RULES"] != "BR:90 HUF::100" || got["DUE_SHARDS"] != "128" ||
			got["CALLBACK_SIGNATURE_HEADER"] != "X-Shop-Signature" {
			t.Errorf("%s: got %v, want BASE_URL https://api.example.com, STAGE prod, REFUND_RULES BR:90 HUF::100, "+
				"DUE_SHARDS 128, CALLBACK_SIGNATURE_HEADER X-Shop-Signature",
				f.Name, got)
		}
		wantHosts := any(nil)
		if f.Name == "checkouts" {
			wantHosts = "pay.example.com *.acquirer.example.net"
		}
		if got := variables(r)["LIVE_ACQUIRER"]; got != "stripe" {
			t.Errorf("%s: got LIVE_ACQUIRER %v, want stripe, also without its secret", f.Name, got)
		}
		if got := variables(r)["ACQUIRER_HOSTS"]; got != wantHosts {
			t.Errorf("%s: got ACQUIRER_HOSTS %v, want %v", f.Name, got, wantHosts)
		}
		hops, hashes := variables(r)["PROXY_HOPS"], variables(r)["PROXY_SECRET_HASHES"]
		want, set := f.HTTP != nil, hops == "1" && hashes == proxySecretHash
		if set != want || (hops == nil && hashes == nil) == want {
			t.Errorf("%s: got PROXY_HOPS %v and PROXY_SECRET_HASHES %v, want 1 and the hash: %t", f.Name, hops, hashes, want)
		}
	}
}

func TestReadCommit(t *testing.T) {
	t.Parallel()
	if got := inDev(t).outputs["Commit"].Value; got != commit {
		t.Errorf("output Commit: got %v, want %s", got, commit)
	}
	for text, ok := range map[string]bool{"0123456789ab\n": true, "0123456789ab-dirty\n": true, "unknown\n": true,
		"": false, "-dirty": false, "main": false} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, commitFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readCommit(folder); (err == nil) != ok || ok && got != strings.TrimSpace(text) {
			t.Errorf("%q: got %q and error %v, want it: %t", text, got, err, ok)
		}
	}
}

func TestAddFunction_NotBuilt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := synth(map[string]any{"build": folder}); !errors.Is(err, errCommit) {
		t.Errorf("without a build: got error %v, want %v", err, errCommit)
	}
	if err := fakeBuild(folder, nil); err != nil {
		t.Fatal(err)
	}
	_, err := synth(map[string]any{"build": folder})
	if err == nil || !strings.Contains(err.Error(), "make build") ||
		!strings.Contains(err.Error(), functions.All[0].Name) {
		t.Errorf("got error %v, want %s and make build in it", err, functions.All[0].Name)
	}
}
