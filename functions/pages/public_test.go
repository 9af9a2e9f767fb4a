package pages_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

func TestWebhookKeys(t *testing.T) {
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
		t.Fatalf("%d %s %v", r.status, r.body, err)
	}
	key, err := webhook.ParsePublicKey(body.Keys[0].PublicKey)
	if err != nil || key.ID() != body.Keys[0].ID || body.Keys[0].CreatedAt != "2026-11-01T02:03:04.005Z" {
		t.Errorf("%s, %v", r.body, err)
	}
}

func TestEveryProblemHasAPage(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	for slug, problem := range rest.Problems() {
		r := s.get(t, "/problems/"+slug)
		if r.status != http.StatusOK || !strings.Contains(r.body, "<h1>"+problem.Title+"</h1>") {
			t.Errorf("%s: %d %s", slug, r.status, r.body)
		}
	}
	if r := s.get(t, "/problems/none-of-ours"); r.status != http.StatusNotFound {
		t.Errorf("an unknown slug: %d", r.status)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200} {
		r := s.get(t, path)
		if r.status != want || r.body != `{"status":"ok"}` || !strings.HasPrefix(r.contentType, "application/json") {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	s.broken = errors.New("table on fire")
	if r := s.get(t, "/readyz"); r.status != http.StatusServiceUnavailable || strings.Contains(r.body, "fire") {
		t.Errorf("readyz: %d %s", r.status, r.body)
	}
	if r := s.get(t, "/healthz"); r.status != http.StatusOK {
		t.Errorf("healthz: %d", r.status)
	}
}
