package chromium_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
)

// recorder is a testing.TB that records the failures of a test.
type recorder struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) finish() string {
	for i := range r.cleanups {
		r.cleanups[len(r.cleanups)-1-i]()
	}
	return strings.Join(r.failures, "\n")
}

// SkipNow and Fatalf end the recorded test.
func (*recorder) SkipNow() { panic("skipped") }

func (*recorder) Fatalf(format string, args ...any) { panic("failed: " + fmt.Sprintf(format, args...)) }

// TestOpen_ChromiumMissing checks that a test without Chromium is skipped. If all tests must run, the test fails with
// the reason instead.
func TestOpen_ChromiumMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for tests, want := range map[string]string{"": "skipped", "all": "failed: Chromium is missing"} {
		t.Setenv("CASHWRAP_TESTS", tests)
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
					t.Errorf("CASHWRAP_TESTS=%q: got %s, want %s", tests, got, want)
				}
			}()
			chromium.Open(&recorder{TB: t}, nil, chromium.Options{})
		}()
	}
}

// serve serves one page at each address, under a policy.
func serve(policy, page string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>%s://</title><link rel="icon" href="data:,">
			<main><h1>Shown</h1>%s</main>`,
			map[bool]string{true: "https", false: "http"}[r.TLS != nil], page)
	})
}

func TestSession_GoodPage(t *testing.T) {
	t.Parallel()
	s := chromium.Open(t, chromium.Web{"good.test": serve("default-src 'none'; img-src data:", `<label>Name <input></label>
		<button>Go</button><form><button name="ok">Send</button></form>`)}, chromium.Options{})
	for _, want := range []string{"http://", "https://"} {
		tab := s.Visit(want + "good.test/")
		tab.Look("good", "Shown")
		if got := tab.Title(); got != want {
			t.Errorf("got title %q, want %q", got, want)
		}
		tab.Field("Name").Fill("Ada")
		tab.Button("Go").Focus()
		tab.Press("Shift+Tab")
		tab.Type("!")
		if got := tab.Field("Name").Value(); got != "!" && got != "Ada!" {
			t.Errorf("got value %q, want what was typed", got)
		}
		tab.Button("Send").Click()
		tab.WaitURL(`/\?ok=`)
	}
}

// TestSession_Problems checks that a session finds a page's problems, with and without scripts, and in frames.
func TestSession_Problems(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	const script = `<script>console.warn("odd"); fetch("https://tracker.test/")</script>`
	wide, without := chromium.Options{}, chromium.Options{NoScript: true}
	const faint = `<style>@media (prefers-color-scheme:dark){p{background:#222;color:#444}}</style><p>Text`
	const image = `<img src="/none.png">`
	for name, c := range map[string]struct {
		policy, page string
		options      chromium.Options
		want         []string
	}{
		"a name is missing": {"", "<input>", wide, []string{"axe label"}},
		"without scripts":   {"", "<noscript><input></noscript>", without, []string{"axe label"}},
		"in a frame":        {"", `<iframe title="a" srcdoc="<input>"></iframe>`, wide, []string{"axe label"}},
		"no icon":           {"", "<script>document.querySelector('link').remove()</script>", wide, []string{"has no icon"}},
		"faint in the dark": {"", faint, chromium.Options{Dark: true}, []string{"axe color-contrast"}},
		"too wide": {"", `<div style="width:400px">x</div>`, chromium.Options{Width: 360},
			[]string{"wider than the window"}},
		"clipped": {"", `<div style="overflow:hidden;width:99px"><p style="width:100px;padding:9px">x</p></div>`, wide,
			[]string{"clips what is in <div"}},
		"forbidden": {"default-src 'none'", "<script>1</script>", wide,
			[]string{"CSP: script-src-elem forbids inline", "error: Executing inline script"}},
		"forbidden, unasked": {"default-src 'none'", `<img alt="" src="/x.png">`, without,
			[]string{"error: Loading the image"}},
		"messages": {"", script, wide,
			[]string{"warning: odd", "elsewhere tracker.test", "net::ERR_TUNNEL_CONNECTION_FAILED GET"}},
		"exceptions": {"", "<script>throw new Error('broken')</script>", wide, []string{"exception: Error: broken"}},
		"missing":    {"", image, wide, []string{"404 GET", "axe image-alt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			s := chromium.Open(r, chromium.Web{"bad.test": serve(c.policy, c.page)}, c.options)
			s.Visit("https://bad.test/").Look("bad", "Shown")
			got := r.finish()
			for _, part := range c.want {
				if !strings.Contains(got, part) {
					t.Errorf("got %s, want %s in it", got, part)
				}
			}
		})
	}
}

func TestExpect(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	r := &recorder{TB: t}
	s := chromium.Open(r, chromium.Web{"good.test": serve("", "")}, chromium.Options{})
	s.Expect("400 POST")
	s.Visit("http://good.test/")
	if got := r.finish(); !strings.Contains(got, "400 POST") {
		t.Errorf("got %q, want that 400 POST did not come", got)
	}
	s = chromium.Open(t, chromium.Web{"good.test": serve("", "")}, chromium.Options{})
	s.Expect("404 GET")
	s.Visit("http://good.test/none")
}

// TestFrame_OtherSite checks that the browser sends a cookie that was set over https, even in a frame on another site's
// page.
func TestFrame_OtherSite(t *testing.T) {
	t.Parallel()
	var cookies []string
	framed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookies = append(cookies, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "__Host-a", Value: "b", Path: "/", Secure: true, HttpOnly: true,
			SameSite: http.SameSiteNoneMode, Partitioned: true})
		serve("default-src 'none'; img-src data:; form-action 'self'",
			`<form><button name="ok">Send</button></form>`).ServeHTTP(w, r)
	})
	s := chromium.Open(t, chromium.Web{
		"framed.test": framed,
		"shop.test":   serve("", `<iframe title="Pay" src="https://framed.test/"></iframe>`),
	}, chromium.Options{})
	tab := s.Visit("https://shop.test/")
	frame := tab.Frame("iframe")
	frame.Button("Send").Click()
	tab.Wait(`frames[0].length === 0`)
	frame.Heading("Shown").Wait()
	tab.Look("frame", "Shown")
	if diff := cmp.Diff([]string{"", "__Host-a=b"}, cookies); diff != "" {
		t.Errorf("cookies (-want +got):\n%s", diff)
	}
}
