package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guide is a Markdown file whose fenced blocks are run as a reader runs them. The words after the three backquotes give
// the kind of a block:
//
//	sh               commands; all of a guide run in one bash, in order
//	json, text       the output of the commands right before; "…" is anything
//	go file=main.go  a file that the reader saves in the shell's folder; also ts and py
//	console          not run
//
// Sections whose title is in alternatives exclude each other. A guide with such sections is run once for each of them,
// together with all its other sections.
type guide struct {
	name   string // name of the file
	blocks []block
}

type block struct {
	line    int    // line of the opening fence, from 1
	section string // title of the level-2 section around the block
	kind    string
	file    string
	lines   []string
}

// alternatives lists the sections of callbacks.md that each are for one language.
var alternatives = []string{"Go", "TypeScript", "Python"}

// readGuide reads a guide for an installation at the base URL. It replaces port 4000, on which the guide's receivers
// listen, by the given port.
func readGuide(t *testing.T, path, baseURL, port string) guide {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	filled := regexp.MustCompile(`\b4000\b`).ReplaceAllString(string(text), port)
	g, err := parseGuide(filepath.Base(path), strings.ReplaceAll(filled, "{{base_url}}", baseURL))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const fence = "```"

func parseGuide(name, text string) (guide, error) {
	g := guide{name: name}
	section, open := "", false
	for number, line := range strings.Split(text, "\n") {
		info, fenced := strings.CutPrefix(line, fence)
		switch {
		case open && fenced:
			open = false
		case open:
			last := &g.blocks[len(g.blocks)-1]
			last.lines = append(last.lines, line)
		case fenced:
			kind, file, _ := strings.Cut(info, " file=")
			g.blocks = append(g.blocks, block{line: number + 1, section: section, kind: kind, file: file})
			open = true
		case strings.HasPrefix(line, "## "):
			section = line[len("## "):]
		}
	}
	if open {
		return g, fmt.Errorf("%s: the last block has no end", name)
	}
	return g, g.check()
}

// check refuses blocks that would prove nothing.
func (g guide) check() error {
	for i, b := range g.blocks {
		switch {
		case slices.Contains([]string{"sh", "console"}, b.kind) && b.file == "",
			slices.Contains([]string{"go", "ts", "py"}, b.kind) && b.file != "",
			b.prints() && i > 0 && g.blocks[i-1].kind == "sh" && g.blocks[i-1].section == b.section:
		default:
			return fmt.Errorf("%s:%d: got a block %q, want one of sh, console, json or text right after sh, "+
				"or go, ts or py with file=", g.name, b.line, b.kind)
		}
	}
	return nil
}

func (b block) prints() bool { return b.kind == "json" || b.kind == "text" }

// ways returns the ways to run the guide: its alternatives, or "" if it has none.
func (g guide) ways() (titles []string) {
	for _, title := range alternatives {
		if slices.ContainsFunc(g.blocks, func(b block) bool { return b.section == title }) {
			titles = append(titles, title)
		}
	}
	if titles == nil {
		return []string{""}
	}
	return titles
}

// way returns the guide without the alternatives other than title.
func (g guide) way(title string) guide {
	blocks := slices.DeleteFunc(slices.Clone(g.blocks), func(b block) bool {
		return b.section != title && slices.Contains(alternatives, b.section)
	})
	return guide{g.name, blocks}
}

// script returns a bash script that runs the guide. The script has the guide's line numbers, so that bash's errors name
// the guide's lines. The output of a block goes to a file in the folder $PRINTED, named by the line of the block's
// fence. Errors go to the standard error.
func (g guide) script() string {
	lines := []string{`set -Eeuo pipefail; trap 'echo "` + g.name + `:$LINENO: failed: $BASH_COMMAND" >&2' ERR`}
	if !slices.ContainsFunc(g.blocks, func(b block) bool { return slices.Contains(b.lines, loadEnv) }) {
		lines[0] += "; " + loadEnv
	}
	for _, b := range g.blocks {
		open, end := "", ""
		switch {
		case b.kind == "sh":
			open = fmt.Sprintf(`exec >"$PRINTED/%d"`, b.line)
		case b.file != "":
			open, end = "cat >"+b.file+" <<'END OF FILE'", "END OF FILE"
		default:
			continue
		}
		lines = append(lines, make([]string, b.line-1-len(lines))...)
		lines = append(append(append(lines, open), b.lines...), end)
	}
	return strings.Join(lines, "\n") + "\n"
}

// loadEnv is the first step of every guide. Only first-payment.md shows this step. The other guides refer to it.
const loadEnv = ". .local/env"

// compare returns the differences between the output and the guide. A block that was not reached has no output. It is
// not reported, because the failed command before it is reported.
func (g guide) compare(printed string) (differences []string) {
	for i, b := range g.blocks {
		if !b.prints() {
			continue
		}
		got, err := os.ReadFile(filepath.Join(printed, fmt.Sprint(g.blocks[i-1].line)))
		if err != nil {
			continue
		}
		if diff := differs(b.kind, strings.Join(b.lines, "\n"), string(got)); diff != "" {
			differences = append(differences, fmt.Sprintf("%s:%d: got\n%s\nwant what the guide shows (-want +got):\n%s",
				g.name, b.line, got, diff))
		}
	}
	return differences
}
