// Package sdk_test tries the platform with the vendor's newest SDKs. To update an SDK, change one line of go.mod, of
// ../../package.json, or of requirements.txt.
package sdk_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/platformtest"
)

// want is the output of each story.
var want = map[string]any{"merchant": true, "card": true, "paid": "PAID", "listed": []any{true},
	"deactivated": "EXPIRED", "transaction": "SUCCESSFUL", "refunded": []any{1.5}, "receipt": true, "payouts": 0.0,
	"customer": "Grace", "role": true, "owner": true, "reader": "ONLINE", "sold": "successful", "missing": 404.0}

// TestSDK_Go plays the story with the Go SDK. Each story takes seconds, because a reader pairs and pays.
func TestSDK_Go(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	_, env := platformtest.Start(t)
	text, err := json.Marshal(playInGo(t, env))
	if err != nil {
		t.Fatal(err)
	}
	compareStory(t, text)
}

func TestSDK_TypeScript(t *testing.T) {
	t.Parallel()
	compareStory(t, run(t, enginetest.Node(t, "harness/sdk/story.mjs"), startPlatform(t)))
}

func TestSDK_Python(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	interpreter := installPython(t)
	t.Run("story", func(t *testing.T) {
		t.Parallel()
		compareStory(t, run(t, exec.Command(interpreter, "story.py"), startPlatform(t)))
	})
	t.Run("fields", func(t *testing.T) {
		t.Parallel()
		compareFields(t, run(t, exec.Command(interpreter, "fields.py"), os.Environ()))
	})
	t.Run("signature", func(t *testing.T) {
		t.Parallel()
		verifySignature(t, interpreter)
	})
}

// compareStory compares the output of a story with want.
func compareStory(t *testing.T, printed []byte) {
	t.Helper()
	var got map[string]any
	if json.Unmarshal(printed, &got) != nil {
		t.Fatalf("got %s, want JSON", printed)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// startPlatform starts a platform, and returns the environment of a program that uses it.
func startPlatform(t *testing.T) []string {
	t.Helper()
	_, env := platformtest.Start(t)
	all := os.Environ()
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}

// installPython installs the packages of requirements.txt, and returns the interpreter that has them.
func installPython(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	interpreter := filepath.Join(home, "bin", "python")
	run(t, exec.Command("python3", "-m", "venv", home), os.Environ())
	run(t, exec.Command(interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary",
		":all:", "--requirement", "requirements.txt"), os.Environ())
	return interpreter
}

// run returns the program's output, and fails the test unless the program succeeds.
func run(t *testing.T, program *exec.Cmd, env []string) []byte {
	t.Helper()
	var output, problems bytes.Buffer
	program.Env, program.Stdout, program.Stderr = env, &output, &problems
	if err := program.Run(); err != nil {
		t.Fatalf("%s: %v:\n%s%s", program, err, output.Bytes(), problems.Bytes())
	}
	return output.Bytes()
}
