package receipts

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// The measures of a page, A4, in mm.
const (
	margin  = 20.0
	width   = 210 - 2*margin
	bottom  = 297 - margin
	leading = 5.0 // from one line of text to the next
	indent  = 60.0
	narrow  = 20.0 // widths of a table's columns
	column  = 35.0
)

// Sizes of text, in points.
const (
	normal = 10.0
	large  = 16.0
	small  = 8.0
)

// allPages is replaced by the number of pages when all are drawn. No printable text has these characters.
const allPages = "\u00ad\u00ad"

// maxLines bounds what one text takes of a page, so that each row fits on one.
const maxLines = 20

// drawing is a PDF that is being drawn. Its errors are kept until the end, as fpdf's are.
type drawing struct {
	*fpdf.Fpdf
	sheet
}

// newDrawing has a title and fonts, and no page yet. It has no time but the receipt's own.
func newDrawing(s sheet) drawing {
	d := drawing{fpdf.New("P", "mm", "A4", ""), s}
	d.SetCatalogSort(true)
	d.SetCreationDate(s.at)
	d.SetModificationDate(s.at)
	d.SetTitle(printable(s.heading()+" "+s.merchant[0]), true)
	d.SetLang(string(s.language))
	d.AddUTF8FontFromBytes("Go", "", goregular.TTF)
	d.AddUTF8FontFromBytes("Go", "B", gobold.TTF)
	d.SetMargins(margin, margin, margin)
	d.SetAutoPageBreak(false, 0)
	d.SetCellMargin(0)
	d.AliasNbPages(allPages)
	d.SetFooterFunc(d.footer)
	return d
}

// pdf draws the receipt. The same receipt is always the same bytes.
func (s sheet) pdf() ([]byte, error) {
	d := newDrawing(s)
	d.AddPage()
	d.head()
	d.facts()
	d.table(d.products, d.productTable())
	d.amounts(d.sums)
	d.table(d.vatRates, d.rateTable())
	if len(d.refunds) > 0 {
		d.subtitle(d.refundsTitle)
		d.amounts(d.refunds)
	}
	var b bytes.Buffer
	if err := d.Output(&b); err != nil {
		return nil, fmt.Errorf("draw a receipt: %w", err)
	}
	return b.Bytes(), nil
}

func (d drawing) footer() {
	d.font("", small)
	d.SetXY(margin, bottom+leading)
	d.CellFormat(width, leading, fmt.Sprintf("%d / %s", d.PageNo(), allPages), "", 0, "R", false, 0, "")
}

func (d drawing) font(style string, size float64) { d.SetFont("Go", style, size) }

// head is what the receipt is, by whom and of how much.
func (d drawing) head() {
	if d.test {
		d.paragraph(d.nothingMoved, "B", normal)
	}
	d.paragraph(d.heading(), "B", large)
	if d.state != "" {
		d.paragraph(d.state, "B", normal)
	}
	d.Ln(leading)
	for i, text := range d.merchant {
		style := ""
		if i == 0 {
			style = "B"
		}
		d.paragraph(text, style, normal)
	}
	d.Ln(leading)
	d.paragraph(d.amount, "B", large)
	d.Ln(leading)
}

// paragraph is a text of its own, on as many lines as it needs.
func (d drawing) paragraph(text, style string, size float64) {
	d.font(style, size)
	height := leading * size / normal
	for _, one := range d.wrapped(text, width) {
		d.room(height)
		d.CellFormat(width, height, one, "", 1, "L", false, 0, "")
	}
}

func (d drawing) subtitle(text string) {
	d.room(5 * leading) // never the last on a page
	d.Ln(leading)
	d.paragraph(text, "B", normal)
}

// room begins another page where the height does not fit on this one; it reports whether it has.
func (d drawing) room(height float64) bool {
	if d.GetY()+height <= bottom {
		return false
	}
	d.AddPage()
	return true
}

// wrapped is the text on lines of the width, in the present font.
func (d drawing) wrapped(text string, width float64) []string {
	var lines []string
	for _, one := range linesOf(text) {
		lines = append(lines, d.SplitText(printable(one), width)...)
	}
	if len(lines) > maxLines {
		lines = append(lines[:maxLines-1], "…")
	}
	return lines
}

