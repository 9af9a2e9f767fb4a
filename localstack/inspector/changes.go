package inspector

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// pause is the shortest time between two pictures of a page that is open.
	pause = 500 * time.Millisecond
	// calm is the longest: what no request changes, such as an expiry, is seen by then.
	calm = 5 * time.Second
)

// streamSections sends an open page the sections that have changed, as server-sent events (WHATWG HTML).
func (s *site) streamSections(w http.ResponseWriter, r *http.Request) {
	changes, stop := s.watch()
	defer stop()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w).Flush
	shown := map[string]string{}
	for s.sendChanged(r.Context(), w, shown) == nil && flush() == nil {
		if !s.wait(r.Context(), changes) {
			return
		}
	}
}

// sendChanged sends the sections that are not as they were shown.
func (s *site) sendChanged(ctx context.Context, w http.ResponseWriter, shown map[string]string) error {
	v, err := s.view(ctx)
	if err != nil {
		return err
	}
	for _, section := range slices.Concat(v.columns()...) {
		var html strings.Builder
		if err := section.body.Render(ctx, &html); err != nil {
			return err
		}
		if shown[section.id] == html.String() {
			continue
		}
		shown[section.id] = html.String()
		data := strings.ReplaceAll(html.String(), "\n", "\ndata: ")
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", section.id, data); err != nil {
			return err
		}
	}
	return nil
}

// wait returns when there may be something new; false: the page or the platform has ended.
func (s *site) wait(ctx context.Context, changes <-chan struct{}) bool {
	return s.either(ctx, time.After(pause), nil) && s.either(ctx, time.After(calm), changes)
}

func (s *site) either(ctx context.Context, at <-chan time.Time, changes <-chan struct{}) bool {
	select {
	case <-at:
		return true
	case <-changes:
		return true
	case <-ctx.Done():
		return false
	case <-s.closed:
		return false
	}
}
