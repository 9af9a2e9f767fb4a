package public_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

func TestListWebhookKeys(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	r := s.get(t, "/.well-known/webhook-keys")
	var body struct {
		Keys []struct {
			ID        string `json:"id"`
			PublicKey string `json:"public_key"`
			CreatedAt string `json:"created_at"`
		} `json:"keys"`
	}
	if err := json.Unmarshal([]byte(r.body), &body); err != nil || r.status != http.StatusOK || len(body.Keys) != 1 {
		t.Fatalf("got %d %s, error %v; want 200 and one key", r.status, r.body, err)
	}
	key, err := webhook.ParsePublicKey(body.Keys[0].PublicKey)
	if err != nil || key.ID() != body.Keys[0].ID || body.Keys[0].CreatedAt != "2026-11-01T02:03:04.005Z" {
		t.Errorf("got %s, error %v; want id %s, created at 2026-11-01T02:03:04.005Z", r.body, err, key.ID())
	}
}

func TestShowProblem_EachProblem(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	for slug, problem := range rest.Problems() {
		r := s.get(t, "/problems/"+slug)
		if want := "<h1>" + problem.Title + "</h1>"; r.status != http.StatusOK || !strings.Contains(r.body, want) {
			t.Errorf("%s: got %d %s, want 200 and %q in it", slug, r.status, r.body, want)
		}
	}
	if r := s.get(t, "/problems/none-of-ours"); r.status != http.StatusNotFound {
		t.Errorf("an unknown slug: got %d, want 404", r.status)
	}
}

func TestCheckHealth_AndReadiness(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	for path, want := range map[string]string{"/healthz": `{"status":"ok","commit":"0123456789ab-dirty"}`,
		"/readyz": `{"status":"ok"}`} {
		r := s.get(t, path)
		if r.status != http.StatusOK || r.body != want || !strings.HasPrefix(r.contentType, "application/json") {
			t.Errorf("%s: got %d %s %s, want 200 application/json %s", path, r.status, r.contentType, r.body, want)
		}
	}
	s.broken = errors.New("table on fire")
	if r := s.get(t, "/readyz"); r.status != http.StatusServiceUnavailable || strings.Contains(r.body, "fire") {
		t.Errorf("readyz: got %d %s, want 503 without the error", r.status, r.body)
	}
	if r := s.get(t, "/healthz"); r.status != http.StatusOK {
		t.Errorf("healthz: got %d, want 200", r.status)
	}
}
