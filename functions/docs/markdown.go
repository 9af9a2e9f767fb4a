package docs

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

type article struct {
	title    string
	summary  string // the first paragraph as plain text
	sections []section
	html     string
}

// section is a section of an article's second level.
type section struct{ id, title string }

// markdown parses CommonMark with tables. It drops the HTML in a source, and links that run scripts.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 1))))

var errNoTitle = errors.New("a guide begins with a title and a paragraph")

// parseArticle renders an article. It fails unless the source begins with a title and a paragraph.
func (s site) parseArticle(source string) (article, error) {
	raw := []byte(source)
	root := markdown.Parser().Parse(text.NewReader(raw))
	title, isTitle := root.FirstChild().(*ast.Heading)
	if !isTitle || title.Level != 1 {
		return article{}, errNoTitle
	}
	first, isParagraph := title.NextSibling().(*ast.Paragraph)
	if !isParagraph {
		return article{}, errNoTitle
	}
	read := article{title: plainText(title, raw), summary: plainText(first, raw)}
	frames := map[ast.NodeKind]int{}
	for n := range nodes(root) {
		switch n := n.(type) {
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok && n.Level == 2 {
				read.sections = append(read.sections, section{string(id.([]byte)), plainText(n, raw)})
			}
		case *ast.Link:
			n.Destination = []byte(s.resolveLink(string(n.Destination)))
		case *ast.FencedCodeBlock, *table.Table:
			frames[n.Kind()]++
			n.SetAttributeString(labelAttribute, fmt.Sprint(frameNames[n.Kind()], " ", frames[n.Kind()]))
		}
	}
	var b bytes.Buffer
	err := markdown.Renderer().Render(&b, raw, root)
	read.html = b.String()
	return read, err
}

// frameNames has the names of frames. A number follows each name, because no two frames may have the same name.
var frameNames = map[ast.NodeKind]string{ast.KindFencedCodeBlock: "Code", table.KindTable: "Table"}

// nodes returns the root and all nodes below it.
func nodes(root ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // never fails
			if entering && !yield(n) {
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
}

func plainText(root ast.Node, source []byte) string {
	var b strings.Builder
	for n := range nodes(root) {
		t, isText := n.(*ast.Text)
		switch {
		case !isText:
			continue
		case t.IsRaw():
			b.Write(t.Value(source))
		default:
			b.WriteString(html.UnescapeString(string(util.UnescapePunctuations(t.Value(source)))))
		}
		if t.SoftLineBreak() || t.HardLineBreak() {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// guideLinkPattern matches a link from one guide's file to another's.
var guideLinkPattern = regexp.MustCompile(`^([\w-]+)\.md(#.*)?$`)

// resolveLink returns the URL of a guide's link on its page.
func (s site) resolveLink(link string) string {
	if to := guideLinkPattern.FindStringSubmatch(link); to != nil && slices.Contains(guideOrder, to[1]) {
		return s.path + "/docs/" + to[1] + to[2]
	}
	return link
}
