package docs_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yaml "github.com/oasdiff/yaml3"

	"github.com/cashwrap/cashwrap/shared/contract"
)

const (
	html       = "Accept: text/html"
	redoc      = "/docs/redoc-2.5.4.js"
	neverCache = "no-store"
)

// guideNames returns the names of the guides' files.
func guideNames(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("guides/*.md")
	if err != nil || len(files) < 8 {
		t.Fatalf("got guides %q, error %v; want at least 8", files, err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".md"))
	}
	return names
}

// TestPages_TypeAndCaching checks each page's type, and that only pages with a version in their name are cached.
func TestPages_TypeAndCaching(t *testing.T) {
	t.Parallel()
	h := newHandler(t, baseURL)
	types := map[string]string{"/": "text/html", "/docs": "text/html", redoc: "text/javascript",
		"/openapi.yaml": "application/yaml", "/llms.txt": "text/plain"}
	for _, name := range guideNames(t) {
		types["/docs/"+name], types["/docs/"+name+".md"] = "text/html", "text/markdown"
	}
	for path, want := range types {
		got := ask(t, h, http.MethodGet, path, html)
		kind, _, _ := strings.Cut(got.Header().Get("Content-Type"), ";")
		cached := map[bool]string{true: "public, max-age=31536000, immutable", false: neverCache}[path == redoc]
		if got.Code != http.StatusOK || kind != want || got.Header().Get("Cache-Control") != cached {
			t.Errorf("%s: got %d %v, want 200 %s with Cache-Control %s", path, got.Code, got.Header(), want, cached)
		}
		head := ask(t, h, http.MethodHead, path, html)
		if want := got.Header().Get("Content-Length"); head.Code != http.StatusOK || head.Body.Len() != 0 ||
			path != "/docs" && head.Header().Get("Content-Length") != want {
			t.Errorf("HEAD %s: got %d, %d bytes and %v; want 200, none and the length %s", path, head.Code, head.Body.Len(),
				head.Header(), want)
		}
		if post := ask(t, h, http.MethodPost, path); post.Code != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: got %d, want 405", path, post.Code)
		}
	}
}

// TestShowGuide_UnknownName checks that no name makes the handler read a file by a path.
func TestShowGuide_UnknownName(t *testing.T) {
	t.Parallel()
	h := newHandler(t, baseURL)
	for _, path := range []string{"/docs/none", "/docs/none.md", "/docs/.md", "/docs/first-payment.md.md",
		"/docs/first-payment.html", "/docs/First-payment", "/docs/first-payment%00", "/docs/first-payment%2F",
		"/docs/..%2Fguides%2Ffirst-payment", "/docs/%2e%2e%2Froutes.go", "/docs/..%5Croutes.go", "/docs/guides.go",
		"/docs/reference.js", "/docs/redoc-2.5.4.js.gz", "/docs/redoc-2.5.4.js.md", "/docs/docs.css",
		"/docs/" + strings.Repeat("a", 5000)} {
		got := ask(t, h, http.MethodGet, path, html)
		body := got.Body.String()
		if got.Code != http.StatusNotFound || !strings.Contains(body, "<p>There is nothing at this address.</p>") {
			t.Errorf("%.50s: got %d %.200s, want a page with 404", path, got.Code, body)
		}
		if name := strings.TrimPrefix(path, "/docs/"); len(name) > 4 && strings.Contains(body, name) {
			t.Errorf("%.50s: got it in the page, want nothing reflected", path)
		}
		if cached := got.Header().Get("Cache-Control"); cached != neverCache {
			t.Errorf("%.50s: got Cache-Control %s, want %s", path, cached, neverCache)
		}
	}
	for _, path := range []string{"/docs/", "/docs/first-payment/", "/docs/a/b", "/docs/../openapi.yaml", "//docs",
		"/openapi.yaml/", "/llms.txt.md"} {
		if got := ask(t, h, http.MethodGet, path, html); got.Code != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, got.Code)
		}
	}
}

// TestShowWelcome_APIClient checks that an API client gets exactly the same answer for the welcome page as for an
// unknown path.
func TestShowWelcome_APIClient(t *testing.T) {
	t.Parallel()
	h := newHandler(t, baseURL)
	id := regexp.MustCompile(`[0-9a-f-]{36}`)
	for _, accept := range []string{"", "*/*", "application/json", "application/problem+json, */*", "text/html;q=0",
		"text/*", "application/json;x=\"text/html\"", strings.Repeat("text/htm, ", 50_000)} {
		answer := func(path string) string {
			w := ask(t, h, http.MethodGet, path, "Accept: "+accept)
			return fmt.Sprintln(w.Code, w.Header().Get("Content-Type"), id.ReplaceAllString(w.Body.String(), "…"))
		}
		if diff := cmp.Diff(answer("/nowhere"), answer("/")); diff != "" {
			t.Errorf("%.30q: the answer (-want +got):\n%s", accept, diff)
		}
	}
}

// TestShowReference_Policy checks that the policy is strict, and that each response has a different nonce.
func TestShowReference_Policy(t *testing.T) {
	t.Parallel()
	h := newHandler(t, baseURL)
	nonce := regexp.MustCompile(`'nonce-([A-Za-z0-9+/=]{22,})'`)
	seen := map[string]bool{}
	for range 3 {
		got := ask(t, h, http.MethodGet, "/docs")
		policy := got.Header().Get("Content-Security-Policy")
		named := nonce.FindAllStringSubmatch(policy, -1)
		if len(named) != 2 || named[0][1] != named[1][1] || seen[named[0][1]] {
			t.Fatalf("got policy %s, want one new nonce for scripts and styles", policy)
		}
		seen[named[0][1]] = true
		if want := `<script src="` + redoc + `" nonce="` + named[0][1] + `">`; !strings.Contains(got.Body.String(), want) {
			t.Errorf("got page %s, want %s in it", got.Body, want)
		}
		wantStrict(t, policy)
		for _, want := range []string{"default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"} {
			if !slices.Contains(strings.Split(policy, "; "), want) {
				t.Errorf("got policy %s, want %s in it", policy, want)
			}
		}
	}
}

