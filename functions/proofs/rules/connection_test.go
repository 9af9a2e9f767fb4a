package rules_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runtime"
)

// TestBootstrap_ConnectsToTableAtStart checks that a deployed program connects to the table before its first event. A
// program without a stage does not connect.
func TestBootstrap_ConnectsToTableAtStart(t *testing.T) {
	t.Parallel()
	folder, err := runtime.Build(t.Context(), "public")
	if err != nil {
		t.Fatal(err)
	}
	for stage, want := range map[string]int{"dev": 1, "": 0} {
		asked := make(chan struct{}, 1)
		table := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.Header.Get("Authorization") == "" {
				asked <- struct{}{}
			}
		}))
		defer table.Close()
		c := makeDeployedConfig(t, folder, "public")
		c.Environment["DYNAMODB_ENDPOINT"], c.Environment["STAGE"] = table.URL, stage
		c.Log = slog.New(slog.DiscardHandler)
		i, err := runtime.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if want > 0 {
			select {
			case <-asked:
			case <-time.After(time.Minute):
				t.Errorf("stage %q: got no connection, want one", stage)
			}
		}
		i.Stop()
		if got := len(asked); got != 0 {
			t.Errorf("stage %q: got %d connections more, want none", stage, got)
		}
	}
}
