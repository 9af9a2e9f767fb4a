package file

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// The types of content that files can have (contract §8.3).
const (
	PDF  = "application/pdf"
	PNG  = "image/png"
	JPEG = "image/jpeg"
	HEIC = "image/heic"
	CSV  = "text/csv"
	Text = "text/plain"
)

// extensions are those of each type.
var extensions = map[string][]string{
	PDF: {".pdf"}, PNG: {".png"}, JPEG: {".jpg", ".jpeg"}, HEIC: {".heic", ".heif"}, CSV: {".csv"}, Text: {".txt"},
}

// ContentTypes are the types of content that files can have, in order.
func ContentTypes() []string { return slices.Sorted(maps.Keys(extensions)) }

// maxName is how long a file's name may be, in characters.
const maxName = 255

// checkType refuses a type of content that files cannot have. Failure: Invalid content_type.
func checkType(contentType string) error {
	if extensions[contentType] == nil {
		return failure.Invalid("content_type", "must be one of "+strings.Join(ContentTypes(), ", "))
	}
	return nil
}

// checkName refuses a name that people or their machines could take for another: of another type, in another folder,
// or with a part that is not seen. Failure: Invalid filename.
func checkName(name, contentType string) error {
	invalid := func(predicate string) error { return failure.Invalid("filename", predicate) }
	extension := path.Ext(name)
	switch {
	case !utf8.ValidString(name) || name == "" || utf8.RuneCountInString(name) > maxName:
		return invalid("must have 1 to 255 characters")
	case strings.ContainsAny(name, reserved):
		return invalid("must not have any of " + reserved)
	case strings.ContainsFunc(name, hidden):
		return invalid("must not have control or format characters, or blanks other than a space")
	case strings.TrimSpace(name) != name || strings.Contains(name, "  "):
		return invalid("must not begin or end with a space, or have two in a row")
	case !slices.Contains(extensions[contentType], strings.ToLower(extension)):
		return invalid("must end in " + strings.Join(extensions[contentType], " or ") + ", as the content_type says")
	case !strings.ContainsFunc(strings.TrimSuffix(name, extension), legible):
		return invalid("must have a letter or a digit before " + extension)
	}
	return nil
}

// reserved are what separates the parts of paths, and the characters that Windows does not take in names.
const reserved = `/\<>:"|?*`

// fillers are letters and a symbol that are shown as blanks: of Hangul, and of Braille.
const fillers = "\u115f\u1160\u3164\uffa0\u2800"

// hidden are control characters, also those that end lines, and Unicode's format characters: some of them reverse the
// direction of text, so that "report_fdp.exe" is shown as "report_exe.pdf". So are blanks other than a space: many of
// them move the extension out of sight.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z) && r != ' ' || strings.ContainsRune(fillers, r)
}

// legible are letters and digits.
func legible(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
