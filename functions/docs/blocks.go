package docs

import (
	"cmp"
	"context"
	"strings"

	"github.com/yuin/goldmark/ast"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// blocks draws each block of code and each table in a frame that scrolls, with a name and focus for people without a
// mouse. It draws a table's cells, too: goldmark aligns them by style attributes, which the policy forbids.
type blocks struct{}

// RegisterFuncs takes over the nodes.
func (b blocks) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindFencedCodeBlock, b.code)
	to.Register(table.KindTable, b.table)
	to.Register(table.KindTableCell, b.cell)
}

// kinds are what blocks of code are called, by their languages.
var kinds = map[string]string{"sh": "Shell", "console": "Example", "json": "JSON", "text": "Output", "go": "Go",
	"ts": "TypeScript", "py": "Python"}

// labelled is the attribute with the name of a frame.
const labelled = "aria-label"

func (blocks) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	info := ""
	if fence := n.(*ast.FencedCodeBlock); fence.Info != nil {
		info = string(fence.Info.Value(source))
	}
	language, more, _ := strings.Cut(info, " ")
	file, _ := strings.CutPrefix(more, "file=")
	var code strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(source))
	}
	title := cmp.Or(file, kinds[language], "Code")
	return ast.WalkSkipChildren, codeBlock(title, label(n), code.String()).Render(context.Background(), w)
}

func label(n ast.Node) string {
	name, _ := n.AttributeString(labelled)
	return name.(string)
}

func (blocks) table(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	markup := "</table></div>\n"
	if entering {
		markup = `<div class="scrolls" tabindex="0" role="region" aria-label="` + label(n) + `"><table>`
	}
	_, err := w.WriteString(markup)
	return ast.WalkContinue, err
}

// cell is a cell of a table. One at the head without a text heads nothing.
func (blocks) cell(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "td"
	if n.Parent().Kind() == table.KindTableHeader && n.HasChildren() {
		tag = "th"
	}
	markup := "</" + tag + ">\n"
	if entering {
		markup = "<" + tag + ` class="` + n.(*table.TableCell).Alignment.String() + `">`
	}
	_, err := w.WriteString(markup)
	return ast.WalkContinue, err
}
