package inspector

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// tab is an open page. It reads its stream unless it hangs.
type tab struct {
	*httptest.ResponseRecorder

	hangs    bool
	deadline time.Time
	mu       sync.Mutex // guards the received text
}

// received returns the text that the tab has read so far.
func (t *tab) received() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Body.String()
}

func (t *tab) SetWriteDeadline(at time.Time) error {
	t.deadline = at
	return nil
}

// Write blocks until the deadline if the tab hangs, like a connection with full buffers.
func (t *tab) Write(b []byte) (int, error) {
	if t.hangs {
		time.Sleep(time.Until(t.deadline))
		return 0, os.ErrDeadlineExceeded
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ResponseRecorder.Write(b)
}

// stand runs streams in a test's fake time and counts their drawings.
type stand struct {
	streams

	drawn   int // number of drawings
	changes chan struct{}
	tabs    sync.WaitGroup
}

func newStand() *stand {
	s := &stand{changes: make(chan struct{})}
	s.draw = func(context.Context) ([]event, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drawn++
		return []event{{"same", "same\n"}, {"count", fmt.Sprintf("drawing %d\n", s.drawn)}}, nil
	}
	s.watch = func() (<-chan struct{}, func()) { return s.changes, func() {} }
	return s
}

// openTab makes a tab open its stream until ctx ends.
func (s *stand) openTab(ctx context.Context, hangs bool) *tab {
	t := &tab{ResponseRecorder: httptest.NewRecorder(), hangs: hangs}
	r := httptest.NewRequest(http.MethodGet, "/sandbox/changes", nil).WithContext(ctx)
	s.tabs.Go(func() { s.ServeHTTP(t, r) })
	return t
}

// count returns the number of open streams and of drawings so far.
func (s *stand) count() (open, drawn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open, s.drawn
}

// TestStreams_DrawnOnceForAll checks that the number of drawings does not grow with the number of open pages.
func TestStreams_DrawnOnceForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		s := newStand()
		var tabs []*tab
		for range maxStreams {
			tabs = append(tabs, s.openTab(ctx, false))
		}
		for range 2 {
			time.Sleep(minInterval + time.Millisecond)
			s.changes <- struct{}{}
		}
		synctest.Wait()
		late := s.openTab(ctx, false)
		synctest.Wait()
		if late.Code != http.StatusServiceUnavailable {
			t.Errorf("beyond %d: got %d, want 503", maxStreams, late.Code)
		}
		leave()
		s.tabs.Wait()
		synctest.Wait()
		if open, drawn := s.count(); open != 0 || drawn != 3 {
			t.Errorf("got %d streams open after %d drawings, want none after 3", open, drawn)
		}
		for _, tab := range tabs {
			want := "same\ndrawing 1\ndrawing 2\ndrawing 3\n"
			if got := tab.received(); got != want || tab.Code != http.StatusOK || !tab.Flushed {
				t.Fatalf("got %d %q, want 200 and %q", tab.Code, got, want)
			}
		}
	})
}

// TestStreams_SlowReader checks that a page that does not read is dropped, and delays no other page.
func TestStreams_SlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		s := newStand()
		s.openTab(ctx, true)
		reads := s.openTab(ctx, false)
		time.Sleep(minInterval + time.Millisecond)
		s.changes <- struct{}{}
		synctest.Wait()
		if open, _ := s.count(); !strings.HasSuffix(reads.received(), "drawing 2\n") || open != 2 {
			t.Errorf("beside one that hangs: got %q and %d streams, want drawing 2 and both", reads.received(), open)
		}
		time.Sleep(slowest)
		synctest.Wait()
		if open, _ := s.count(); open != 1 {
			t.Errorf("after %s: got %d streams open, want the one that reads", slowest, open)
		}
		leave()
		s.tabs.Wait()
	})
}

// TestStreams_NextPage checks that a page that opens after all others have left gets newly drawn sections.
func TestStreams_NextPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand()
		for n := range 2 {
			ctx, leave := context.WithCancel(t.Context())
			tab := s.openTab(ctx, false)
			synctest.Wait()
			leave()
			s.tabs.Wait()
			if got, want := tab.received(), fmt.Sprintf("same\ndrawing %d\n", n+1); got != want {
				t.Errorf("page %d: got %q, want %q", n, got, want)
			}
		}
	})
}
