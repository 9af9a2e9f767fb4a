// Package chromium drives Chromium for tests of pages. Each session is a visitor with its cookies, and reaches only the
// handlers that the test serves, under any host name, over http and https. A test fails on unexpected console messages,
// exceptions, policy violations, failed requests, other hosts, and axe-core's findings. It waits for elements and
// addresses, never for a time.
//
// Tests are skipped unless CASHWRAP_TESTS=all; then they need Chromium and Node. The environment variable
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

// patience is how long an element or address is waited for, on a busy machine.
const patience = 45 * time.Second

// Web is what sessions reach: the handler of each host.
type Web map[string]http.Handler

// Options are how a visitor's browser is set up.
type Options struct {
	Width    int    // of the window in pixels; 0: 1280
	Dark     bool   // the colours that the visitor prefers
	Language string // BCP 47; "": en-GB
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

// Open starts a session, which ends with the test.
func Open(tb testing.TB, web Web, o Options) *Session {
	tb.Helper()
	s := &Session{tb: tb, id: newID(), driver: started(tb, program(tb)), web: serve(tb, web)}
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

func program(tb testing.TB) string {
	tb.Helper()
	enginetest.Only(tb)
	path, err := exec.LookPath("chromium")
	if err != nil {
		tb.Fatalf("Chromium is missing: %v", err)
	}
	return path
}

// Expect names problems that the session must have, each as often as it comes: "400 POST" is an answer of that status
// to that method, "elsewhere example.com" a request to a host that is not served.
func (s *Session) Expect(problems ...string) { s.expected = append(s.expected, problems...) }

// close ends the session, and reports what was not expected, and what was expected and did not come.
func (s *Session) close() {
	var all []problem
	s.driver.do(s.tb, command{"do": "close", "session": s.id}, &all)
	all = append(all, s.web.elsewhere()...)
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

// Visit opens an address in a tab of its own.
func (s *Session) Visit(url string) Tab {
	s.tb.Helper()
	t := s.Tab()
	t.Goto(url)
	return t
}