// facts are names, with their values beside them.
func (d drawing) facts() {
	d.font("", normal)
	for _, f := range d.sheet.facts {
		d.row([]cell{{f.name, indent, "L"}, {f.value, width - indent, "L"}})
	}
}

// amounts are names, with amounts at the right edge.
func (d drawing) amounts(all []fact) {
	d.font("B", normal)
	for _, f := range all {
		d.row([]cell{{f.name, width - 2*column, "L"}, {f.value, 2 * column, "R"}})
	}
}

type cell struct {
	text  string
	width float64
	align string
}

// row draws cells beside each other, each on as many lines as it needs.
func (d drawing) row(cells []cell) {
	lines, height := d.laid(cells)
	d.room(height)
	x, y := margin, d.GetY()
	for i, c := range cells {
		for n, one := range lines[i] {
			d.SetXY(x, y+float64(n)*leading)
			d.CellFormat(c.width, leading, one, "", 0, c.align, false, 0, "")
		}
		x += c.width
	}
	d.SetXY(margin, y+height)
}

// laid are the lines of each of the cells, and the height of their row.
func (d drawing) laid(cells []cell) (lines [][]string, height float64) {
	const gap = 2.0
	for _, c := range cells {
		wrapped := d.wrapped(c.text, c.width-gap)
		lines, height = append(lines, wrapped), max(height, float64(len(wrapped))*leading)
	}
	return lines, height
}

// table draws rows under their headings, which each page repeats.
func (d drawing) table(title string, rows [][]cell) {
	d.subtitle(title)
	heading := func() {
		d.font("B", normal)
		d.row(rows[0])
		d.rule()
		d.font("", normal)
	}
	heading()
	for _, cells := range rows[1:] {
		if _, height := d.laid(cells); d.room(height) {
			heading()
		}
		d.row(cells)
	}
	d.rule()
}

// rule is a line across the page, with some space beneath.
func (d drawing) rule() {
	const space = 1.0
	d.Line(margin, d.GetY(), margin+width, d.GetY())
	d.SetY(d.GetY() + space)
}

func (d drawing) productTable() [][]cell {
	rows := [][]cell{{{d.item, width - narrow - 2*column, "L"}, {d.quantity, narrow, "R"},
		{d.price, column, "R"}, {d.sum, column, "R"}}}
	for _, l := range d.lines {
		rows = append(rows, []cell{{l.name, width - narrow - 2*column, "L"}, {l.quantity, narrow, "R"},
			{l.price, column, "R"}, {l.total, column, "R"}})
	}
	return rows
}

func (d drawing) rateTable() [][]cell {
	rows := [][]cell{{{d.rate, width - 3*column, "L"}, {d.net, column, "R"}, {d.vat, column, "R"}, {d.gross, column, "R"}}}
	for _, r := range d.rates {
		rows = append(rows, []cell{{r.percent, width - 3*column, "L"}, {r.net, column, "R"}, {r.vat, column, "R"},
			{r.gross, column, "R"}})
	}
	return rows
}

// unknown is printed in place of a character that the fonts do not have.
const unknown = "?"

// linesOf are the lines of a text, which may end as on any system.
func linesOf(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// printable returns the text on one line, in the fonts' Latin, Greek and Cyrillic letters. Others lose accents or
// become question marks. It drops unseen characters, some of which change the direction of text.
func printable(text string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.Join(strings.Fields(text), " ")) {
		switch {
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
		case hasGlyph(r):
			b.WriteRune(r)
		default:
			b.WriteString(plainer(r))
		}
	}
	return b.String()
}

// plainer is a character that the fonts do not have without its accents.
func plainer(r rune) string {
	if unicode.Is(unicode.Mn, r) {
		return "" // an accent by itself
	}
	if base, _ := utf8.DecodeRuneInString(norm.NFKD.String(string(r))); hasGlyph(base) {
		return string(base)
	}
	return unknown
}

// fonts is the regular one; the bold one has the same characters.
var fonts = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err) // it is part of the program
	}
	return f
})

func hasGlyph(r rune) bool {
	var b sfnt.Buffer
	glyph, err := fonts().GlyphIndex(&b, r)
	return err == nil && glyph != 0
}