// wantStrict checks that a policy allows only hashes, nonces and our own host.
func wantStrict(t *testing.T, policy string) {
	t.Helper()
	allowed := regexp.MustCompile(`^('none'|'self'|'nonce-[^']+'|'sha256-[^']+'|data:)$`)
	for directive := range strings.SplitSeq(policy, "; ") {
		for i, source := range strings.Fields(directive) {
			if i > 0 && (!allowed.MatchString(source) || source == "data:" && !strings.HasPrefix(directive, "img-src ")) {
				t.Errorf("got policy %s, want it without %s", policy, source)
			}
		}
	}
}

func TestPages_Policy(t *testing.T) {
	t.Parallel()
	h := newHandler(t, baseURL)
	for _, path := range []string{"/", "/docs/callbacks", "/docs/callbacks.md", redoc, "/openapi.yaml",
		"/llms.txt"} {
		got := ask(t, h, http.MethodGet, path, html).Header().Get("Content-Security-Policy")
		if wantStrict(t, got); got == "" || strings.Contains(got, "nonce") {
			t.Errorf("%s: got policy %q, want one without a nonce", path, got)
		}
	}
}

// TestPages_Compressed checks that large pages are compressed for clients that accept compression. Other clients get
// the same content uncompressed.
func TestPages_Compressed(t *testing.T) {
	t.Parallel()
	h := newHandler(t, baseURL)
	for _, path := range []string{redoc, "/openapi.yaml"} {
		plain, packed := ask(t, h, http.MethodGet, path), ask(t, h, http.MethodGet, path, "Accept-Encoding: br, gzip")
		if encoding := packed.Header().Get("Content-Encoding"); encoding != "gzip" || packed.Body.Len() > plain.Body.Len()/3 {
			t.Errorf("%s: got encoding %q of %d bytes for %d, want gzip", path, encoding, packed.Body.Len(), plain.Body.Len())
			continue
		}
		from, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(from); err != nil || !bytes.Equal(got, plain.Body.Bytes()) {
			t.Errorf("%s: got %d bytes, error %v; want the same %d", path, len(got), err, plain.Body.Len())
		}
	}
}

// TestShowGuide_Source checks that the source is the guide's file with the installation's address.
func TestShowGuide_Source(t *testing.T) {
	t.Parallel()
	h := newHandler(t, baseURL)
	for _, name := range guideNames(t) {
		text, err := os.ReadFile("guides/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(string(text), "{{base_url}}", baseURL)
		if diff := cmp.Diff(want, ask(t, h, http.MethodGet, "/docs/"+name+".md").Body.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestDownloadOpenapi checks that the installation's address replaces the documented address, and nothing else changes.
func TestDownloadOpenapi(t *testing.T) {
	t.Parallel()
	got := ask(t, newHandler(t, baseURL+"/"), http.MethodGet, "/openapi.yaml").Body.String()
	if want := strings.ReplaceAll(contract.OpenAPI(), contract.DocumentedURL, baseURL); got != want {
		t.Errorf("the document (-want +got):\n%s", cmp.Diff(want, got))
	}
	var document struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]any
	}
	if err := yaml.Unmarshal([]byte(got), &document); err != nil || len(document.Servers) != 1 ||
		document.Servers[0].URL != baseURL || len(document.Paths) < 70 {
		t.Errorf("got servers %v, %d paths, error %v; want %s and at least 70", document.Servers, len(document.Paths), err,
			baseURL)
	}
}

// TestShowIndex checks that the index lists each guide, in the form of llmstxt.org.
func TestShowIndex(t *testing.T) {
	t.Parallel()
	got := ask(t, newHandler(t, baseURL), http.MethodGet, "/llms.txt").Body.String()
	if !regexp.MustCompile(`^# [^\n]+\n\n> [^\n]+\n`).MatchString(got) {
		t.Errorf("got %s, want a title and a summary first", got)
	}
	for _, name := range guideNames(t) {
		line := regexp.MustCompile(`(?m)^- \[[^\]]+\]\(` + regexp.QuoteMeta(baseURL+"/docs/"+name+".md") + `\): \S.*\.$`)
		if !line.MatchString(got) {
			t.Errorf("got %s, want a line of %s", got, name)
		}
	}
	if want := "- [openapi.yaml](" + baseURL + "/openapi.yaml): "; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

// TestPages_HostOfRequest checks that only the configured address is shown, so that no cache or reader is misled.
func TestPages_HostOfRequest(t *testing.T) {
	t.Parallel()
	h := newHandler(t, baseURL)
	for _, path := range []string{"/", "/docs", "/docs/first-payment", "/docs/first-payment.md", "/openapi.yaml",
		"/llms.txt", "/docs/none"} {
		got := ask(t, h, http.MethodGet, "http://evil.example"+path, html, "X-Forwarded-Host: evil.example",
			"Forwarded: host=evil.example", "X-Original-URL: /evil.example")
		if body := got.Body.String(); len(body) == 0 || strings.Contains(body, "evil.example") {
			t.Errorf("%s: got %d %s, want no host of the request in it", path, got.Code, body)
		}
	}
}
