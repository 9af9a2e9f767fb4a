package public

import (
	"context"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

type webhookKeys struct {
	Keys []webhookKey `json:"keys"`
}

type webhookKey struct {
	ID        string            `json:"id"`
	PublicKey webhook.PublicKey `json:"public_key"`
	CreatedAt rest.Timestamp    `json:"created_at"`
}

// listWebhookKeys publishes the keys that verify v1a signatures (contract §11.2).
func (f family) listWebhookKeys(context.Context, struct{}) (webhookKeys, error) {
	keys, err := f.WebhookKeys()
	published := webhookKeys{Keys: []webhookKey{}}
	for _, k := range keys {
		published.Keys = append(published.Keys,
			webhookKey{ID: k.PublicKey().ID(), PublicKey: k.PublicKey(), CreatedAt: rest.Timestamp(k.Since)})
	}
	return published, err
}

var problemPage = page.New("")

// showProblem explains the problem type at its address (RFC 9457 §3.1.1).
func (f family) showProblem(_ context.Context, req struct {
	Slug string `path:"slug"`
}) (rest.Document, error) {
	known, ok := rest.Problems()[req.Slug]
	if !ok {
		return rest.Document{}, failure.NotFound("There is no such problem type.")
	}
	drawn, err := problemPage.Draw(known.Title, problemBody(known))
	return rest.Document{HTML: drawn.HTML, CSP: drawn.CSP}, err
}

type health struct {
	Status string `json:"status"`
	Commit string `json:"commit"`
}

// reportHealth answers that the process runs, and returns the commit of its code.
func (f family) reportHealth(context.Context, struct{}) (health, error) {
	return health{"ok", f.Commit}, nil
}

// checkReady answers 200 if requests can be served, and 503 while the table accepts no writes.
func (f family) checkReady(ctx context.Context, _ struct{}) (rest.Document, error) {
	const contentType = "application/json;charset=UTF-8"
	if err := f.Ready(ctx); err != nil {
		f.Log.ErrorContext(ctx, "not ready", "error", err)
		return rest.Document{Status: http.StatusServiceUnavailable, ContentType: contentType,
			Body: []byte(`{"status":"unavailable"}`)}, nil
	}
	return rest.Document{ContentType: contentType, Body: []byte(`{"status":"ok"}`)}, nil
}
