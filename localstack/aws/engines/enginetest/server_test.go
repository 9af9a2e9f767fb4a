package enginetest

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestStartServer_Failing checks that the error of a server that does not listen has its standard error.
func TestStartServer_Failing(t *testing.T) {
	t.Parallel()
	address := fmt.Sprintf("127.0.0.1:%d", FreePort(t))
	for script, want := range map[string]struct {
		limit time.Duration
		text  string
	}{
		"echo broken >&2; exit 3":       {time.Hour, "exit status 3"},
		"echo broken >&2; exec sleep 9": {time.Second, "killed"},
	} {
		_, err := startServer(exec.CommandContext(t.Context(), "sh", "-c", script), address, want.limit)
		if err == nil || !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: got error %v, want one with %q and its output", script, err, want.text)
		}
	}
}
