package docs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = "# A *title* of `code`\n\nWhat it is\nabout, with [a link](callbacks.md) &amp; 1\\*.\n\n" +
	"## First part\n\n```sh\ncurl -d '<b>&'\n\n```\n\n- In a list:\n\n  ```go file=main.go\n  package main\n  ```\n\n" +
	"## First part\n\n    indented <i>\n\n|  | b |\n|---|--:|\n| 1 | 2 |\n\n```\nplain\n```\n\n" +
	"[other](refunds.md#first) [here](#second) [out](https://x.example/a.md) [none](none.md)\n" +
	"[run](javascript:alert(1))\n\n" +
	"<script>alert(1)</script>\n\nAn <img src=x onerror=alert(1)> inside.\n"

func TestParseArticle(t *testing.T) {
	t.Parallel()
	got, err := site{path: "/below"}.parseArticle(sample)
	if err != nil {
		t.Fatal(err)
	}
	want := article{title: "A title of code", summary: "What it is about, with a link & 1*.",
		sections: []section{{"first-part", "First part"}, {"first-part-1", "First part"}}, html: got.html}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(article{}, section{})); diff != "" {
		t.Errorf("the article (-want +got):\n%s", diff)
	}
	for _, part := range []string{
		`<h1 id="a-title-of-code">A <em>title</em> of <code>code</code></h1>`,
		`<h2 id="first-part">First part</h2>`, `<h2 id="first-part-1">First part</h2>`,
		`<figure class="code"><figcaption>Shell</figcaption>`,
		`<pre class="scrolls" tabindex="0" role="region" aria-label="Code 1: Shell"><code>curl -d &#39;&lt;b&gt;&amp;&#39;` +
			"\n\n</code></pre>",
		`<figcaption>main.go</figcaption>`, `aria-label="Code 2: main.go"><code>package main` + "\n</code>",
		`aria-label="Code 3: Code"><code>plain` + "\n</code>", "<code>indented &lt;i&gt;\n</code>",
		`<div class="scrolls" tabindex="0" role="region" aria-label="Table 1"><table>`, "</table></div>",
		`<td class="none"></td>`, `<th class="right">b</th>`, `<td class="none">1</td>`, `<td class="right">2</td>`,
		`<a href="/below/docs/callbacks">`, `<a href="/below/docs/refunds#first">`, `<a href="#second">`,
		`<a href="https://x.example/a.md">`, `<a href="none.md">`, `<a href="">run</a>`,
	} {
		if !strings.Contains(got.html, part) {
			t.Errorf("got %s, want %s in it", got.html, part)
		}
	}
	for _, part := range []string{"<script", "<img", "javascript:", "onerror"} {
		if strings.Contains(got.html, part) {
			t.Errorf("got %s, want it without %s", got.html, part)
		}
	}
}

func TestParseArticle_NoTitle(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "text", "## Title\n\ntext", "# Title", "# Title\n\n- list",
		"# Title\n\n## Section"} {
		if _, err := (site{}).parseArticle(text); err == nil {
			t.Errorf("%q: got no error, want one", text)
		}
	}
}

// TestGuideOrder checks that guideOrder lists all guides, because a missing guide would be on no page.
func TestGuideOrder(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(guideOrder)
	slices.Sort(want)
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".md")
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("guides (-order +files):\n%s", diff)
	}
}
