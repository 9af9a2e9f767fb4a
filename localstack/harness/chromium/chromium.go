// Package chromium drives Chromium for tests of pages. Open starts a session, which is a visitor with cookies. The
// visitor reaches only the handlers that the test serves, under any host name, over http and https. A test fails on
// unexpected console messages, exceptions, policy violations, failed requests, requests to other hosts, and axe-core's
// findings. The package waits for elements and addresses, never for a fixed time.
//
// Tests are skipped unless CASHWRAP_TESTS=all. They need Chromium and Node. The environment variable
// CASHWRAP_SCREENSHOTS names a folder for pictures of the pages.
package chromium

import (
	"cmp"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

// patience is the longest wait for an element or an address. It is long enough for a busy machine.
const patience = 45 * time.Second

// Web contains the handler of each host that sessions reach.
type Web map[string]http.Handler

// Options configure a visitor's browser.
type Options struct {
	Width    int    // of the window in pixels; 0 means 1280
	Dark     bool   // the visitor prefers dark colours
	Language string // BCP 47; "" means en-GB
	NoScript bool
}

// Session is one visitor's browser.
type Session struct {
	tb       testing.TB
	id       string
	driver   *driver
	web      *network
	expected []string
}

type problem struct{ Text, URL string }

var serial atomic.Int64

func newID() string { return strconv.FormatInt(serial.Add(1), 10) }

// Open starts a session. The session ends with the test.
func Open(tb testing.TB, web Web, o Options) *Session {
	tb.Helper()
	s := &Session{tb: tb, id: newID(), driver: ensureDriver(tb, findChromium(tb)), web: startNetwork(tb, web)}
	o.Width = cmp.Or(o.Width, 1280)
	colours := "light"
	if o.Dark {
		colours = "dark"
	}
	s.driver.do(tb, command{"do": "open", "session": s.id, "timeout": patience.Milliseconds(),
		"options": map[string]any{
			"javaScriptEnabled": !o.NoScript, "colorScheme": colours, "locale": cmp.Or(o.Language, "en-GB"),
			"viewport": map[string]int{"width": o.Width, "height": 800},
			"proxy":    map[string]string{"server": s.web.URL},
		}}, nil)
	tb.Cleanup(s.close)
	return s
}

func findChromium(tb testing.TB) string {
	tb.Helper()
	enginetest.Only(tb)
	path, err := exec.LookPath("chromium")
	if err != nil {
		tb.Fatalf("Chromium is missing: %v", err)
	}
	return path
}

// Expect lists problems that must occur in the session. A problem that occurs twice is listed twice. "400 POST" is an
// answer with that status to that method. "elsewhere example.com" is a request to a host that is not served.
func (s *Session) Expect(problems ...string) { s.expected = append(s.expected, problems...) }

// close ends the session. It reports unexpected problems, and expected problems that did not occur.
func (s *Session) close() {
	var all []problem
	s.driver.do(s.tb, command{"do": "close", "session": s.id}, &all)
	all = append(all, s.web.refusedRequests()...)
	got := make([]string, 0, len(all))
	for _, p := range all {
		got = append(got, p.Text)
	}
	slices.Sort(got)
	slices.Sort(s.expected)
	if diff := gocmp.Diff(append([]string{}, s.expected...), got); diff != "" {
		s.tb.Errorf("what went wrong on the pages (-want +got):\n%s\nin all: %+v", diff, all)
	}
}

// Tab opens another tab.
func (s *Session) Tab() Tab {
	s.tb.Helper()
	t := Tab{session: s, id: newID()}
	s.driver.do(s.tb, command{"do": "tab", "session": s.id, "tab": t.id}, nil)
	return t
}

// Visit opens an address in a new tab.
func (s *Session) Visit(url string) Tab {
	s.tb.Helper()
	t := s.Tab()
	t.Goto(url)
	return t
}
