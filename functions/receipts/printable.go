package receipts

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// unknown is printed in place of a character that the fonts do not have.
const unknown = "?"

// linesOf are the lines of a text, which may end as on any system.
func linesOf(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// printable is the text on one line, of the characters that the fonts have: Latin, Greek and Cyrillic letters. Others
// lose their accents, or become question marks. Characters that are not seen are left out, as some change the
// direction of the text after them.
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

// hasGlyph reports whether the fonts have the character.
func hasGlyph(r rune) bool {
	var b sfnt.Buffer
	glyph, err := fonts().GlyphIndex(&b, r)
	return err == nil && glyph != 0
}
