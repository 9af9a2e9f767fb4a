package inspector

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// minInterval is the shortest time between two updates of open pages.
	minInterval = 500 * time.Millisecond
	// maxInterval is the longest time between two updates. It limits how late a page shows a change that no request made,
	// such as an expiry.
	maxInterval = 5 * time.Second
	// busyShare is the minimum ratio of the pause after an update to the update's own time.
	busyShare = 20
	// maxStreams limits how many pages get updates at the same time.
	maxStreams = 200
	// slowest limits how long a page takes to receive an update.
	slowest = 10 * time.Second
)

// streams sends changed sections to all open pages. It draws each section once for every page.
type streams struct {
	draw   func(context.Context) ([]event, error)
	watch  func() (changes <-chan struct{}, stop func())
	closed <-chan struct{}

	mu     sync.Mutex
	open   int                // number of pages
	latest *drawing           // nil if no page is open
	stop   context.CancelFunc // ends drawUntil
}

type event struct{ section, text string }

type drawing struct {
	events []event
	newer  chan struct{} // closed when a newer drawing exists
}

// ServeHTTP sends a page all sections and then each changed section, as server-sent events (WHATWG HTML). It refuses
// pages beyond maxStreams with 503. A page that misses an update is disconnected, and its browser connects again.
func (s *streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return
	}
	d := s.join(r.Context())
	if d == nil {
		http.Error(w, "Too many pages of the sandbox are open.", http.StatusServiceUnavailable)
		return
	}
	defer s.leave()
	w.Header().Set("Content-Type", "text/event-stream")
	shown := map[string]string{}
	for sendChanged(w, d.events, shown) == nil {
		select {
		case <-d.newer:
		case <-r.Context().Done():
			return
		case <-s.closed:
			return
		}
		s.mu.Lock()
		d = s.latest
		s.mu.Unlock()
	}
}

func sendChanged(w http.ResponseWriter, events []event, shown map[string]string) error {
	to := http.NewResponseController(w)
	if err := to.SetWriteDeadline(time.Now().Add(slowest)); err != nil {
		return err
	}
	for _, e := range events {
		if shown[e.section] == e.text {
			continue
		}
		shown[e.section] = e.text
		if _, err := w.Write([]byte(e.text)); err != nil {
			return err
		}
	}
	return to.Flush()
}

// join counts a page and returns the latest drawing, or nil if too many are open. The first page starts drawUntil.
func (s *streams) join(ctx context.Context) *drawing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= maxStreams {
		return nil
	}
	if s.open++; s.open == 1 {
		s.latest = &drawing{newer: make(chan struct{})}
		ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
		go s.drawUntil(ctx, s.latest)
	}
	return s.latest
}

// leave counts a page that has left. The last page stops drawUntil.
func (s *streams) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open--; s.open == 0 {
		s.stop()
		s.latest = nil
	}
}

// drawUntil draws the sections now and after each change, until ctx ends. After an error it waits for the next change.
func (s *streams) drawUntil(ctx context.Context, latest *drawing) {
	changes, stop := s.watch()
	defer stop()
	for {
		began := time.Now()
		if events, err := s.draw(ctx); err == nil {
			latest = s.publish(latest, events)
		}
		// Drawing a lot of events must not keep the platform busy.
		rest := max(minInterval, busyShare*time.Since(began))
		if !s.waitFor(ctx, time.After(rest), nil) || !s.waitFor(ctx, time.After(maxInterval), changes) {
			return
		}
	}
}

// publish makes a new drawing the latest and returns it. If all pages have left, publish returns the old drawing,
// before.
func (s *streams) publish(before *drawing, events []event) *drawing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.latest != before {
		return before
	}
	s.latest = &drawing{events: events, newer: make(chan struct{})}
	close(before.newer)
	return s.latest
}

// waitFor returns true at the given time or after a change, and false if ctx or the platform has ended.
func (s *streams) waitFor(ctx context.Context, at <-chan time.Time, changes <-chan struct{}) bool {
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

// oneLine escapes line breaks, so that an event's text stays in its data lines.
var oneLine = strings.NewReplacer("\r\n", "&#13;\ndata: ", "\r", "&#13;", "\n", "\ndata: ")

func (s *site) drawSections(ctx context.Context) ([]event, error) {
	v, err := s.loadView(ctx)
	if err != nil {
		return nil, err
	}
	var events []event
	for _, section := range slices.Concat(v.columns()...) {
		var html strings.Builder
		if err := section.body.Render(ctx, &html); err != nil {
			return nil, err
		}
		text := fmt.Sprintf("event: %s\ndata: %s\n\n", section.id, oneLine.Replace(html.String()))
		events = append(events, event{section.id, text})
	}
	return events, nil
}
