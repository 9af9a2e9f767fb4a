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

// blocks renders each block of code and each table in a frame that scrolls, with a name and focus for people without a
// mouse. It also renders a table's cells, because goldmark aligns them by style attributes, which the policy forbids.
type blocks struct{}

// RegisterFuncs registers the methods that render the nodes.
func (b blocks) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindFencedCodeBlock, b.renderCode)
	to.Register(table.KindTable, b.renderTable)
	to.Register(table.KindTableCell, b.renderCell)
}

// languageNames has the titles of blocks of code, by language.
var languageNames = map[string]string{"sh": "Shell", "console": "Example", "json": "JSON", "text": "Output", "go": "Go",
	"ts": "TypeScript", "py": "Python"}

// labelAttribute is the attribute of a node with the name of its frame.
const labelAttribute = "aria-label"

func (blocks) renderCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
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
	title := cmp.Or(file, languageNames[language], "Code")
	return ast.WalkSkipChildren, codeBlock(title, label(n), code.String()).Render(context.Background(), w)
}

func label(n ast.Node) string {
	name, _ := n.AttributeString(labelAttribute)
	return name.(string)
}

func (blocks) renderTable(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	markup := "</table></div>\n"
	if entering {
		markup = `<div class="scrolls" tabindex="0" role="region" aria-label="` + label(n) + `"><table>`
	}
	_, err := w.WriteString(markup)
	return ast.WalkContinue, err
}

// renderCell renders a cell of a table. It renders an empty cell of the head as td, because the cell is not a column's
// heading.
func (blocks) renderCell(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
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
