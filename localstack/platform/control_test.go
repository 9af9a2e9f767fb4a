package platform

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/localstack/platform/inspector"
)

// TestListen_WithoutToken checks that messages without the token have no effect and show nothing.
func TestListen_WithoutToken(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	p, err := Start(t.Context(), place, Config{Engine: InMemory, Runtime: InProcess, Progress: io.Discard,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if stopErr := p.Stop(); stopErr != nil {
			t.Error(stopErr)
		}
	})
	s, err := place.Surroundings()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{clockPath, callbacksPath, requestsPath} {
		for _, token := range []string{"", s.Control.Token + "x"} {
			answer, err := control.Host{Address: s.Control.Address, Token: token}.Put(t.Context(), path, strings.NewReader("1h"))
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s, token %q: got %d, want 401", path, token, answer.StatusCode)
			}
		}
	}
	if now := p.Time(); now.Ahead != 0 {
		t.Errorf("got time %v, want that nobody moved it", now)
	}
	if _, err := place.Callbacks(t.Context(), inspector.Listening{}); err != nil {
		t.Errorf("with the token: got error %v, want none", err)
	}
}
