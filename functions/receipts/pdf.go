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

// These are measures of an A4 page, in mm.
const (
	margin  = 20.0
	width   = 210 - 2*margin
	bottom  = 297 - margin
	leading = 5.0 // distance between two lines of text
	indent  = 60.0
	narrow  = 20.0 // narrow and column are widths of a table's columns
	column  = 35.0
)

// These are sizes of text, in points.
const (
	normal = 10.0
	large  = 16.0
	small  = 8.0
)

// allPages stands for the number of pages until all pages are drawn. No printable text contains these characters.
const allPages = "\u00ad\u00ad"

// maxLines limits the lines of one text, so that each row fits on a page.
const maxLines = 20

// drawing is a PDF under construction. As in the library fpdf, an error is stored and returned at the end.
type drawing struct {
	*fpdf.Fpdf
	sheet
}

// newDrawing returns a drawing with title and fonts, but without pages. It has the receipt's time, so that drawing the
// same receipt again gives the same bytes.
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
	d.SetFooterFunc(d.drawFooter)
	return d
}

// renderPDF draws the receipt. The same receipt always gives the same bytes.
func (s sheet) renderPDF() ([]byte, error) {
	d := newDrawing(s)
	d.AddPage()
	d.drawHead()
	d.drawFacts()
	d.drawTable(d.products, d.productTable())
	d.drawAmounts(d.sums)
	d.drawTable(d.vatRates, d.rateTable())
	if len(d.refunds) > 0 {
		d.drawSubtitle(d.refundsTitle)
		d.drawAmounts(d.refunds)
	}
	var b bytes.Buffer
	if err := d.Output(&b); err != nil {
		return nil, fmt.Errorf("draw a receipt: %w", err)
	}
	return b.Bytes(), nil
}

func (d drawing) drawFooter() {
	d.useFont("", small)
	d.SetXY(margin, bottom+leading)
	d.CellFormat(width, leading, fmt.Sprintf("%d / %s", d.PageNo(), allPages), "", 0, "R", false, 0, "")
}

func (d drawing) useFont(style string, size float64) { d.SetFont("Go", style, size) }

// drawHead draws the kind of receipt, the merchant and the amount.
func (d drawing) drawHead() {
	if d.test {
		d.drawParagraph(d.nothingMoved, "B", normal)
	}
	d.drawParagraph(d.heading(), "B", large)
	if d.state != "" {
		d.drawParagraph(d.state, "B", normal)
	}
	d.Ln(leading)
	for i, text := range d.merchant {
		style := ""
		if i == 0 {
			style = "B"
		}
		d.drawParagraph(text, style, normal)
	}
	d.Ln(leading)
	d.drawParagraph(d.amount, "B", large)
	d.Ln(leading)
}

// drawParagraph draws a text on as many lines as necessary, in the full width.
func (d drawing) drawParagraph(text, style string, size float64) {
	d.useFont(style, size)
	height := leading * size / normal
	for _, one := range d.wrap(text, width) {
		d.ensureRoom(height)
		d.CellFormat(width, height, one, "", 1, "L", false, 0, "")
	}
}

func (d drawing) drawSubtitle(text string) {
	d.ensureRoom(5 * leading) // so that the subtitle is never the last line of a page
	d.Ln(leading)
	d.drawParagraph(text, "B", normal)
}

// ensureRoom begins another page if the height does not fit on the page. It returns true if it began one.
func (d drawing) ensureRoom(height float64) bool {
	if d.GetY()+height <= bottom {
		return false
	}
	d.AddPage()
	return true
}

// wrap breaks the text into lines that fit the width, in the current font.
func (d drawing) wrap(text string, width float64) []string {
	var lines []string
	for _, one := range splitLines(text) {
		lines = append(lines, d.SplitText(printable(one), width)...)
	}
	if len(lines) > maxLines {
		lines = append(lines[:maxLines-1], "…")
	}
	return lines
}

// drawFacts draws the facts: each name, with its value to the right.
func (d drawing) drawFacts() {
	d.useFont("", normal)
	for _, f := range d.facts {
		d.drawRow([]cell{{f.name, indent, "L"}, {f.value, width - indent, "L"}})
	}
}

// drawAmounts draws the facts' names, with their amounts at the right edge.
func (d drawing) drawAmounts(all []fact) {
	d.useFont("B", normal)
	for _, f := range all {
		d.drawRow([]cell{{f.name, width - 2*column, "L"}, {f.value, 2 * column, "R"}})
	}
}

type cell struct {
	text  string
	width float64
	align string
}

// drawRow draws cells side by side. Each cell has as many lines as its text needs.
func (d drawing) drawRow(cells []cell) {
	lines, height := d.layOut(cells)
	d.ensureRoom(height)
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

// layOut returns the lines of each cell, and the height of their row.
func (d drawing) layOut(cells []cell) (lines [][]string, height float64) {
	const gap = 2.0
	for _, c := range cells {
		wrapped := d.wrap(c.text, c.width-gap)
		lines, height = append(lines, wrapped), max(height, float64(len(wrapped))*leading)
	}
	return lines, height
}

// drawTable draws rows under their headings. It repeats the headings on each page.
func (d drawing) drawTable(title string, rows [][]cell) {
	d.drawSubtitle(title)
	heading := func() {
		d.useFont("B", normal)
		d.drawRow(rows[0])
		d.drawRule()
		d.useFont("", normal)
	}
	heading()
	for _, cells := range rows[1:] {
		if _, height := d.layOut(cells); d.ensureRoom(height) {
			heading()
		}
		d.drawRow(cells)
	}
	d.drawRule()
}

// drawRule draws a line across the page, with some space below.
func (d drawing) drawRule() {
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

// replacement replaces a character that the fonts do not have.
const replacement = "?"

// splitLines splits a text at the line ends of any system.
func splitLines(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// printable returns the text on one line, in the Latin, Greek and Cyrillic letters of the fonts. If the fonts lack a
// character, printable drops the character's accents, or else prints a question mark. Invisible characters are dropped,
// because some of them change the direction of text.
func printable(text string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.Join(strings.Fields(text), " ")) {
		switch {
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
		case hasGlyph(r):
			b.WriteRune(r)
		default:
			b.WriteString(withoutAccents(r))
		}
	}
	return b.String()
}

// withoutAccents returns a character without its accents, if the fonts have that form.
func withoutAccents(r rune) string {
	if unicode.Is(unicode.Mn, r) {
		return "" // the character is only an accent
	}
	if base, _ := utf8.DecodeRuneInString(norm.NFKD.String(string(r))); hasGlyph(base) {
		return string(base)
	}
	return replacement
}

// regularFont returns the regular font. The bold font has the same characters.
var regularFont = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err) // never fails: the font is part of the program
	}
	return f
})

func hasGlyph(r rune) bool {
	var b sfnt.Buffer
	glyph, err := regularFont().GlyphIndex(&b, r)
	return err == nil && glyph != 0
}
