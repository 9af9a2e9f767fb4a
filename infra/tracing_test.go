package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
)

func TestAddTracing(t *testing.T) {
	t.Parallel()
	names := []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_SAMPLER",
		"OTEL_TRACES_SAMPLER_ARG"}
	traced, err := synth(map[string]any{"otlpEndpoint": "https://otlp.example.com", "otlpHeadersSecret": "otlp",
		"tracedPercent": "5"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range functions.All {
		_, r := inDev(t).function(t, dev, f.Name)
		for _, name := range names {
			if got, ok := variables(r)[name]; ok {
				t.Errorf("%s without a setting: got %s=%v, want none", f.Name, name, got)
			}
		}
		_, r = traced.function(t, dev, f.Name)
		got := variables(r)
		for name, want := range map[string]string{names[0]: "https://otlp.example.com", names[2]: "parentbased_traceidratio",
			names[3]: "0.05"} {
			if got[name] != want {
				t.Errorf("%s: got %s=%v, want %s", f.Name, name, got[name], want)
			}
		}
		if headers := toJSON(got[names[1]]); !strings.Contains(headers, "resolve:secretsmanager:") ||
			!strings.Contains(headers, "otlp:SecretString") {
			t.Errorf("%s: got %s=%s, want a reference to the secret otlp", f.Name, names[1], headers)
		}
	}
}

// TestCheckTracing checks both mismatches. A setting without the build would export nothing, and a build
// without the setting would slow each start.
func TestCheckTracing(t *testing.T) {
	t.Parallel()
	for tags, want := range map[string]map[bool]error{
		"lambda.norpc":      {true: errNotTraced, false: nil},
		"lambda.norpc,otel": {true: nil, false: errTraced},
	} {
		program := filepath.Join(t.TempDir(), "bare")
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w",
			"-tags", tags, "-o", program, "../localstack/platform/lambda/runtime/bare")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for wanted, expected := range want {
			if err := checkTracing(program, wanted); !errors.Is(err, expected) {
				t.Errorf("%s, wanted %t: got error %v, want %v", tags, wanted, err, expected)
			}
		}
	}
}
