package contract

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// repository is the root of the repository, relative to this folder.
const repository = "../.."

// citing lists the endings of file names. The files with these endings are searched for citations.
var citing = []string{".go", ".templ", ".yaml", ".yml", ".md", ".js", ".mjs", ".sh", "Makefile", ".ci/run"}

// skipped lists folders with installed, built or local files, which are not searched.
var skipped = []string{".git", ".local", ".build", "bin", "node_modules"}

// file is a file of the repository, with its path from the root.
type file struct{ path, text string }

// readSources reads every file that may have citations.
func readSources(t *testing.T) []file {
	t.Helper()
	var all []file
	err := filepath.WalkDir(repository, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return filepath.SkipDir
		}
		at, err := filepath.Rel(repository, name)
		if err != nil || entry.IsDir() || !slices.ContainsFunc(citing, func(end string) bool {
			return strings.HasSuffix(at, end)
		}) {
			return err
		}
		text, err := os.ReadFile(name)
		all = append(all, file{filepath.ToSlash(at), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 500 {
		t.Fatalf("got %d files, want at least 500: this looks into the wrong folder", len(all))
	}
	return all
}

// continued matches the break between two lines of a comment or a paragraph.
var continued = regexp.MustCompile(`\n[\t ]*(//|#|\*)?[\t ]*`)

// flat returns the text with its lines joined, so that a line break inside a citation does no harm.
func (f file) flat() string { return continued.ReplaceAllString(f.text, " ") }

// headings returns the titles of a Markdown file, without code blocks.
func headings(text string) []string {
	var titles []string
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if level := strings.TrimLeft(line, "#"); !code && level != line && strings.HasPrefix(level, " ") {
			titles = append(titles, strings.TrimSpace(level))
		}
	}
	return titles
}

const contractPath = "shared/contract/contract.md"

// sectionNumbers returns the numbers of the contract's sections.
func sectionNumbers(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("contract.md")
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for _, title := range headings(string(text)) {
		if number := regexp.MustCompile(`^\d+(\.\d+)*`).FindString(title); number != "" {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

var (
	section = regexp.MustCompile(`§(\d+(?:\.\d+)*)?`)
	// cited matches the names of texts with numbered sections: our contract and public texts.
	cited = regexp.MustCompile(`(?i:contract)|RFC \d+|NIST SP [\w-]+|EMV QRCPS|CSP level \d`)
	// directly matches an RFC's name right before its section, as in "RFC 9110 §9".
	directly = regexp.MustCompile(`RFC \d+ $`)
)

// TestCitations_Sections checks that each cited section follows the name of its text, as in RFC 9110 §9. A cited
// section of the contract must exist.
func TestCitations_Sections(t *testing.T) {
	t.Parallel()
	numbers, found := sectionNumbers(t), 0
	for _, f := range readSources(t) {
		text := f.flat()
		for _, at := range section.FindAllStringSubmatchIndex(text, -1) {
			if at[2] < 0 {
				if f.path != "shared/contract/citations_test.go" {
					t.Errorf("%s: got %q, want a number after each §", f.path, excerpt(text, at))
				}
				continue
			}
			number, of := text[at[2]:at[3]], "contract"
			if before := cited.FindAllString(text[max(0, at[0]-300):at[0]], -1); len(before) > 0 {
				of = before[len(before)-1]
			} else if f.path != contractPath {
				t.Errorf("%s: got %q, want the text named that has the section", f.path, excerpt(text, at))
			}
			if directly.MatchString(text[:at[0]]) || !strings.EqualFold(of, "contract") && f.path != contractPath {
				continue
			}
			if found++; !slices.Contains(numbers, number) {
				t.Errorf("%s: got §%s in %q, want a section of the contract", f.path, number, excerpt(text, at))
			}
		}
	}
	if found < 300 {
		t.Errorf("got %d citations, want at least 300", found)
	}
}

// excerpt returns the part of the text around a place.
func excerpt(text string, at []int) string {
	return "…" + strings.ToValidUTF8(text[max(0, at[0]-60):min(len(text), at[1]+20)], "") + "…"
}

var (
	titled = regexp.MustCompile(`([\w./-]+\.md),? "([^"]+)"`)
	linked = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code   = regexp.MustCompile("(?s)```.*?\n```|`[^`\n]+`")
)

// TestCitations_Chapters checks that a chapter exists if a text cites the chapter by its title, as in `ARCHITECTURE.md,
// "Data rules"`.
func TestCitations_Chapters(t *testing.T) {
	t.Parallel()
	found := 0
	for _, f := range readSources(t) {
		for _, cite := range titled.FindAllStringSubmatch(f.flat(), -1) {
			text, err := os.ReadFile(filepath.Join(repository, cite[1]))
			if err != nil {
				t.Errorf("%s: got a citation of %s (%v), want a file that exists", f.path, cite[0], err)
				continue
			}
			if found++; !slices.Contains(headings(string(text)), cite[2]) {
				t.Errorf("%s: got a citation of %s, want one of %q", f.path, cite[0], headings(string(text)))
			}
		}
	}
	if found < 4 {
		t.Errorf("got %d citations, want at least 4", found)
	}
}

// TestLinks_Targets checks the links in our Markdown files to files of the repository. The file, and the heading in it,
// must exist.
func TestLinks_Targets(t *testing.T) {
	t.Parallel()
	found := 0
	for _, f := range readSources(t) {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, link := range linked.FindAllStringSubmatch(code.ReplaceAllString(f.text, ""), -1) {
			target, anchor, _ := strings.Cut(link[1], "#")
			if strings.Contains(target, ":") {
				continue // a link to another host
			}
			at := f.path
			if target != "" {
				at = path.Join(path.Dir(f.path), target)
			}
			found++
			if !exists(at) {
				t.Errorf("%s: got a link to %s, want one to a file that exists", f.path, link[1])
				continue
			}
			if anchor == "" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(repository, at))
			if err != nil || !slices.ContainsFunc(headings(string(text)), func(title string) bool {
				return slug(title) == anchor
			}) {
				t.Errorf("%s: got a link to %s (%v), want one to a heading of it", f.path, link[1], err)
			}
		}
	}
	if found < 50 {
		t.Errorf("got %d links, want at least 50", found)
	}
}

// located matches a path of the repository in prose.
var located = regexp.MustCompile("`((?:shared|functions|localstack|infra|events)/[\\w./-]*\\w)/?`")

// TestNamedPlaces_Exist checks that a folder or file in a Markdown file's backquotes exists. So a change that moves a
// file must also change the text.
func TestNamedPlaces_Exist(t *testing.T) {
	t.Parallel()
	found := 0
	for _, f := range readSources(t) {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, place := range located.FindAllStringSubmatch(f.text, -1) {
			if found++; !exists(place[1]) && !slices.Contains(skipped, path.Base(place[1])) {
				t.Errorf("%s: got the place %s, want one that exists", f.path, place[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("got %d places, want at least 10", found)
	}
}

func exists(at string) bool {
	_, err := os.Stat(filepath.Join(repository, at))
	return err == nil
}

// slug returns the anchor that the usual Git hosts give a heading.
func slug(title string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(title), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// unavailable matches citations of texts that a reader of the repository does not have. No pattern matches the line
// that defines it.
var unavailable = map[string]*regexp.Regexp{
	"name the operationId instead of a row": regexp.MustCompile(
		`(?i)\brow \d|\brows \d+ (to|and) \d|contract,? rows?\b`),
	"cite ARCHITECTURE.md by a chapter's title": regexp.MustCompile(`(?i)\bdesign,? [§]|\bdesign\.m[d]`),
	"cite the section of the contract": regexp.MustCompile(`(?i)[(]spec\b|\bthe ` +
		`sp[e]c\b|\bspe[c]'s\b|\bspec\.m[d]`),
}

func TestCitations_UnavailableTexts(t *testing.T) {
	t.Parallel()
	for _, f := range readSources(t) {
		text := f.flat()
		for advice, pattern := range unavailable {
			for _, at := range pattern.FindAllStringIndex(text, -1) {
				t.Errorf("%s: got %q; want: %s", f.path, excerpt(text, at), advice)
			}
		}
	}
}

var (
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)\w+)\(`)
	// testName matches the names of tests with a case. Others, such as TestProfile, may be names of types.
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*_\w+`)
	// anyTestName matches the names of tests in a command.
	anyTestName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+`)
)

// TestCitations_Tests checks that each test that a command, a document or a comment names exists. `go test -run` also
// passes if no test has the name.
func TestCitations_Tests(t *testing.T) {
	t.Parallel()
	files, exists := readSources(t), map[string]bool{}
	for _, f := range files {
		for _, function := range testFunction.FindAllStringSubmatch(f.text, -1) {
			exists[function[1]] = true
		}
	}
	found := 0
	for _, f := range files {
		name := testName
		if f.path == "Makefile" || f.path == ".ci/run" {
			name = anyTestName
		}
		for _, cited := range name.FindAllString(f.text, -1) {
			if found++; !exists[cited] {
				t.Errorf("%s: got %s, want the name of a test", f.path, cited)
			}
		}
	}
	if found <= len(exists) {
		t.Errorf("got %d names of %d tests, want some tests to be cited", found, len(exists))
	}
}
