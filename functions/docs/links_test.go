package docs_test

import (
	stdhtml "html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var (
	hyperlinks = regexp.MustCompile(`(?:href|src|data-document)="([^"]*)"`)
	markdowns  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codes      = regexp.MustCompile("(?s)```.*?\n```|`[^`\n]+`")
)

// linksOf returns the links of a page or a text in Markdown, as absolute addresses.
func linksOf(t *testing.T, at *url.URL, contentType, body string) (all []*url.URL) {
	t.Helper()
	pattern := hyperlinks
	switch {
	case strings.HasPrefix(contentType, "text/markdown"), strings.HasPrefix(contentType, "text/plain"):
		pattern, body = markdowns, codes.ReplaceAllString(body, "")
	case !strings.HasPrefix(contentType, "text/html"):
		return nil
	}
	for _, link := range pattern.FindAllStringSubmatch(body, -1) {
		to, err := at.Parse(stdhtml.UnescapeString(link[1]))
		if err != nil {
			t.Errorf("%s: got the link %s, error %v", at, link[1], err)
			continue
		}
		all = append(all, to)
	}
	return all
}

// TestPages_Links follows every link to this installation, beginning on the welcome page. Each link must answer 200,
// and the page must have the place that the link names. The test also runs for an installation below a path.
func TestPages_Links(t *testing.T) {
	t.Parallel()
	for _, base := range []string{baseURL, baseURL + "/below"} {
		h := http.StripPrefix(strings.TrimPrefix(base, baseURL), newHandler(t, base))
		bodies := map[string]string{}
		start, err := url.Parse(base + "/")
		if err != nil {
			t.Fatal(err)
		}
		for queue := []*url.URL{start}; len(queue) > 0; queue = queue[1:] {
			to := *queue[0]
			to.Fragment = ""
			body, seen := bodies[to.String()]
			if !seen && strings.HasPrefix(to.String(), base+"/") {
				got := ask(t, h, http.MethodGet, to.Path, html)
				if body = got.Body.String(); got.Code != http.StatusOK {
					t.Errorf("%s: got %d, want 200", &to, got.Code)
				}
				bodies[to.String()] = body
				queue = append(queue, linksOf(t, &to, got.Header().Get("Content-Type"), body)...)
			}
			if id := queue[0].Fragment; id != "" && strings.Contains(body, "<html") && !strings.Contains(body, ` id="`+id+`"`) {
				t.Errorf("got the link %s, want one to a place on its page", queue[0])
			}
			if other := to.Host == start.Host && !strings.HasPrefix(to.String(), base+"/"); other {
				t.Errorf("got the link %s, want none past %s", &to, base)
			}
		}
		if want := 2*len(guideNames(t)) + 6; len(bodies) < want {
			t.Errorf("%s: got %d pages, want at least %d", base, len(bodies), want)
		}
	}
}
