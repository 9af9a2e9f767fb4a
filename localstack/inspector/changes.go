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
	// minInterval is the shortest time between two updates of a page that is open.
	minInterval = 500 * time.Millisecond
	// maxInterval is the longest: what no request changes, such as an expiry, is seen by then.
	maxInterval = 5 * time.Second
	// busyShare is how many times as long as an update has taken nothing is done at least.
	busyShare = 20
)

// streamSections sends an open page the sections that have changed, as server-sent events (WHATWG HTML).
func (s *site) streamSections(w http.ResponseWriter, r *http.Request) {
	changes, stop := s.watch()
	defer stop()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	flush := http.NewResponseController(w).Flush
	shown := map[string]string{}
	for {
		began := time.Now()
		if s.sendChanged(r.Context(), w, shown) != nil || flush() != nil {
			return
		}
		// A platform with much to show is not kept busy by showing it.
		rest := max(minInterval, busyShare*time.Since(began))
		if !s.waitFor(r.Context(), time.After(rest), nil) || !s.waitFor(r.Context(), time.After(maxInterval), changes) {
			return
		}
	}
}

// oneLine ends no line of an event.
var oneLine = strings.NewReplacer("\r\n", "&#13;\ndata: ", "\r", "&#13;", "\n", "\ndata: ")

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
		_, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", section.id, oneLine.Replace(html.String()))
		if err != nil {
			return err
		}
	}
	return nil
}

// waitFor returns when it is time, or something has changed; false: the page or the platform has ended.
func (s *site) waitFor(ctx context.Context, at <-chan time.Time, changes <-chan struct{}) bool {
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
